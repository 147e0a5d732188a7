//! A separable filter of an image.

use nitro::code_variant;
use nitro_cuda::{Buffer, CudaError, Grid, Program};

use super::{MOST_BLOCKS_DOWN, area, check_length};

/// The kernels, whose definitions are `RADIUS`, `ROW_TILE`, `ROW_PER`, `COLUMN_WIDTH`, `COLUMN_HEIGHT` and
/// `COLUMN_THREADS`.
pub static CONVOLUTION: Program = Program::new("g_adapt/convolution.cu", include_str!("convolution.cu"));

/// Weights on each side of the middle one.
pub const RADIUS: u32 = 8;

/// Rows of a tile of columns that a block filters at once.
pub const COLUMN_THREADS: u32 = 8;

/// Shared memory that every device gives a block without being asked.
const SHARED_BYTES: u32 = 48 << 10;

/// Filters an image of `rows` rows by the same `2 * RADIUS + 1` weights along its rows and then along its columns;
/// outside of the image all is zero. `between` is as large as the image and holds what the rows gave.
///
/// # Errors
/// [`CudaError::Length`] when a buffer is not as long as the numbers say, and when the device fails.
#[code_variant(
    name = "g_adapt::convolution",
    device = nitro_cuda::current(),
    features(height = rows, width = columns),
    variants(tiled {
        row_tile: u32 in pow2(64..=512) = 128,
        row_per_thread: u32 in [1, 4] = 1,
        column_width: u32 in pow2(16..=64) = 16,
        column_height: u32 in [24, 48, 96, 192] = 48,
    } if row_tile / row_per_thread >= 32 && column_tile_bytes(column_width, column_height) <= SHARED_BYTES),
    default = tiled,
)]
pub fn convolution(
    image: &Buffer<f32>,
    weights: &Buffer<f32>,
    between: &mut Buffer<f32>,
    filtered: &mut Buffer<f32>,
    rows: u32,
    columns: u32,
) -> Result<(), CudaError>;

/// Shared memory of a tile of columns with what is above and below.
const fn column_tile_bytes(width: u32, height: u32) -> u32 {
    width * (height + 2 * RADIUS) * size_of::<f32>() as u32
}

fn definitions(p: convolution::Tiled) -> [(&'static str, i64); 6] {
    [
        ("RADIUS", RADIUS.into()),
        ("ROW_TILE", p.row_tile.into()),
        ("ROW_PER", p.row_per_thread.into()),
        ("COLUMN_WIDTH", p.column_width.into()),
        ("COLUMN_HEIGHT", p.column_height.into()),
        ("COLUMN_THREADS", COLUMN_THREADS.into()),
    ]
}

/// Compiles what a choice of [`convolution()`] launches, ahead and on any thread.
///
/// # Errors
/// As [`Program::prepare`].
pub fn prepare_convolution(choice: convolution::Choice, architecture: u32) -> Result<(), CudaError> {
    let convolution::Choice::Tiled(p) = choice;
    CONVOLUTION.prepare(architecture, &definitions(p))
}

/// A piece of a row a block, then a tile of columns a block.
fn tiled(
    p: convolution::Tiled,
    image: &Buffer<f32>,
    weights: &Buffer<f32>,
    between: &mut Buffer<f32>,
    filtered: &mut Buffer<f32>,
    rows: u32,
    columns: u32,
) -> Result<(), CudaError> {
    check_length(weights, 2 * RADIUS as usize + 1)?;
    for buffer in [image, between, filtered] {
        check_length(buffer, area(rows, columns))?;
    }
    if image.is_empty() {
        return Ok(());
    }
    let module = CONVOLUTION.module(&definitions(p))?;
    let down = |tile: u32| rows.div_ceil(tile).min(MOST_BLOCKS_DOWN);
    let along_rows = Grid {
        blocks: (columns.div_ceil(p.row_tile), down(1), 1),
        ..Grid::linear(1, p.row_tile / p.row_per_thread)
    };
    let along_columns = Grid {
        blocks: (columns.div_ceil(p.column_width), down(p.column_height), 1),
        threads: (p.column_width, COLUMN_THREADS, 1),
        shared_bytes: 0,
    };
    let shape = [rows.into(), columns.into()];
    let arguments = [image.into(), weights.into(), (&mut *between).into(), shape[0], shape[1]];
    // SAFETY: the arguments are those of the kernel, and the buffers have as many elements as they say.
    unsafe { module.kernel("filter_rows")?.launch(along_rows, &arguments)? };
    let arguments = [(&*between).into(), weights.into(), filtered.into(), shape[0], shape[1]];
    // SAFETY: as above.
    unsafe { module.kernel("filter_columns")?.launch(along_columns, &arguments) }
}
