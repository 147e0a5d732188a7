//! What the vendor has for the same computations, as further variants, so that "best variant" means best there is.
//! Cargo feature `vendor`: CUB comes in at build time through nvcc, cuSPARSE is loaded at run time.

pub mod cub;
pub mod cusparse;
