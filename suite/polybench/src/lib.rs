//! Loop nests as plain Rust: the 17 kernels of PolyBench that Papenhausen and Mueller searched in "Coding Ants",
//! written from their definitions in single precision, five other nests, and those [beyond] it.

pub mod beyond;
pub mod blas;
#[cfg(feature = "search")]
pub mod decided;
#[cfg(feature = "search")]
pub mod floors;
pub mod gathers;
#[cfg(feature = "search")]
pub mod gpu;
pub mod manners;
pub mod others;
#[cfg(feature = "search")]
pub mod program;
pub mod reductions;
#[cfg(feature = "search")]
pub mod results;
pub mod solvers;
pub mod statistics;
pub mod stencils;
pub mod strangers;
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

/// Those of PolyBench, and five others.
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

/// The nests beside the suite.
#[must_use]
pub fn kernels_beyond() -> [Kernel; 18] {
    kernels! {
        beyond: convolution_nchw convolution_nhwc convolution_1x1 depthwise_5x5 attention_scores contraction tucker
            softmax layer_norm squared_distances max_pool average_pool transposed_update row_and_column_sums
            star_2d_r1 star_2d_r2 star_3d_r1 star_3d_r4;
    }
}

/// Nests that were written after the rules of the generator.
#[must_use]
pub fn kernels_of_strangers() -> [Kernel; 23] {
    kernels! {
        strangers: strided_convolution grouped_convolution convolution_1d depthwise_nhwc rms_norm column_softmax
            batch_statistics bilinear mttkrp manhattan column_products overlapping_pool linear_tanh total log_softmax
            two_layers;
        reductions: cumulative_sums group_norm largest_magnitude log_sum_exp;
        manners: padded_convolution layer_norm_in_loops blurred_colours;
    }
}

/// Those that read where arrays of integers say. No search has them: numbers that are drawn for those have to be
/// places.
#[must_use]
pub fn kernels_with_gathers() -> [Kernel; 3] {
    kernels! {
        gathers: ell_product ell_times_dense embedding;
    }
}

/// The sizes of a nest: `large`, or `huge`, which do not fit the caches of a large GPU. Large sizes are those of
/// PolyBench/C 4.2.1, and of nests beside the suite some 20 MB. None: there are no such sizes.
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
        "convolution_nchw" | "padded_convolution" => [&[16, 128, 128, 28, 28], &[16, 128, 128, 56, 56]],
        "convolution_nhwc" => [&[16, 28, 28, 128, 128], &[32, 28, 28, 256, 256]],
        "convolution_1x1" => [&[16, 128, 128, 28, 28], &[32, 256, 256, 28, 28]],
        "depthwise_5x5" => [&[4, 128, 56, 56], &[32, 128, 56, 56]],
        "attention_scores" => [&[16, 512, 512, 64], &[64, 1024, 1024, 64]],
        "contraction" => [&[32; 6], &[48; 6]],
        "tucker" => [&[128, 128, 128, 64, 64], &[256, 256, 256, 128, 128]],
        "softmax" | "layer_norm" | "layer_norm_in_loops" => [&[2048, 1024], &[8192, 4096]],
        "squared_distances" => [&[2048, 2048, 64], &[8192, 8192, 64]],
        "max_pool" => [&[4, 64, 56, 56], &[32, 64, 56, 56]],
        "average_pool" => [&[8, 64, 56, 56], &[64, 64, 56, 56]],
        "transposed_update" => [&[1600, 1600], &[8192, 8192]],
        "row_and_column_sums" => [&[2048, 2048], &[8192, 8192]],
        "star_2d_r1" | "star_2d_r2" => [&[10, 1600], &[10, 8192]],
        "star_3d_r1" => [&[10, 128], &[10, 384]],
        "star_3d_r4" => [&[10, 128], &[10, 256]],
        "strided_convolution" => [&[16, 128, 128, 28, 28], &[32, 128, 256, 28, 28]],
        "grouped_convolution" => [&[16, 8, 16, 16, 56, 56], &[32, 8, 32, 32, 56, 56]],
        "convolution_1d" => [&[16, 128, 128, 1024], &[32, 256, 256, 2048]],
        "depthwise_nhwc" => [&[8, 56, 56, 128], &[32, 56, 56, 256]],
        "rms_norm" | "log_softmax" => [&[2048, 1024], &[8192, 4096]],
        "column_softmax" => [&[1024, 2048], &[4096, 8192]],
        "batch_statistics" => [&[8, 128, 56, 56], &[64, 128, 56, 56]],
        "bilinear" => [&[2048, 512, 512], &[8192, 1024, 1024]],
        "mttkrp" => [&[256, 128, 128, 32], &[512, 256, 256, 64]],
        "manhattan" => [&[2048, 2048, 64], &[8192, 8192, 64]],
        "column_products" => [&[16, 512, 512, 256], &[64, 512, 512, 1024]],
        "overlapping_pool" => [&[8, 64, 56, 56], &[32, 128, 56, 56]],
        "linear_tanh" => [&[1024, 1024, 1024], &[4096, 4096, 4096]],
        "total" => [&[1024, 1024], &[4096, 2048]],
        "cumulative_sums" => [&[2048, 2048], &[8192, 4096]],
        "blurred_colours" => [&[4, 512, 512], &[16, 1080, 1920]],
        "group_norm" => [&[8, 32, 4, 3136], &[32, 32, 8, 3136]],
        "largest_magnitude" => [&[2048, 2048], &[8192, 8192]],
        "log_sum_exp" => [&[16, 512, 512], &[64, 1024, 1024]],
        "two_layers" => [&[1024, 512, 1024, 512], &[4096, 1024, 4096, 1024]],
        _ => return None,
    };
    match size {
        "large" => Some(large.to_vec()),
        "huge" => Some(huge.to_vec()),
        _ => None,
    }
}
