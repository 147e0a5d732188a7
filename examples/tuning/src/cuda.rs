//! The same on a GPU: parameters that are definitions of the kernel, which is compiled for each pair of them when
//! it is first launched.

use nitro::code_variant;
use nitro_benchmarks::cuda::transpose::{self as kernels, c2r, is_tiling};
use nitro_cuda::{Buffer, CudaError};

/// Transposes a matrix of `rows` rows and `columns` columns, row by row in memory.
///
/// # Errors
/// When there are not as many values, when no memory is left for a copy, or when the device fails.
#[code_variant(
    name = "tuning::cuda_transpose",
    device = nitro_cuda::current(),
    features(height = rows, width = columns),
    variants(
        c2r,
        tiled {
            tile: u32 in [16, 32, 64] = 32,
            block_rows: u32 in pow2(1..=64) = 8,
        } if is_tiling(tile, block_rows) && rows > 1 && columns > 1,
    ),
    default = c2r,
)]
pub fn cuda_transpose(values: &mut Buffer<f64>, rows: usize, columns: usize) -> Result<(), CudaError>;

fn tiled(
    p: cuda_transpose::Tiled,
    values: &mut Buffer<f64>,
    rows: usize,
    columns: usize,
) -> Result<(), CudaError> {
    kernels::tiled(p.tile, p.block_rows, values, rows, columns)
}
