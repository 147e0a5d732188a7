//! A trainer with the one command `evolve`, for kernels that are compiled already: `train-evolve evolve kernel.ptx`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nitro_train::Trainer::new().command(nitro_evolve::EvolveCommand).main()
}
