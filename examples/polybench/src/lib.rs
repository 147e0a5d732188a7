//! Loop nests as plain Rust: the 17 kernels of PolyBench that Papenhausen and Mueller searched in "Coding Ants", written from their definitions
//! in single precision, and three nests of other fields.

pub mod blas;
pub mod others;
pub mod solvers;
pub mod statistics;
pub mod stencils;

use nitro_codegen::{Data, Nest};

/// A function under `#[nest]`.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// What it does, as data.
    pub nest: fn() -> Nest,
    /// The function, run on data.
    pub reference: fn(&mut Data),
}

macro_rules! kernels {
    ($($module:ident: $($name:ident)+;)+) => {
        [$($(Kernel { nest: $module::$name::nest, reference: $module::$name::reference },)+)+]
    };
}

/// All of them, those of PolyBench first.
#[must_use]
pub fn kernels() -> [Kernel; 20] {
    kernels! {
        blas: gemm two_mm three_mm syrk syr2k trmm gesummv gemver;
        solvers: doitgen atax bicg mvt;
        statistics: covariance correlation;
        stencils: jacobi_2d fdtd_2d heat_3d;
        others: convolution_3d batched_product bilateral;
    }
}
