//! The trainer of the nests and of the spaces of decisions.

use std::process::ExitCode;

fn main() -> ExitCode {
    nitro_polybench::train::trainer().main()
}
