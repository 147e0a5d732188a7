//! The inputs that the functions are recorded with. A name says completely how its input is made:
//! `train/random-n4096-s3` is 4,096 keys of the family `random` from the seed 3.
//!
//! Names are drawn from seeded random numbers, sizes on a logarithmic scale, so that no size is a special one.
//! Those that begin with `train/` and those that begin with `test/` come from different draws, and
//! [`draw`](sort::draw) makes others, as the benchmark of mixes does.

pub mod big_product;
pub mod compress;
pub mod find;
pub mod group;
pub mod matmul;
mod name;
mod random;
pub mod sort;
pub mod transform;

pub use name::{Name, NameError};
pub use random::{Random, one_of, size};

/// Training inputs of a function.
const TRAIN: u64 = 640;
/// Test inputs of a function.
const TEST: u64 = 120;

/// All names of a function, those for training first.
fn names(draw: impl Fn(&mut Random) -> String) -> Vec<String> {
    let named = |split: &str, seed: u64, count: u64| {
        let mut random = Random::new(seed);
        (0..count).map(|index| format!("{split}/{}-s{}", draw(&mut random), seed + index)).collect::<Vec<_>>()
    };
    [named("train", 1_000, TRAIN), named("test", 2_000, TEST)].concat()
}
