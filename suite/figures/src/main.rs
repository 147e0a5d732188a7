//! `cargo run --release -p nitro-figures` computes every published figure anew, keeps them in `guide/figures.json`,
//! and writes them into the documents.
//!
//! ```text
//! --only PART   computes one part (a function, `vendor`, `slice`, ..) and takes the rest as it is
//! --documents   computes nothing: writes what the file has into the documents
//! --check       writes nothing: fails where the file or a document would change
//! ```

use std::process::ExitCode;

use nitro_figures::figures::{Figures, differences};
use nitro_figures::{Error, documents, parts};

/// What the command line asks for.
#[derive(Default)]
struct Asked {
    parts: Vec<String>,
    only_documents: bool,
    only_check: bool,
}

fn main() -> ExitCode {
    match arguments().and_then(|asked| run(&asked)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Asked, Error> {
    let mut asked = Asked::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--only" => asked.parts.push(arguments.next().ok_or("--only needs the name of a part")?),
            "--documents" => asked.only_documents = true,
            "--check" => asked.only_check = true,
            other => return Err(format!("`{other}`: write --only PART, --documents or --check").into()),
        }
    }
    Ok(asked)
}

fn run(asked: &Asked) -> Result<(), Error> {
    let path = Figures::path();
    let kept = Figures::read(&path)?;
    let mut figures = kept.clone();
    let all = parts::names().map(String::from).collect();
    let wanted = match (asked.only_documents, asked.parts.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => all,
        (false, false) => asked.parts.clone(),
    };
    for part in &wanted {
        parts::remake(part, &mut figures.remade)?;
        if !asked.only_check {
            std::fs::write(&path, figures.to_text())?; // what takes minutes is kept, whatever the next part does
        }
    }
    if !asked.only_check {
        return documents::write_all(&figures);
    }
    let changed = differences(&kept.remade, &figures.remade);
    if !changed.is_empty() {
        let path = path.display();
        return Err(format!("{path} is not what the recordings give:\n{}", changed.join("\n")).into());
    }
    documents::check_all(&kept)
}
