//! The four functions, each with its variants, the features that tell its inputs apart, and its constraints.

use nitro::code_variant;

use crate::variants;
use crate::variants::sort::Key;
use crate::variants::spmv::{DIA_FILL_CUTOFF, ELL_FILL_CUTOFF, Matrix};
use crate::variants::transpose::{is_coprime, is_skinny};

/// Counts the pixels of an 8-bit image by value; what `bins` held before is replaced.
#[code_variant(
    name = "histogram",
    features(
        pixel_count = pixels.len(),
        pixels_per_bin = pixels.len() as f64 / bins.len() as f64,
        sample_sd = variants::histogram::sample_sd(pixels),
        sample_distinct_log2 = variants::histogram::sample_distinct_log2(pixels),
        sample_step_log2 = variants::histogram::sample_step_log2(pixels),
    ),
    variants(
        variants::histogram::multi_table,
        variants::histogram::private_tables,
        variants::histogram::few_values,
        variants::histogram::pair_table,
    ),
    default = private_tables,
)]
pub fn histogram(pixels: &[u8], bins: &mut [u32; 256]);

/// Multiplies a sparse matrix by a vector of finite numbers, y ← A·x.
///
/// # Panics
/// If a vector's length is not that of the matrix.
#[code_variant(
    name = "spmv",
    features(
        nonzeros = a.nonzeros(),
        mean_row_length = a.row_lengths().mean,
        row_length_sd = a.row_lengths().sd,
        max_row_deviation = a.max_deviation(),
        ell_fill = a.ell_fill(),
        dia_fill = a.dia_fill(),
    ),
    variants(
        variants::spmv::csr_rows,
        variants::spmv::csr_balanced,
        variants::spmv::ell if ell_fill <= ELL_FILL_CUTOFF,
        variants::spmv::dia if dia_fill <= DIA_FILL_CUTOFF,
    ),
    default = csr_rows,
)]
pub fn spmv(a: &Matrix, x: &[f64], y: &mut [f64]);

/// Sorts floating-point numbers into IEEE 754's total order, the one of [`f64::total_cmp`].
#[code_variant(
    name = "sort",
    features(
        length = keys.len(),
        bits = K::BITS,
        sample_runs_log2 = variants::sort::sample_runs_log2(keys),
        sample_descents_log2 = variants::sort::sample_descents_log2(keys),
        sample_distinct = variants::sort::sample_distinct(keys),
    ),
    variants(
        variants::sort::merge,
        variants::sort::radix,
        variants::sort::quick,
        variants::sort::drop_merge,
    ),
    default = quick,
)]
pub fn sort<K: Key>(keys: &mut [K]);

/// Transposes a matrix in place: rows times columns values, row by row, become columns times rows.
///
/// # Panics
/// If there are not rows times columns values.
#[code_variant(
    name = "transpose",
    features(
        m = rows,
        n = columns,
        skinny = is_skinny(rows, columns),
        coprime = is_coprime(rows, columns),
    ),
    variants(
        variants::transpose::c2r,
        variants::transpose::r2c,
        variants::transpose::c2r_skinny,
        variants::transpose::r2c_skinny,
    ),
    default = r2c,
)]
pub fn transpose(values: &mut [f64], rows: usize, columns: usize);
