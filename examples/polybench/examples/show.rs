//! Prints what becomes of a nest: the nest, its dependences, its kernels, and their text in CUDA C++.
//!
//! `cargo run -p nitro-polybench --features polyhedral --example show -- bicg`

use std::process::ExitCode;

use nitro_codegen::Mapping;
use nitro_polybench::kernels;

fn main() -> ExitCode {
    let nests = kernels().map(|kernel| (kernel.nest)());
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let Some(nest) = nests.iter().find(|nest| nest.name() == wanted) else {
        let known: Vec<_> = nests.iter().map(|nest| nest.name()).collect();
        eprintln!("there is no nest `{wanted}`: write one of {}", known.join(", "));
        return ExitCode::from(2);
    };
    let dependences = match nest.dependences() {
        Ok(dependences) => dependences,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let program = nest.map(&dependences, &Mapping::naive());
    println!("{nest}\n\n{dependences}\n{program}\n{}", program.cuda());
    ExitCode::SUCCESS
}
