//! C = α·A·B + β·C in single precision, on a GPU: by cuBLAS, by a kernel that is written by hand, or by kernels
//! that a search found for the loop nest.
//!
//! An application that calls [`gemm()`] compiles neither the search nor what makes the code: kernels that were
//! found come with the model.

mod cublas;
mod factors;
pub mod inputs;
#[cfg(feature = "train")]
pub mod record;
pub mod units;
mod variants;

pub use cublas::{CublasError, Operands, cublas_on_matrix_units, is_cublas_there};
pub use factors::Factors;
pub use units::{AS_SINGLE, BF16X6_ERROR, MOST_INNER, TF32_ERROR};
pub use variants::{GemmError, TILED, gemm};
