//! The grid of a decomposition, and the passes over it.

use nitro_cuda::{Argument, Buffer, CudaError, Grid as Shape, Kernel};

use super::{ASIDE_BYTES, KERNELS, THREADS};
use crate::cuda::launch::{Scratch, resident_blocks};

const ELEMENT_BYTES: usize = size_of::<f64>();

// The kernels say the same.
const TILE_ROWS: usize = 64;
const TILE_COLUMNS: usize = 32;

/// Columns that go aside at once at least, however many rows there are: fewer would use less than a sector of each row.
const MIN_PANEL_COLUMNS: usize = 4;

/// Which way the steps go.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Direction {
    /// Columns become rows.
    Forth,
    /// The inverse steps: rows become columns.
    Back,
}

impl Direction {
    /// The kernels' parameter.
    pub fn argument(self) -> Argument<'static> {
        u32::from(self == Direction::Back).into()
    }
}

/// A grid of rows and columns, the shape that a decomposition works on.
pub(super) struct Grid {
    pub rows: usize,
    pub columns: usize,
    /// Columns that rotate by the same amount before the rows are shuffled.
    pub stride: usize,
    /// Rows of one period of the common column shuffle.
    period: usize,
}

impl Grid {
    /// Of at least one row and one column.
    pub fn new(rows: usize, columns: usize) -> Grid {
        let divisor = crate::variants::transpose::greatest_common_divisor(rows, columns);
        Grid { rows, columns, stride: columns / divisor, period: rows / divisor }
    }

    /// Whether the first rotation moves nothing.
    pub fn is_coprime(&self) -> bool {
        self.stride == self.columns
    }

    pub fn elements(&self) -> usize {
        self.rows * self.columns
    }

    /// The shape as kernels take it: rows, columns, stride.
    pub fn shape(&self) -> [Argument<'static>; 3] {
        [self.rows, self.columns, self.stride].map(|number| (number as u32).into())
    }

    /// How many columns go aside at once.
    pub fn panel_columns(&self) -> usize {
        let columns = ASIDE_BYTES / ELEMENT_BYTES / self.rows;
        match columns {
            _ if columns >= self.columns => self.columns,
            0..TILE_COLUMNS => columns.max(MIN_PANEL_COLUMNS).min(self.columns),
            _ => columns - columns % TILE_COLUMNS,
        }
    }

    /// First column and width of each panel.
    pub fn panels(&self) -> impl Iterator<Item = (usize, usize)> {
        let width = self.panel_columns();
        (0..self.columns).step_by(width).map(move |first| (first, width.min(self.columns - first)))
    }

    /// Room for a panel.
    pub fn aside_bytes(&self) -> usize {
        self.rows * self.panel_columns() * ELEMENT_BYTES
    }
}

/// The index tables of a grid on the device, and memory aside.
pub(super) struct Aside {
    _scratch: Scratch<3>,
    /// For each row the row that it receives in the last step.
    pub sources: u64,
    /// For each column where its element of row 0 goes.
    pub targets: u64,
    /// Memory of `aside_bytes`.
    pub aside: u64,
}

impl Aside {
    /// Fills the tables, and takes memory for so many bytes.
    pub fn new(grid: &Grid, aside_bytes: usize) -> Result<Aside, CudaError> {
        let scratch =
            Scratch::new([grid.rows * size_of::<u32>(), grid.columns * size_of::<u32>(), aside_bytes])?;
        let [sources, targets, aside] = scratch.pointers();
        let kernel = KERNELS.kernel("fill_tables")?;
        let entries = grid.rows.max(grid.columns);
        let blocks = resident_blocks(kernel, THREADS, 0, entries.div_ceil(THREADS as usize));
        let [rows, columns, stride] = grid.shape();
        let arguments = [rows, columns, stride, (grid.period as u32).into(), sources.into(), targets.into()];
        // SAFETY: the arguments are those of the kernel; there is room for an entry a row and a column.
        unsafe { kernel.launch(Shape::linear(blocks, THREADS), &arguments)? };
        Ok(Aside { _scratch: scratch, sources, targets, aside })
    }
}

/// Part of a row-major array: where it begins, and from where to where rows are apart.
#[derive(Clone, Copy)]
pub(super) struct Panel {
    pub pointer: u64,
    pub pitch: usize,
}

