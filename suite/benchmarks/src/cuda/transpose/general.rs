//! The decomposition for any shape.

use nitro_cuda::{Buffer, CudaError, Grid as Shape};

use super::grid::{Aside, Direction, Grid, Order, Panel, copy_rows, resident, rotate_columns};
use super::{ASIDE_BYTES, KERNELS, THREADS, check_shape};
use crate::cuda::launch::resident_blocks;

const ELEMENT_BYTES: usize = size_of::<f64>();

// The kernels say the same.
const PANEL_COLUMNS: usize = 8;
const ROW_THREADS: u32 = 512;
const COPIED_ROW_ELEMENTS: usize = 4 * 256;

/// Rows up to which a panel of columns lies in shared memory: two blocks then fit a multiprocessor.
const MAX_RESIDENT_ROWS: usize = 1536;
/// Elements of short rows that a block shuffles at once.
const SHORT_ROWS_ELEMENTS: usize = 2048;
/// Short rows that a block shuffles at once at most: eight threads are left to each.
const MAX_SHORT_ROWS: usize = 64;

/// Columns to rows: the grid of the decomposition is the matrix as it is.
///
/// # Errors
/// [`CudaError::Length`] if there are not rows times columns elements, and when the device fails.
pub fn c2r(values: &mut Buffer<f64>, rows: usize, columns: usize) -> Result<(), CudaError> {
    if !check_shape(values, rows, columns)? {
        return Ok(());
    }
    let grid = Grid::new(rows, columns);
    let aside = Aside::new(&grid, aside_bytes(&grid))?;
    rotate(values, &grid, &aside, Direction::Forth)?;
    shuffle_rows(values, &grid, &aside, Direction::Forth)?;
    shuffle_columns(values, &grid, &aside, Direction::Forth)
}

/// Rows to columns: the grid of the decomposition is the transposed matrix, and its steps are undone.
///
/// # Errors
/// [`CudaError::Length`] if there are not rows times columns elements, and when the device fails.
pub fn r2c(values: &mut Buffer<f64>, rows: usize, columns: usize) -> Result<(), CudaError> {
    if !check_shape(values, rows, columns)? {
        return Ok(());
    }
    let grid = Grid::new(columns, rows);
    let aside = Aside::new(&grid, aside_bytes(&grid))?;
    shuffle_columns(values, &grid, &aside, Direction::Back)?;
    shuffle_rows(values, &grid, &aside, Direction::Back)?;
    rotate(values, &grid, &aside, Direction::Back)
}

/// Memory for a panel of columns or for rows, whichever is more.
fn aside_bytes(grid: &Grid) -> usize {
    grid.aside_bytes().max(rows_at_once(grid) * grid.columns * ELEMENT_BYTES)
}

/// Rows that go aside at once where they do not fit shared memory.
fn rows_at_once(grid: &Grid) -> usize {
    (ASIDE_BYTES / ELEMENT_BYTES / grid.columns).clamp(1, grid.rows)
}

/// Shared memory for a panel of columns, if there are few enough rows.
fn panel_bytes(grid: &Grid) -> Option<usize> {
    (grid.rows <= MAX_RESIDENT_ROWS).then_some(grid.rows * PANEL_COLUMNS * ELEMENT_BYTES)
}

/// The first step: columns rotate by their index over the stride.
fn rotate(
    values: &mut Buffer<f64>,
    grid: &Grid,
    aside: &Aside,
    direction: Direction,
) -> Result<(), CudaError> {
    if grid.is_coprime() {
        return Ok(());
    }
    if let Some(bytes) = panel_bytes(grid) {
        let panels = grid.columns.div_ceil(PANEL_COLUMNS);
        if let Some((kernel, shape)) = resident("rotate_resident_columns", THREADS, bytes, panels)? {
            let [rows, columns, stride] = grid.shape();
            // SAFETY: the arguments are those of the kernel; the matrix has the grid's shape.
            return unsafe {
                kernel.launch(shape, &[values.into(), rows, columns, stride, direction.argument()])
            };
        }
    }
    for (first, width) in grid.panels() {
        let (here, there) = (Panel::of(values, grid, first), Panel::aside(aside.aside, width));
        rotate_columns(here, there, grid.rows, (first, width), grid.stride, direction)?;
        copy_rows(there, here, grid.rows, width, Order::Same)?;
    }
    Ok(())
}

