//! The product of a matrix and a vector.

use nitro::code_variant;
use nitro_cuda::{Buffer, CudaError, Grid, Program};

use super::{area, check_length};

/// The kernel, whose definitions are `BLOCK`, `LANES` and `UNROLL`.
pub static MV_MUL: Program = Program::new("g_adapt/mv_mul.cu", include_str!("mv_mul.cu"));

/// The product of a matrix of `rows` rows and `columns` columns, row by row in memory, and a vector. Variants round
/// differently.
///
/// # Errors
/// [`CudaError::Length`] when a buffer is not as long as the numbers say, and when the device fails.
#[code_variant(
    name = "g_adapt::mv_mul",
    device = nitro_cuda::current(),
    features(height = rows, width = columns),
    variants(by_rows {
        block: u32 in pow2(64..=1024) = 256,
        lanes: u32 in [4, 16, 64, 256] = 16,
        unroll: u32 in pow2(1..=4) = 1,
    } if lanes <= block),
    default = by_rows,
)]
pub fn mv_mul(
    matrix: &Buffer<f32>,
    vector: &Buffer<f32>,
    product: &mut Buffer<f32>,
    rows: u32,
    columns: u32,
) -> Result<(), CudaError>;

/// Some threads a row, and as many rows a block as it has threads for.
fn by_rows(
    p: mv_mul::ByRows,
    matrix: &Buffer<f32>,
    vector: &Buffer<f32>,
    product: &mut Buffer<f32>,
    rows: u32,
    columns: u32,
) -> Result<(), CudaError> {
    check_length(matrix, area(rows, columns))?;
    check_length(vector, columns as usize)?;
    check_length(product, rows as usize)?;
    let definitions = [("BLOCK", p.block.into()), ("LANES", p.lanes.into()), ("UNROLL", p.unroll.into())];
    let module = MV_MUL.module(&definitions)?;
    let grid = Grid::linear(rows.div_ceil(p.block / p.lanes).max(1), p.block);
    let arguments = [matrix.into(), vector.into(), product.into(), rows.into(), columns.into()];
    // SAFETY: the arguments are those of the kernel, and the buffers have as many elements as they say.
    unsafe { module.kernel("multiply")?.launch(grid, &arguments) }
}
