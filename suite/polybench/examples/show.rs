//! Shows what was done to the loops of a nest: as text, or as a page and its pictures.
//!
//! `cargo run -p nitro-polybench --features show --example show -- gemm --mapping sane --html gemm.html`

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use nitro_cuda::{Executable, Options};
use nitro_nest::{Integers, Mapping, Nest, NestView};
use nitro_polybench::kernels;

const USAGE: &str = "\
show NEST [--mapping naive|sane|split|ppcg_default] [--fused] [--architecture 90] [--html FILE] [--pictures FOLDER]

--fused          joins neighbouring loops that touch the same elements before the nest is mapped
--architecture   compiles the kernels for sm_90, say, by NVRTC, to show what they take
--html           writes a page there, instead of text to the terminal
--pictures       writes the pictures of the page to this folder, each a file of its own";

struct Asked {
    nest: Nest,
    mapping: Mapping,
    fuses_loops: bool,
    architecture: Option<u32>,
    html: Option<PathBuf>,
    pictures: Option<PathBuf>,
}

fn main() -> ExitCode {
    let asked = match asked(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(error) => {
            eprintln!("{error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match show(&asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn asked(mut arguments: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut asked = Asked {
        nest: nest(&arguments.next().ok_or("no nest is named")?)?,
        mapping: Mapping::sane(),
        fuses_loops: false,
        architecture: None,
        html: None,
        pictures: None,
    };
    while let Some(option) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("`{option}` lacks a value"));
        match option.as_str() {
            "--mapping" => asked.mapping = preset(&value()?)?,
            "--fused" => asked.fuses_loops = true,
            "--architecture" => {
                let text = value()?;
                let number = text.trim_start_matches("sm_").parse();
                asked.architecture =
                    Some(number.map_err(|_| format!("`{text}` is no architecture: write 90"))?);
            }
            "--html" => asked.html = Some(value()?.into()),
            "--pictures" => asked.pictures = Some(value()?.into()),
            other => return Err(format!("there is no option `{other}`")),
        }
    }
    Ok(asked)
}

fn nest(wanted: &str) -> Result<Nest, String> {
    let nests = kernels().map(|kernel| (kernel.nest)());
    let known: Vec<_> = nests.iter().map(|nest| nest.name().to_owned()).collect();
    let found = nests.into_iter().find(|nest| nest.name() == wanted);
    found.ok_or_else(|| format!("there is no nest `{wanted}`: write one of {}", known.join(", ")))
}

fn preset(name: &str) -> Result<Mapping, String> {
    let presets = Mapping::presets();
    let known = presets.each_ref().map(|(known, _)| *known).join(", ");
    let found = presets.into_iter().find(|(known, _)| *known == name);
    found.map(|(_, mapping)| mapping).ok_or(format!("there is no preset `{name}`: write one of {known}"))
}

fn show(asked: &Asked) -> Result<(), Box<dyn Error>> {
    let make = if asked.fuses_loops { NestView::with_fused_loops } else { NestView::new };
    let mut view = make(&asked.nest, &asked.mapping)?;
    if let Some(architecture) = asked.architecture {
        let plan = view.program().plan();
        let image = Executable::image(&plan, Integers::Bits32, Options::new(architecture))?;
        view = view.with_image(&image, architecture);
    }
    if let Some(folder) = &asked.pictures {
        for picture in view.pictures() {
            std::fs::write(folder.join(format!("{}.svg", picture.name)), picture.svg)?;
        }
    }
    match &asked.html {
        Some(file) => std::fs::write(file, view.page())?,
        None => print!("{}", view.text()),
    }
    Ok(())
}
