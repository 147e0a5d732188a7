//! The product of two matrices.

use nitro::code_variant;
use nitro_cuda::{Buffer, CudaError, Grid, Program};

use super::{area, check_length};

/// The kernel, whose definitions are `TILE`, `PER`, `DEPTH` and `UNROLL`.
pub static MATRIX_MUL: Program = Program::new("g_adapt/matrix_mul.cu", include_str!("matrix_mul.cu"));

/// The product of a matrix of `rows` rows and `inner` columns and one of `inner` rows and `columns` columns, all
/// row by row in memory. Variants round alike, but for what the compiler joins.
///
/// # Errors
/// [`CudaError::Length`] when a buffer is not as long as the numbers say, and when the device fails.
#[code_variant(
    name = "g_adapt::matrix_mul",
    device = nitro_cuda::current(),
    features(height = rows, depth = inner, width = columns),
    variants(tiled {
        tile: u32 in pow2(16..=128) = 16,
        per_thread: u32 in pow2(1..=8) = 1,
        step: u32 in pow2(8..=32) = 16,
        unroll: u32 in [1, 8] = 8,
    } if tile / per_thread >= 8 && tile / per_thread <= 32),
    default = tiled,
)]
pub fn matrix_mul(
    left: &Buffer<f32>,
    right: &Buffer<f32>,
    product: &mut Buffer<f32>,
    rows: u32,
    inner: u32,
    columns: u32,
) -> Result<(), CudaError>;

fn definitions(p: matrix_mul::Tiled) -> [(&'static str, i64); 4] {
    [
        ("TILE", p.tile.into()),
        ("PER", p.per_thread.into()),
        ("DEPTH", p.step.into()),
        ("UNROLL", p.unroll.into()),
    ]
}

/// Compiles what a choice of [`matrix_mul()`] launches, ahead and on any thread.
///
/// # Errors
/// As [`Program::prepare`].
pub fn prepare_matrix_mul(choice: matrix_mul::Choice, architecture: u32) -> Result<(), CudaError> {
    let matrix_mul::Choice::Tiled(p) = choice;
    MATRIX_MUL.prepare(architecture, &definitions(p))
}

/// A tile of the product a block, and a square of it a thread.
fn tiled(
    p: matrix_mul::Tiled,
    left: &Buffer<f32>,
    right: &Buffer<f32>,
    product: &mut Buffer<f32>,
    rows: u32,
    inner: u32,
    columns: u32,
) -> Result<(), CudaError> {
    check_length(left, area(rows, inner))?;
    check_length(right, area(inner, columns))?;
    check_length(product, area(rows, columns))?;
    if product.is_empty() {
        return Ok(());
    }
    let module = MATRIX_MUL.module(&definitions(p))?;
    let (blocks, edge) = ((columns.div_ceil(p.tile), rows.div_ceil(p.tile), 1), p.tile / p.per_thread);
    let grid = Grid { blocks, threads: (edge, edge, 1), shared_bytes: 0 };
    let arguments = [left.into(), right.into(), product.into(), rows.into(), inner.into(), columns.into()];
    // SAFETY: the arguments are those of the kernel, and the buffers have as many elements as they say.
    unsafe { module.kernel("multiply")?.launch(grid, &arguments) }
}
