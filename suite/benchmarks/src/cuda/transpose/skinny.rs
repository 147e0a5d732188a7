//! The decomposition for grids of few columns.
//!
//! A column's index is a small number there, so both rotations move elements by few rows: with the shuffle of rows they
//! become one pass. What remains is a permutation of whole rows.

use nitro_cuda::{Argument, Buffer, CudaError, Grid as Shape, Kernel};

use super::grid::{Aside, Direction, Grid, Order, Panel, copy_rows, resident};
use super::{ASIDE_BYTES, KERNELS, THREADS, check_shape};
use crate::cuda::launch::Scratch;

/// Columns of the grid, or of the transposed one, up to which a shape counts as skinny; the kernels say the same.
pub const SKINNY_COLUMNS: usize = 32;

const ELEMENT_BYTES: usize = size_of::<f64>();
/// Elements that a block reads, the rows around its own included: both copies of them leave room for a second block.
const BLOCK_ELEMENTS: usize = 6144;
/// The same for devices with little shared memory.
const SMALL_BLOCK_ELEMENTS: usize = 3072;
/// Elements of a block at least, if there are enough blocks to choose.
const MIN_BLOCK_ELEMENTS: usize = 1024;

/// Columns to rows for few columns.
///
/// # Errors
/// [`CudaError::Length`] if there are not rows times columns elements, and when the device fails.
///
/// # Panics
/// If there are more than [`SKINNY_COLUMNS`] columns.
pub fn c2r_skinny(values: &mut Buffer<f64>, rows: usize, columns: usize) -> Result<(), CudaError> {
    transpose(values, (rows, columns), (rows, columns), Direction::Forth)
}

/// Rows to columns for few rows.
///
/// # Errors
/// [`CudaError::Length`] if there are not rows times columns elements, and when the device fails.
///
/// # Panics
/// If there are more than [`SKINNY_COLUMNS`] rows.
pub fn r2c_skinny(values: &mut Buffer<f64>, rows: usize, columns: usize) -> Result<(), CudaError> {
    transpose(values, (rows, columns), (columns, rows), Direction::Back)
}

fn transpose(
    values: &mut Buffer<f64>,
    (rows, columns): (usize, usize),
    grid: (usize, usize),
    direction: Direction,
) -> Result<(), CudaError> {
    if !check_shape(values, rows, columns)? {
        return Ok(());
    }
    assert!(grid.1 <= SKINNY_COLUMNS, "{rows} x {columns} is not skinny this way round");
    let grid = Grid::new(grid.0, grid.1);
    let chunks = Chunks::of(&grid)?;
    let aside = Aside::new(&grid, grid.aside_bytes())?;
    if grid.elements() * ELEMENT_BYTES <= ASIDE_BYTES {
        through_aside(values, &grid, &chunks, &aside, direction)
    } else {
        in_place(values, &grid, &chunks, &aside, direction)
    }
}

/// Both passes by way of memory aside that holds the whole matrix.
fn through_aside(
    values: &mut Buffer<f64>,
    grid: &Grid,
    chunks: &Chunks,
    aside: &Aside,
    direction: Direction,
) -> Result<(), CudaError> {
    let (here, there) = (Panel::of(values, grid, 0), Panel::aside(aside.aside, grid.columns));
    match direction {
        Direction::Forth => {
            chunks.shuffle(grid, here.pointer, there.pointer, 0, direction)?;
            copy_rows(there, here, grid.rows, grid.columns, Order::Gather(aside.sources))
        }
        Direction::Back => {
            copy_rows(here, there, grid.rows, grid.columns, Order::Scatter(aside.sources))?;
            chunks.shuffle(grid, there.pointer, here.pointer, 0, direction)
        }
    }
}

