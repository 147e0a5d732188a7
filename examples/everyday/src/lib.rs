//! Everyday functions, each with well-kept crates of others as its variants: what an application gains by choosing
//! among libraries that it could have taken alone.
//!
//! - [`sort`](fn@sort) sorts 64-bit keys;
//! - [`find`](fn@find) finds the first of some needles in a text;
//! - [`matmul`](fn@matmul) multiplies matrices of single precision;
//! - [`group`](fn@group) adds up values by key;
//! - [`big_product`](fn@big_product) multiplies big integers;
//! - [`compress`](fn@compress) compresses bytes at a ratio that is asked for;
//! - [`transform`](fn@transform) is the Fourier transform of a signal.
//!
//! The features are what a developer writes who knows the data and nothing of Nitro's inside. [`inputs`] makes what
//! is recorded (`train-everyday`); the program `mixes` measures what the choices bring on other inputs, mixed as
//! applications meet them.
//!
//! ```
//! let mut keys = [3, 1, 2];
//! nitro_everyday::sort(&mut keys);
//! assert_eq!(keys, [1, 2, 3]);
//! ```

mod big;
mod compressing;
mod finding;
mod grouping;
pub mod inputs;
mod multiplying;
mod sorting;
mod transforming;

pub use big::{Natural, Product, big_product};
pub use compressing::{Compressed, compress, sampled_entropy, trial_ratio};
pub use finding::find;
pub use grouping::{group, key_width};
pub use multiplying::{Matrix, matmul};
pub use sorting::{sampled_bits, sampled_repeats, sort, sortedness};
pub use transforming::{difference, largest_factor, transform};
