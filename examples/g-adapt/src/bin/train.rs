//! The trainer of these functions.

use std::process::ExitCode;

use nitro_g_adapt::cuda::{
    convolution, matrix_mul, mv_mul, reduction, scalar_prod, transpose_coalesced, transpose_naive,
};
use nitro_g_adapt::host::{host_product, host_stencil};
use nitro_g_adapt::inputs::{self, names};
use nitro_g_adapt::record;
use nitro_train::{BoxError, Function, Session, Trainer, Tunable};

fn main() -> ExitCode {
    type Record = fn(&mut Session<'_>) -> Result<(), BoxError>;
    let on = |kind, function: &'static Function, record: Record, names: Vec<String>| {
        Tunable::new(function, record).generated_inputs(names).runs_on(kind)
    };
    let functions = [
        on("cuda", convolution::function(), record::record_convolution, names(&inputs::CONVOLUTION)),
        on("cuda", matrix_mul::function(), record::record_matrix_mul, names(&inputs::MATRIX_MUL)),
        on("cuda", mv_mul::function(), record::record_mv_mul, names(&inputs::MV_MUL)),
        on("cuda", reduction::function(), record::record_reduction, names(&inputs::REDUCTION)),
        on("cuda", scalar_prod::function(), record::record_scalar_prod, names(&inputs::SCALAR_PROD)),
        on("cuda", transpose_naive::function(), record::record_transpose_naive, names(&inputs::TRANSPOSE)),
        on(
            "cuda",
            transpose_coalesced::function(),
            record::record_transpose_coalesced,
            names(&inputs::TRANSPOSE),
        ),
        on("host", host_product::function(), record::record_host_product, names(&inputs::HOST_PRODUCT)),
        on("host", host_stencil::function(), record::record_host_stencil, names(&inputs::HOST_STENCIL)),
    ];
    let trainer = Trainer::new().devices(nitro_cuda::Devices::new());
    functions.into_iter().fold(trainer, Trainer::tunable).main()
}
