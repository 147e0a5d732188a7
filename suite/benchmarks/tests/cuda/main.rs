//! The functions on the GPU. Without one, that their kernels compile. One program, since each would be linked with
//! the whole suite.

mod support;

mod bfs;
mod histogram;
mod solver;
mod sort;
mod spmv;
mod transpose;
