//! The trainer of the nests and of the spaces of decisions: `cargo run --release -p nitro-polybench --features train
//! --bin train-polybench -- search --function gemm --device cuda:0`.

mod later;
mod nests;
mod spaces;
mod work;

use nitro_train::Trainer;

pub use self::work::Work;

/// Returns the trainer: a function for each nest of PolyBench, and one for each kernel with spaces of decisions.
///
/// What a device does at most, which lower bounds need, is a feature of each CUDA device from now on.
#[must_use]
pub fn trainer() -> Trainer {
    nitro_cuda::register_rates();
    let trainer = Trainer::new().devices(nitro_cuda::Devices::new());
    nests::tunables().into_iter().chain(spaces::tunables()).fold(trainer, Trainer::tunable)
}
