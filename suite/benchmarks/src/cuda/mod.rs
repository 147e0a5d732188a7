//! The functions that run on CUDA devices, each with its kernels, what it works on, its inputs and its reference.
//!
//! They compile without a toolkit and run where a driver and NVRTC are found; elsewhere every call returns an error
//! that says what to install.

pub mod bfs;
mod functions;
pub mod histogram;
mod launch;
pub mod solver;
pub mod sort;
pub mod spmv;
pub mod transpose;
#[cfg(feature = "vendor")]
pub mod vendor;

pub use functions::{cuda_bfs, cuda_histogram, cuda_solver, cuda_sort, cuda_spmv, cuda_transpose};