impl Panel {
    /// The columns of a matrix from `first` on.
    pub fn of(values: &Buffer<f64>, grid: &Grid, first: usize) -> Panel {
        Panel { pointer: values.pointer() + (first * ELEMENT_BYTES) as u64, pitch: grid.columns }
    }

    /// Memory aside that holds nothing else.
    pub fn aside(pointer: u64, width: usize) -> Panel {
        Panel { pointer, pitch: width }
    }

    fn arguments(self) -> [Argument<'static>; 2] {
        [self.pointer.into(), (self.pitch as u32).into()]
    }
}

/// Rotates columns by their index in the grid over `stride`, from one array to another.
pub(super) fn rotate_columns(
    from: Panel,
    to: Panel,
    rows: usize,
    (first, width): (usize, usize),
    stride: usize,
    direction: Direction,
) -> Result<(), CudaError> {
    let kernel = KERNELS.kernel("rotate_columns")?;
    let blocks = resident_blocks(kernel, THREADS, 0, rows.div_ceil(TILE_ROWS) * width.div_ceil(TILE_COLUMNS));
    let [from, from_pitch] = from.arguments();
    let [to, to_pitch] = to.arguments();
    let [rows, width, first, stride] = [rows, width, first, stride].map(|number| (number as u32).into());
    let arguments = [from, from_pitch, to, to_pitch, rows, width, first, stride, direction.argument()];
    // SAFETY: the arguments are those of the kernel; both arrays have so many rows and columns, and do not overlap.
    unsafe { kernel.launch(Shape::linear(blocks, THREADS), &arguments) }
}

/// Where [`copy_rows`] brings a row.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// To the same place.
    Same,
    /// Each row receives the row that the table says.
    Gather(u64),
    /// Each row goes where the table says.
    Scatter(u64),
}

/// Copies rows of so many elements from one array to another.
pub(super) fn copy_rows(
    from: Panel,
    to: Panel,
    rows: usize,
    width: usize,
    order: Order,
) -> Result<(), CudaError> {
    let kernel = KERNELS.kernel("permute_rows")?;
    let rows_at_once = THREADS as usize / width.next_power_of_two().min(TILE_COLUMNS);
    let blocks = resident_blocks(kernel, THREADS, 0, rows.div_ceil(rows_at_once));
    let (table, scatter) = match order {
        Order::Same => (0, 0u32),
        Order::Gather(table) => (table, 0),
        Order::Scatter(table) => (table, 1),
    };
    let [from, from_pitch] = from.arguments();
    let [to, to_pitch] = to.arguments();
    let arguments = [
        from,
        from_pitch,
        to,
        to_pitch,
        (rows as u32).into(),
        (width as u32).into(),
        table.into(),
        scatter.into(),
    ];
    // SAFETY: the arguments are those of the kernel; both arrays have so many rows and columns and do not overlap,
    // and the table is a permutation of the rows.
    unsafe { kernel.launch(Shape::linear(blocks, THREADS), &arguments) }
}

/// The kernel and the grid of its launch, if a block of it may have so much shared memory on this device.
pub(super) fn resident(
    name: &str,
    threads: u32,
    shared_bytes: usize,
    pieces: usize,
) -> Result<Option<(Kernel<'static>, Shape)>, CudaError> {
    let kernel = KERNELS.kernel(name)?;
    let Ok(shared_bytes) = u32::try_from(shared_bytes) else { return Ok(None) };
    if kernel.max_blocks_per_multiprocessor(threads, shared_bytes) == 0 {
        return Ok(None);
    }
    let blocks = resident_blocks(kernel, threads, shared_bytes, pieces);
    Ok(Some((kernel, Shape::linear(blocks, threads).with_shared_bytes(shared_bytes))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_cover_all_columns_within_the_memory_aside() {
        for (rows, columns) in
            [(2, 2), (100, 40_000), (4096, 4096), (5000, 6000), (1 << 20, 32), (1 << 24, 2)]
        {
            let grid = Grid::new(rows, columns);
            let mut next = 0;
            for (first, width) in grid.panels() {
                assert_eq!(first, next);
                assert!(width > 0 && width * rows * ELEMENT_BYTES <= grid.aside_bytes());
                next += width;
            }
            assert_eq!(next, columns);
            assert!(grid.aside_bytes() <= ASIDE_BYTES.max(4 * rows * ELEMENT_BYTES), "{rows} x {columns}");
        }
    }
}