/// The last step: columns rotate by their index, and rows go to where they belong.
fn shuffle_columns(
    values: &mut Buffer<f64>,
    grid: &Grid,
    aside: &Aside,
    direction: Direction,
) -> Result<(), CudaError> {
    if let Some(bytes) = panel_bytes(grid) {
        let panels = grid.columns.div_ceil(PANEL_COLUMNS);
        if let Some((kernel, shape)) = resident("shuffle_resident_columns", THREADS, bytes, panels)? {
            let [rows, columns, _] = grid.shape();
            let arguments = [values.into(), rows, columns, aside.sources.into(), direction.argument()];
            // SAFETY: the arguments are those of the kernel; the matrix has the grid's shape, the table its rows.
            return unsafe { kernel.launch(shape, &arguments) };
        }
    }
    for (first, width) in grid.panels() {
        let (here, there) = (Panel::of(values, grid, first), Panel::aside(aside.aside, width));
        let panel = (first, width);
        match direction {
            Direction::Forth => {
                rotate_columns(here, there, grid.rows, panel, 1, direction)?;
                copy_rows(there, here, grid.rows, width, Order::Gather(aside.sources))?;
            }
            Direction::Back => {
                copy_rows(here, there, grid.rows, width, Order::Scatter(aside.sources))?;
                rotate_columns(there, here, grid.rows, panel, 1, direction)?;
            }
        }
    }
    Ok(())
}

/// The middle step: every row is shuffled, in shared memory if it fits there.
fn shuffle_rows(
    values: &mut Buffer<f64>,
    grid: &Grid,
    aside: &Aside,
    direction: Direction,
) -> Result<(), CudaError> {
    let at_once = (SHORT_ROWS_ELEMENTS / grid.columns).clamp(1, MAX_SHORT_ROWS);
    let at_once = 1 << at_once.ilog2();
    let bytes = at_once * grid.columns * ELEMENT_BYTES;
    let Some((kernel, shape)) =
        resident("shuffle_resident_rows", ROW_THREADS, bytes, grid.rows.div_ceil(at_once))?
    else {
        return shuffle_long_rows(values, grid, aside, direction);
    };
    let [rows, columns, stride] = grid.shape();
    let at_once = (at_once as u32).into();
    let arguments =
        [values.into(), rows, columns, stride, aside.targets.into(), at_once, direction.argument()];
    // SAFETY: the arguments are those of the kernel; the matrix has the grid's shape, the table its columns.
    unsafe { kernel.launch(shape, &arguments) }
}

/// The middle step by way of memory aside.
fn shuffle_long_rows(
    values: &mut Buffer<f64>,
    grid: &Grid,
    aside: &Aside,
    direction: Direction,
) -> Result<(), CudaError> {
    let (copy, shuffle) = (KERNELS.kernel("copy_elements")?, KERNELS.kernel("shuffle_copied_rows")?);
    let at_once = rows_at_once(grid);
    for first in (0..grid.rows).step_by(at_once) {
        let count = at_once.min(grid.rows - first);
        let elements = count * grid.columns;
        let here = values.pointer() + (first * grid.columns * ELEMENT_BYTES) as u64;
        let copying = resident_blocks(copy, THREADS, 0, elements.div_ceil(THREADS as usize));
        let parts = count * grid.columns.div_ceil(COPIED_ROW_ELEMENTS);
        let shuffling = resident_blocks(shuffle, THREADS, 0, parts);
        let [rows, columns, stride] = grid.shape();
        let arguments = [
            aside.aside.into(),
            (&*values).into(),
            rows,
            columns,
            stride,
            aside.targets.into(),
            (first as u32).into(),
            (count as u32).into(),
            direction.argument(),
        ];
        // SAFETY: the arguments are those of the kernels; there is room aside for the rows, and the matrix has them.
        unsafe {
            copy.launch(
                Shape::linear(copying, THREADS),
                &[here.into(), aside.aside.into(), elements.into()],
            )?;
            shuffle.launch(Shape::linear(shuffling, THREADS), &arguments)?;
        }
    }
    Ok(())
}
