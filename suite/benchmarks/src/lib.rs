//! Host benchmark suite of Nitro: four functions of real work, each with variants that win in different places.
//!
//! - [`histogram`](fn@histogram) counts the pixels of an 8-bit image by value;
//! - [`spmv`](fn@spmv) multiplies a sparse [`Matrix`](variants::spmv::Matrix) by a vector;
//! - [`sort`](fn@sort) sorts 32 or 64-bit floating-point numbers;
//! - [`transpose`](fn@transpose) transposes a rectangular matrix in place.
//!
//! `functions.rs` declares them on one page. [`variants`] holds the implementations; [`inputs`] makes what they are
//! trained and tested on, from names such as `train/uniform-n50000-s1`, and reads real files.
//!
//! ```
//! use nitro_benchmarks::{histogram, inputs};
//!
//! let image = inputs::histogram::load("train/photo-n50000-d9-s1")?;
//! let mut bins = [0; 256];
//! histogram(&image.pixels, &mut bins); // selects a variant for this image and this machine, and calls it
//! assert_eq!(bins.iter().sum::<u32>(), 50_000);
//! # Ok::<(), inputs::InputError>(())
//! ```

pub mod cuda;
mod functions;
pub mod inputs;
pub mod variants;

pub use functions::{histogram, sort, spmv, transpose};
