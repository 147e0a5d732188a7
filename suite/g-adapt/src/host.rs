//! Two functions on the host, so that all of this can be seen without a GPU.

use nitro::code_variant;

/// The product of a matrix of `rows` rows and `inner` columns and one of `inner` rows and `columns` columns, all
/// row by row in memory.
///
/// # Panics
/// When a slice is not as long as the numbers say.
#[code_variant(
    name = "g_adapt::host_product",
    // What is left of a row beside the widest blocks is what they are slow at.
    features(height = rows, depth = inner, width = columns, width_rest = columns % 32),
    variants(blocked {
        const ROWS in pow2(1..=4) = 1,
        const COLUMNS in pow2(4..=32) = 8,
        step in pow2(32..=512) = 512,
    }),
    default = blocked,
)]
pub fn host_product(
    left: &[f32],
    right: &[f32],
    product: &mut [f32],
    rows: usize,
    inner: usize,
    columns: usize,
);

/// Blocks of `ROWS` times `COLUMNS` elements, whose sums stay in registers for `step` steps.
fn blocked<const ROWS: usize, const COLUMNS: usize>(
    p: host_product::Blocked,
    left: &[f32],
    right: &[f32],
    product: &mut [f32],
    rows: usize,
    inner: usize,
    columns: usize,
) {
    let lengths = (left.len(), right.len(), product.len());
    assert_eq!(lengths, (rows * inner, inner * columns, rows * columns), "matrices are as large as is said");
    product.fill(0.0);
    for first in (0..inner).step_by(p.step) {
        let steps = first..inner.min(first + p.step);
        for row in (0..rows).step_by(ROWS) {
            for column in (0..columns).step_by(COLUMNS) {
                let block = Block { left, right, inner, columns, row, column };
                match row + ROWS <= rows && column + COLUMNS <= columns {
                    true => block.add_whole::<ROWS, COLUMNS>(steps.clone(), product),
                    false => block.add_part(rows.min(row + ROWS), column + COLUMNS, steps.clone(), product),
                }
            }
        }
    }
}

/// A block of the product and where it comes from.
struct Block<'a> {
    left: &'a [f32],
    right: &'a [f32],
    inner: usize,
    columns: usize,
    row: usize,
    column: usize,
}

impl Block<'_> {
    #[inline]
    fn add_whole<const ROWS: usize, const COLUMNS: usize>(
        &self,
        steps: std::ops::Range<usize>,
        product: &mut [f32],
    ) {
        let mut sums = [[0.0; COLUMNS]; ROWS];
        for step in steps {
            let line = &self.right[step * self.columns + self.column..][..COLUMNS];
            for (own, sums) in sums.iter_mut().enumerate() {
                let factor = self.left[(self.row + own) * self.inner + step];
                sums.iter_mut().zip(line).for_each(|(sum, value)| *sum += factor * value);
            }
        }
        for (own, sums) in sums.iter().enumerate() {
            let line = &mut product[(self.row + own) * self.columns + self.column..][..COLUMNS];
            line.iter_mut().zip(sums).for_each(|(to, sum)| *to += sum);
        }
    }

    /// At the right and the lower end of the product.
    fn add_part(&self, end: usize, right_end: usize, steps: std::ops::Range<usize>, product: &mut [f32]) {
        for row in self.row..end {
            for step in steps.clone() {
                let factor = self.left[row * self.inner + step];
                let columns = self.column..right_end.min(self.columns);
                let line = &self.right[step * self.columns..][columns.clone()];
                let to = &mut product[row * self.columns..][columns];
                to.iter_mut().zip(line).for_each(|(to, value)| *to += factor * value);
            }
        }
    }
}

/// One sweep of Jacobi's method over a grid of `rows` rows: each inner point becomes the mean of its four
/// neighbours, the border stays.
///
/// # Panics
/// When a slice is not as long as the numbers say.
#[code_variant(
    name = "g_adapt::host_stencil",
    features(height = rows, width = columns),
    variants(tiled {
        tile_rows in [1, 8, 64] = 8,
        tile_columns in [32, 128, 512, 2048] = 128,
        const UNROLL in [1, 4, 8, 16] = 1,
    }),
    default = tiled,
)]
pub fn host_stencil(from: &[f32], to: &mut [f32], rows: usize, columns: usize);

/// Tile by tile, `UNROLL` points at once.
fn tiled<const UNROLL: usize>(
    p: host_stencil::Tiled,
    from: &[f32],
    to: &mut [f32],
    rows: usize,
    columns: usize,
) {
    assert_eq!((from.len(), to.len()), (rows * columns, rows * columns), "grids are as large as is said");
    if rows < 3 || columns < 3 {
        return to.copy_from_slice(from);
    }
    to[..columns].copy_from_slice(&from[..columns]);
    to[(rows - 1) * columns..].copy_from_slice(&from[(rows - 1) * columns..]);
    for top in (1..rows - 1).step_by(p.tile_rows) {
        for left in (1..columns - 1).step_by(p.tile_columns) {
            for row in top..(rows - 1).min(top + p.tile_rows) {
                sweep::<UNROLL>(from, to, columns, row, left..(columns - 1).min(left + p.tile_columns));
            }
        }
    }
    for row in 1..rows - 1 {
        for column in [0, columns - 1] {
            to[row * columns + column] = from[row * columns + column];
        }
    }
}

/// Some points of a row.
#[inline]
fn sweep<const UNROLL: usize>(
    from: &[f32],
    to: &mut [f32],
    columns: usize,
    row: usize,
    range: std::ops::Range<usize>,
) {
    let (start, length) = (row * columns + range.start, range.len());
    let above = &from[start - columns..][..length];
    let below = &from[start + columns..][..length];
    let (before, after) = (&from[start - 1..][..length], &from[start + 1..][..length]);
    let to = &mut to[start..][..length];
    let mean = |at: usize| 0.25 * ((above[at] + below[at]) + (before[at] + after[at]));
    let whole = length - length % UNROLL;
    for first in (0..whole).step_by(UNROLL) {
        let mut points = [0.0; UNROLL];
        points.iter_mut().enumerate().for_each(|(own, point)| *point = mean(first + own));
        to[first..first + UNROLL].copy_from_slice(&points);
    }
    (whole..length).for_each(|at| to[at] = mean(at));
}
