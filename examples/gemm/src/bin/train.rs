//! The trainer of the product.

use std::process::ExitCode;

use nitro_cuda::{Executable, Integers};
use nitro_gemm::{gemm, inputs, record};
use nitro_nest::MappingSpace;
use nitro_polybench::blas;
use nitro_train::{ShippedRecordings, Trainer, Tunable};

/// What was recorded on an H200 and on 16 of its multiprocessors, with the kernels that were found there.
const RECORDED: ShippedRecordings = ShippedRecordings {
    measurements: include_bytes!("../../recordings/measurements.csv.gz"),
    inputs: include_bytes!("../../recordings/inputs.csv.gz"),
    devices: include_bytes!("../../recordings/devices.csv"),
    profiles: None,
    feature_times: None,
    artifacts: Some(include_bytes!("../../recordings/artifacts.jsonl.gz")),
};

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
        .shipped(RECORDED)
        .generated("found", nest)
        .prepare(compile_ahead);
    Trainer::new().devices(nitro_cuda::Devices::new()).tunable(product).main()
}
