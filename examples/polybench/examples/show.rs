//! Prints what becomes of a nest: the nest, its dependences, its kernels, and their text in CUDA C++.
//!
//! `cargo run -p nitro-polybench --features polyhedral --example show -- bicg sane`

use std::process::ExitCode;

use nitro_codegen::{DependenceError, Integers, Mapping, Nest};
use nitro_polybench::kernels;

fn main() -> ExitCode {
    let nests = kernels().map(|kernel| (kernel.nest)());
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let Some(nest) = nests.iter().find(|nest| nest.name() == wanted) else {
        let known: Vec<_> = nests.iter().map(|nest| nest.name()).collect();
        eprintln!("there is no nest `{wanted}`: write one of {}", known.join(", "));
        return ExitCode::from(2);
    };
    let mapping = match std::env::args().nth(2).as_deref() {
        None | Some("naive") => Mapping::naive(),
        Some("sane") => Mapping::sane(),
        Some("ppcg_default") => Mapping::ppcg_default(),
        Some(other) => {
            eprintln!("there is no preset `{other}`: write one of naive, sane, ppcg_default");
            return ExitCode::from(2);
        }
    };
    match show(nest, &mapping) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn show(nest: &Nest, mapping: &Mapping) -> Result<(), DependenceError> {
    let nest = nest.with_temporaries()?;
    let dependences = nest.dependences()?;
    let program = nest.map(&dependences, mapping);
    println!("{nest}\n\n{dependences}\n{program}\n{}", program.cuda(Integers::Bits64));
    Ok(())
}
