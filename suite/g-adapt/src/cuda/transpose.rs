//! Transposition of a matrix, with and without coalesced writes.

use nitro::code_variant;
use nitro_cuda::{Buffer, CudaError, Grid, Program};

use super::{MOST_BLOCKS_DOWN, area, check_length};

/// The kernel that writes a column apart, whose definitions are `BLOCK_X` and `BLOCK_Y`.
pub static TRANSPOSE_NAIVE: Program =
    Program::new("g_adapt/transpose_naive.cu", include_str!("transpose_naive.cu"));

/// The kernel with tiles in shared memory, whose definitions are `TILE`, `ROWS` and `PADDED`.
pub static TRANSPOSE_COALESCED: Program =
    Program::new("g_adapt/transpose_coalesced.cu", include_str!("transpose_coalesced.cu"));

/// Transposes a matrix of `rows` rows and `columns` columns, row by row in memory, an element a thread.
///
/// # Errors
/// [`CudaError::Length`] when a buffer is not as long as the numbers say, and when the device fails.
#[code_variant(
    name = "g_adapt::transpose",
    device = nitro_cuda::current(),
    features(height = rows, width = columns),
    variants(naive {
        block_x: u32 in pow2(2..=64) = 16,
        block_y: u32 in pow2(2..=64) = 16,
    } if block_x * block_y >= 16 && block_x * block_y <= 1024),
    default = naive,
)]
pub fn transpose_naive(
    from: &Buffer<f32>,
    to: &mut Buffer<f32>,
    rows: u32,
    columns: u32,
) -> Result<(), CudaError>;

fn naive(
    p: transpose_naive::Naive,
    from: &Buffer<f32>,
    to: &mut Buffer<f32>,
    rows: u32,
    columns: u32,
) -> Result<(), CudaError> {
    let definitions = [("BLOCK_X", p.block_x.into()), ("BLOCK_Y", p.block_y.into())];
    let tile = (p.block_x, p.block_y);
    launch(&TRANSPOSE_NAIVE, &definitions, tile, tile, (from, to, rows, columns))
}

/// Transposes a matrix of `rows` rows and `columns` columns, row by row in memory, through tiles in shared memory.
///
/// # Errors
/// [`CudaError::Length`] when a buffer is not as long as the numbers say, and when the device fails.
#[code_variant(
    name = "g_adapt::transpose_co",
    device = nitro_cuda::current(),
    features(height = rows, width = columns),
    variants(tiled {
        tile: u32 in pow2(8..=64) = 16,
        block_rows: u32 in pow2(2..=32) = 16,
        padded: bool = true,
    } if block_rows <= tile && tile * block_rows >= 32 && tile * block_rows <= 1024),
    default = tiled,
)]
pub fn transpose_coalesced(
    from: &Buffer<f32>,
    to: &mut Buffer<f32>,
    rows: u32,
    columns: u32,
) -> Result<(), CudaError>;

fn tiled(
    p: transpose_coalesced::Tiled,
    from: &Buffer<f32>,
    to: &mut Buffer<f32>,
    rows: u32,
    columns: u32,
) -> Result<(), CudaError> {
    let definitions =
        [("TILE", p.tile.into()), ("ROWS", p.block_rows.into()), ("PADDED", i64::from(p.padded))];
    let (tile, threads) = ((p.tile, p.tile), (p.tile, p.block_rows));
    launch(&TRANSPOSE_COALESCED, &definitions, tile, threads, (from, to, rows, columns))
}

/// Launches one of the kernels, whose blocks move tiles of so many columns and rows.
fn launch(
    program: &'static Program,
    definitions: &[(&str, i64)],
    tile: (u32, u32),
    threads: (u32, u32),
    (from, to, rows, columns): (&Buffer<f32>, &mut Buffer<f32>, u32, u32),
) -> Result<(), CudaError> {
    check_length(from, area(rows, columns))?;
    check_length(to, area(rows, columns))?;
    if from.is_empty() {
        return Ok(());
    }
    let module = program.module(definitions)?;
    let blocks = (columns.div_ceil(tile.0), rows.div_ceil(tile.1).min(MOST_BLOCKS_DOWN), 1);
    let grid = Grid { blocks, threads: (threads.0, threads.1, 1), shared_bytes: 0 };
    let arguments = [from.into(), to.into(), rows.into(), columns.into()];
    // SAFETY: the arguments are those of the kernel, and both matrices have so many rows and columns.
    unsafe { module.kernel("transpose")?.launch(grid, &arguments) }
}
