//! The statistics and the random numbers that learning, search and their tests share.
//!
//! - [`statistics`]: means, medians and quantiles of measurements.
//! - [`random`]: seeded random numbers, the same on every machine and in every release.
//!
//! The crate must not know devices, measurements or any other package of Nitro.

pub mod random;
pub mod statistics;
