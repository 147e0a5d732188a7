//! Transposing a rectangular matrix of 64-bit elements on the device, in place.
//!
//! After the decomposition of Catanzaro, Keller and Garland (A decomposition for in-place matrix transposition,
//! PPoPP 2014): columns rotate, rows are shuffled, columns are shuffled; or the inverses in reverse. Memory aside
//! is limited: [`ASIDE_BYTES`], or what four columns of the grid and its index tables need if that is more. Only
//! [`tiled`] takes a copy of the matrix.

mod general;
mod grid;
pub mod inputs;
mod record;
mod skinny;
mod tiled;

use nitro_cuda::{Buffer, CudaError, Program};

pub use general::{c2r, r2c};
pub use record::record;
pub use skinny::{SKINNY_COLUMNS, c2r_skinny, r2c_skinny};
pub use tiled::{BLOCK_ROWS, TILED, TILES, is_tiling, tiled};

static KERNELS: Program = Program::new("transpose/kernels.cu", include_str!("kernels.cu"));

/// Memory aside that a transposition takes as a rule: it fits the cache of current devices, so that what goes
/// through it costs little.
pub const ASIDE_BYTES: usize = 32 << 20;

/// Threads of a block of most kernels; the kernels say the same.
const THREADS: u32 = 256;

/// The CUDA sources of this function.
pub fn programs() -> [&'static Program; 1] {
    [&KERNELS]
}

/// Whether rows or columns are few enough for one of the skinny variants.
pub fn is_skinny(rows: usize, columns: usize) -> bool {
    rows.min(columns) <= SKINNY_COLUMNS
}

/// Refuses a matrix that has not as many elements as its shape says; whether there is anything to move.
fn check_shape(values: &Buffer<f64>, rows: usize, columns: usize) -> Result<bool, CudaError> {
    let expected = rows.saturating_mul(columns);
    if values.len() != expected {
        return Err(CudaError::Length { expected, found: values.len() });
    }
    Ok(rows > 1 && columns > 1)
}

/// Transposes on the CPU, from one array to another.
pub fn reference(values: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    use rayon::prelude::*;
    let mut transposed = vec![0.0; values.len()];
    transposed.par_chunks_mut(rows.max(1)).enumerate().for_each(|(column, out)| {
        out.iter_mut().enumerate().for_each(|(row, out)| *out = values[row * columns + column]);
    });
    transposed
}
