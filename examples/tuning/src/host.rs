//! On the host: a constant parameter, of which each value is an instance of the variant, and two that are passed on.

use nitro::code_variant;

/// The sum of the values. Variants round differently.
#[code_variant(
    name = "tuning::sum",
    features(length = values.len()),
    variants(in_order, blocked { const LANES in pow2(2..=32) = 8 } if length >= 32),
    default = in_order,
)]
pub fn sum(values: &[f64]) -> f64;

fn in_order(values: &[f64]) -> f64 {
    values.iter().sum()
}

/// So many sums at once, which the compiler keeps in registers.
fn blocked<const LANES: usize>(values: &[f64]) -> f64 {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, value)| *sum += value);
    }
    sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// Transposes a matrix of `rows` rows into `into`. Both matrices stand row by row in memory.
///
/// # Panics
/// When either slice is not as long as the matrix.
#[code_variant(
    name = "tuning::transpose",
    features(height = rows, width = columns(from, rows), bytes = size_of_val(from)),
    variants(
        by_rows,
        tiled {
            tile in pow2(4..=64) = 16,
            order: Order in [Order::Reading, Order::Writing],
        } if tile * tile <= 4096 && height >= tile,
    ),
    default = by_rows,
)]
pub fn transpose(from: &[f64], rows: usize, into: &mut [f64]);

/// Along the rows of which matrix a tile is walked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// Of the one that is read.
    Reading,
    /// Of the one that is written.
    Writing,
}

fn columns(from: &[f64], rows: usize) -> usize {
    from.len() / rows.max(1)
}

fn by_rows(from: &[f64], rows: usize, into: &mut [f64]) {
    let columns = checked_columns(from, rows, into);
    for (row, values) in from.chunks_exact(columns.max(1)).enumerate() {
        for (column, value) in values.iter().enumerate() {
            into[column * rows + row] = *value;
        }
    }
}

fn tiled(p: transpose::Tiled, from: &[f64], rows: usize, into: &mut [f64]) {
    let columns = checked_columns(from, rows, into);
    for row in (0..rows).step_by(p.tile) {
        let rows_end = rows.min(row + p.tile);
        for column in (0..columns).step_by(p.tile) {
            let columns_end = columns.min(column + p.tile);
            match p.order {
                Order::Reading => {
                    for row in row..rows_end {
                        for column in column..columns_end {
                            into[column * rows + row] = from[row * columns + column];
                        }
                    }
                }
                Order::Writing => {
                    for column in column..columns_end {
                        for row in row..rows_end {
                            into[column * rows + row] = from[row * columns + column];
                        }
                    }
                }
            }
        }
    }
}

fn checked_columns(from: &[f64], rows: usize, into: &[f64]) -> usize {
    let columns = columns(from, rows);
    assert_eq!((from.len(), into.len()), (rows * columns, rows * columns), "a matrix of {rows} rows");
    columns
}
