//! Loop nests as plain Rust: the 17 kernels of PolyBench that Papenhausen and Mueller searched in "Coding Ants",
//! written from their definitions in single precision, and five other nests.

pub mod blas;
#[cfg(feature = "search")]
pub mod decided;
#[cfg(feature = "search")]
pub mod gpu;
pub mod others;
#[cfg(feature = "search")]
pub mod program;
#[cfg(feature = "search")]
pub mod results;
pub mod solvers;
pub mod statistics;
pub mod stencils;
#[cfg(feature = "train")]
pub mod train;
#[cfg(feature = "search")]
pub mod work;

use nitro_nest::{Data, Nest};

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
pub fn kernels() -> [Kernel; 22] {
    kernels! {
        blas: gemm two_mm three_mm syrk syr2k trmm gesummv gemver;
        solvers: doitgen atax bicg mvt;
        statistics: covariance correlation;
        stencils: jacobi_2d fdtd_2d heat_3d;
        others: convolution_3d batched_product bilateral alignment seidel_2d;
    }
}

/// The sizes of a nest: `large`, those of PolyBench/C 4.2.1, or `huge`, which do not fit the caches of a large GPU.
/// None: there are no such sizes.
#[must_use]
pub fn sizes(nest: &str, size: &str) -> Option<Vec<i64>> {
    let [large, huge]: [&[i64]; 2] = match nest {
        "gemm" => [&[1000, 1100, 1200], &[4096; 3]],
        "two_mm" => [&[800, 900, 1100, 1200], &[4096; 4]],
        "three_mm" => [&[800, 900, 1000, 1100, 1200], &[4096; 5]],
        "syrk" | "syr2k" => [&[1200, 1000], &[4096; 2]],
        "trmm" => [&[1000, 1200], &[4096; 2]],
        "covariance" | "correlation" => [&[1200, 1400], &[4096; 2]],
        "doitgen" => [&[150, 140, 160], &[256, 256, 512]],
        "atax" | "bicg" => [&[1900, 2100], &[16384; 2]],
        "mvt" | "gemver" => [&[2000], &[16384]],
        "gesummv" => [&[1300], &[16384]],
        "jacobi_2d" => [&[500, 1300], &[50, 8192]],
        "fdtd_2d" => [&[500, 1000, 1200], &[50, 8192, 8192]],
        "heat_3d" => [&[500, 120], &[20, 512]],
        _ => return None,
    };
    match size {
        "large" => Some(large.to_vec()),
        "huge" => Some(huge.to_vec()),
        _ => None,
    }
}
