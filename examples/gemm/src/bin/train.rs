//! The trainer of the product.

use std::process::ExitCode;

use nitro_codegen::MappingSpace;
use nitro_cuda::{Executable, Integers};
use nitro_gemm::{gemm, inputs, record};
use nitro_polybench::blas;
use nitro_train::{Trainer, Tunable};

/// Lets a kernel be compiled for the architecture of a device. What goes wrong is told when it is launched.
fn compile_ahead(choice: gemm::Choice, device: &str) {
    if let (gemm::Choice::Found(p), Some(Ok(device))) = (choice, nitro_cuda::parse(device)) {
        let _ = Executable::prepare(p.kernel, device.architecture(), Integers::Bits32);
    }
}

fn main() -> ExitCode {
    let nest = MappingSpace::new(&blas::gemm::nest()).expect("isl has operations enough for the nest");
    let product = Tunable::new(gemm::function(), record::record)
        .generated_inputs(inputs::names())
        .runs_on("cuda")
        .generated("found", nest)
        .prepare(compile_ahead);
    Trainer::new().devices(nitro_cuda::Devices::new()).tunable(product).main()
}
