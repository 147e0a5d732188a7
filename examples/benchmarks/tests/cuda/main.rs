//! The functions on the GPU. Without one, that their kernels compile. One program, since each would be linked with the whole suite.

#[path = "../../../../tests/left_out/mod.rs"]
mod left_out;
mod random;
mod support;

mod bfs;
mod histogram;
mod solver;
mod sort;
mod spmv;
mod transpose;