/// Both passes in place: rows that several chunks need are saved, and columns go aside a few at a time.
fn in_place(
    values: &mut Buffer<f64>,
    grid: &Grid,
    chunks: &Chunks,
    aside: &Aside,
    direction: Direction,
) -> Result<(), CudaError> {
    let halos = Scratch::new([chunks.count * chunks.halo_rows * grid.columns * ELEMENT_BYTES])?;
    let ([halos], matrix) = (halos.pointers(), values.pointer());
    let shuffle = || {
        chunks.save_halos(grid, matrix, halos, direction)?;
        chunks.shuffle(grid, matrix, matrix, halos, direction)
    };
    if direction == Direction::Forth {
        shuffle()?;
    }
    for (first, width) in grid.panels() {
        let (here, there) = (Panel::of(values, grid, first), Panel::aside(aside.aside, width));
        let (away, home) = match direction {
            Direction::Forth => (Order::Same, Order::Gather(aside.sources)),
            Direction::Back => (Order::Scatter(aside.sources), Order::Same),
        };
        copy_rows(here, there, grid.rows, width, away)?;
        copy_rows(there, here, grid.rows, width, home)?;
    }
    if direction == Direction::Back {
        shuffle()?;
    }
    Ok(())
}

/// The parts of a grid that blocks work on.
struct Chunks {
    kernel: Kernel<'static>,
    shape: Shape,
    /// Number of chunks.
    count: usize,
    /// Rows of each but the last.
    rows: usize,
    /// Rows around a chunk that its result depends on.
    halo_rows: usize,
}

impl Chunks {
    fn of(grid: &Grid) -> Result<Chunks, CudaError> {
        let last = grid.columns - 1;
        let halo_rows = last + last / grid.stride;
        let bytes = |rows: usize| 2 * (rows + halo_rows) * grid.columns * ELEMENT_BYTES;
        let most_rows = |elements: usize| elements / grid.columns - halo_rows;
        let most = match resident("shuffle_skinny", THREADS, bytes(most_rows(BLOCK_ELEMENTS)), 1)? {
            Some(_) => most_rows(BLOCK_ELEMENTS),
            None => most_rows(SMALL_BLOCK_ELEMENTS),
        };
        let kernel = KERNELS.kernel("shuffle_skinny")?;
        // Small grids are cut finer, so that all multiprocessors have work.
        let even = grid.rows.div_ceil(2 * kernel.device().multiprocessors());
        let rows = even.max(MIN_BLOCK_ELEMENTS / grid.columns).min(most);
        let count = grid.rows.div_ceil(rows);
        let shape = Shape::linear(count as u32, THREADS).with_shared_bytes(bytes(rows) as u32);
        Ok(Chunks { kernel, shape, count, rows, halo_rows })
    }

    fn arguments(&self) -> [Argument<'static>; 2] {
        [(self.rows as u32).into(), (self.halo_rows as u32).into()]
    }

    /// Both rotations and the shuffle of rows; `halos` is 0 if the arrays differ.
    fn shuffle(
        &self,
        grid: &Grid,
        from: u64,
        to: u64,
        halos: u64,
        direction: Direction,
    ) -> Result<(), CudaError> {
        let [rows, columns, stride] = grid.shape();
        let [chunk_rows, halo] = self.arguments();
        let arguments = [
            from.into(),
            to.into(),
            halos.into(),
            rows,
            columns,
            stride,
            chunk_rows,
            halo,
            direction.argument(),
        ];
        // SAFETY: the arguments are those of the kernel; both arrays have the grid's shape, and if they are one,
        // what other blocks need of it has been saved.
        unsafe { self.kernel.launch(self.shape, &arguments) }
    }

    /// Saves the rows around each chunk.
    fn save_halos(&self, grid: &Grid, from: u64, halos: u64, direction: Direction) -> Result<(), CudaError> {
        let [rows, columns, _] = grid.shape();
        let [chunk_rows, halo] = self.arguments();
        let arguments = [from.into(), halos.into(), rows, columns, chunk_rows, halo, direction.argument()];
        let kernel = KERNELS.kernel("save_halos")?;
        // SAFETY: the arguments are those of the kernel; there is room for so many rows a chunk.
        unsafe { kernel.launch(Shape::linear(self.count as u32, THREADS), &arguments) }
    }
}
