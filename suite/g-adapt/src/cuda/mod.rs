//! The seven kernels, in single precision. Each parameter is a definition of its kernel or a number of its launch.
//!
//! Without a driver every call returns an error that says what to install.

mod array_sum;
mod matrices;
mod matrix_vector;
mod separable;
mod transpose;
mod values;
mod vector_pairs;

pub use array_sum::{REDUCTION, reduction};
pub use matrices::{MATRIX_MUL, matrix_mul, prepare_matrix_mul};
pub use matrix_vector::{MV_MUL, mv_mul};
pub use separable::{COLUMN_THREADS, CONVOLUTION, RADIUS, convolution, prepare_convolution};
pub use transpose::{TRANSPOSE_COALESCED, TRANSPOSE_NAIVE, transpose_coalesced, transpose_naive};
pub use values::{VALUES, differences, filled};
pub use vector_pairs::{SCALAR_PROD, scalar_prod};

use nitro_cuda::{Buffer, CudaError, Kernel};

/// Most blocks in the second dimension of a launch; kernels go on from there in steps.
const MOST_BLOCKS_DOWN: u32 = 65_535;

/// Refuses a buffer that has not as many elements as its shape says.
fn check_length(buffer: &Buffer<f32>, expected: usize) -> Result<(), CudaError> {
    match buffer.len() {
        found if found == expected => Ok(()),
        found => Err(CudaError::Length { expected, found }),
    }
}

/// Elements of a matrix.
fn area(rows: u32, columns: u32) -> usize {
    rows as usize * columns as usize
}

/// Blocks for so many pieces of work: one each, but no more than the device, or this part of it, holds at once.
fn resident_blocks(kernel: Kernel<'_>, threads: u32, pieces: usize) -> u32 {
    let resident = kernel.max_resident_blocks(threads, 0).max(1);
    u32::try_from(pieces.clamp(1, resident)).unwrap_or(u32::MAX)
}
