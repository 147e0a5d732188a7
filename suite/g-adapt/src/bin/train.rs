//! The trainer of these functions.

use std::process::ExitCode;

use nitro_cuda::CudaError;
use nitro_g_adapt::cuda::{
    convolution, matrix_mul, mv_mul, prepare_convolution, prepare_matrix_mul, reduction, scalar_prod,
    transpose_coalesced, transpose_naive,
};
use nitro_g_adapt::host::{host_product, host_stencil};
use nitro_g_adapt::inputs::{self, names};
use nitro_g_adapt::record;
use nitro_train::{BoxError, Function, Session, ShippedRecordings, Trainer, Tunable};

/// What was recorded of a function on an H200 and three parts of it.
macro_rules! recorded {
    ($function:literal) => {
        ShippedRecordings {
            measurements: include_bytes!(concat!("../../recordings/", $function, "/measurements.csv.gz")),
            inputs: include_bytes!(concat!("../../recordings/", $function, "/inputs.csv.gz")),
            devices: include_bytes!(concat!("../../recordings/", $function, "/devices.csv")),
            profiles: None,
            feature_times: None,
            artifacts: None,
        }
    };
}

/// Lets a kernel be compiled for the architecture of a device. What goes wrong is told when the kernel is launched.
fn compile_ahead(device: &str, compile: impl FnOnce(u32) -> Result<(), CudaError>) {
    if let Some(Ok(device)) = nitro_cuda::parse(device) {
        let _ = compile(device.architecture());
    }
}

fn main() -> ExitCode {
    type Record = fn(&mut Session<'_>) -> Result<(), BoxError>;
    let on = |kind, function: &'static Function, record: Record, names: Vec<String>| {
        Tunable::new(function, record).generated_inputs(names).runs_on(kind)
    };
    let functions = [
        on("cuda", convolution::function(), record::record_convolution, names(&inputs::CONVOLUTION))
            .shipped(recorded!("convolution"))
            .prepare(|choice, device| compile_ahead(device, |for_it| prepare_convolution(choice, for_it))),
        on("cuda", matrix_mul::function(), record::record_matrix_mul, names(&inputs::MATRIX_MUL))
            .shipped(recorded!("matrix_mul"))
            .prepare(|choice, device| compile_ahead(device, |for_it| prepare_matrix_mul(choice, for_it))),
        on("cuda", mv_mul::function(), record::record_mv_mul, names(&inputs::MV_MUL))
            .shipped(recorded!("mv_mul")),
        on("cuda", reduction::function(), record::record_reduction, names(&inputs::REDUCTION))
            .shipped(recorded!("reduction")),
        on("cuda", scalar_prod::function(), record::record_scalar_prod, names(&inputs::SCALAR_PROD))
            .shipped(recorded!("scalar_prod")),
        on("cuda", transpose_naive::function(), record::record_transpose_naive, names(&inputs::TRANSPOSE))
            .shipped(recorded!("transpose")),
        on(
            "cuda",
            transpose_coalesced::function(),
            record::record_transpose_coalesced,
            names(&inputs::TRANSPOSE),
        )
        .shipped(recorded!("transpose_co")),
        on("host", host_product::function(), record::record_host_product, names(&inputs::HOST_PRODUCT)),
        on("host", host_stencil::function(), record::record_host_stencil, names(&inputs::HOST_STENCIL)),
    ];
    let trainer = Trainer::new().devices(nitro_cuda::Devices::new());
    functions.into_iter().fold(trainer, Trainer::tunable).main()
}
