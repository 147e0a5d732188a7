//! The benchmarks of G-ADAPT (Liu, Zhang and Shen, "A Cross-Input Adaptive Framework for GPU Program
//! Optimizations", IPDPS 2009): seven kernels whose tuning parameters are those of the paper, with inputs for a GPU
//! of today, and two functions on the host.
//!
//! The kernels are written from their definitions. The defaults are the paper's where it says them.

pub mod cuda;
pub mod host;
pub mod inputs;
pub mod record;
