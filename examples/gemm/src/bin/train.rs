//! The trainer of the product.

use std::process::ExitCode;

use nitro_gemm::{gemm, inputs, record};
use nitro_train::{Trainer, Tunable};

fn main() -> ExitCode {
    let product =
        Tunable::new(gemm::function(), record::record).generated_inputs(inputs::names()).runs_on("cuda");
    Trainer::new().devices(nitro_cuda::Devices::new()).tunable(product).main()
}
