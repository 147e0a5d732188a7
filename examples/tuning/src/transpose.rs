//! Two parameters: the edge of a tile, and which of both matrices is walked along its rows.

use nitro::code_variant;

/// Transposes a matrix of `rows` rows into `into`. Both matrices stand row by row in memory.
///
/// # Panics
/// When either slice is not as long as the matrix.
#[code_variant(
    name = "transpose",
    features(height = rows, width = columns(from, rows), bytes = size_of_val(from)),
    variants(
        by_rows,
        tiled {
            tile in pow2(4..=64) = 16,
            order: Order in [Order::Reading, Order::Writing],
        } if tile * tile * 8 <= 32 << 10 && rows >= tile,
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
