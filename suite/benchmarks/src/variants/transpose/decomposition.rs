//! Where the decomposition sends elements.

use super::greatest_common_divisor;

/// The index arithmetic of one transposition, over a grid of m rows and n columns.
///
/// With c the greatest common divisor of both, a = m / c and b = n / c:
/// - column j rotates by j / b, which spreads the elements that a row shuffle sends to one column over different rows;
/// - in row i, the element of column j then goes to column ((i + j / b) mod m + j m) mod n;
/// - column j rotates by j, and all columns shuffle alike: row i receives row (i n - i / a) mod m.
///
/// All divisions are integer divisions. Taken in this order the steps turn columns into rows; their inverses in
/// reverse order turn rows into columns.
pub(super) struct Decomposition {
    pub rows: usize,
    pub columns: usize,
    /// Columns that rotate by the same amount before the rows are shuffled: b.
    pub stride: usize,
    /// Rows of one period of the common column shuffle: a.
    period: usize,
}

impl Decomposition {
    /// Of a grid of at least one row and one column.
    pub fn new(rows: usize, columns: usize) -> Decomposition {
        let divisor = greatest_common_divisor(rows, columns);
        Decomposition { rows, columns, stride: columns / divisor, period: rows / divisor }
    }

    /// Whether the first rotation moves nothing.
    pub fn is_coprime(&self) -> bool {
        self.stride == self.columns
    }

    /// By how many rows a column rotates before the rows are shuffled.
    pub fn rotation(&self, column: usize) -> usize {
        column / self.stride
    }

    /// The row that each row receives once the columns have rotated.
    pub fn row_sources(&self) -> Vec<u32> {
        (0..self.rows).map(|row| ((row * self.columns - row / self.period) % self.rows) as u32).collect()
    }

    /// The columns that the elements of row 0 would go to if no rotation came back to the first row.
    pub fn targets(&self) -> Vec<u32> {
        let target = |column: usize| (column / self.stride + column * self.rows) % self.columns;
        (0..self.columns).map(|column| target(column) as u32).collect()
    }

    /// Calls `visit` with every column of a row and the column that it goes to, given [`Self::targets`].
    ///
    /// All rows shuffle like row 0, further by their index; and from the column on whose rotation comes back to the
    /// first row, by m less. So a target takes one addition, and none waits for another.
    #[inline(always)]
    pub fn for_each_target(&self, targets: &[u32], row: usize, mut visit: impl FnMut(usize, usize)) {
        let turn = ((self.rows - row) * self.stride).min(self.columns);
        let before = row % self.columns;
        let behind = (row + self.columns * self.rows - self.rows) % self.columns;
        for (columns, shift) in [(0..turn, before), (turn..self.columns, behind)] {
            for (column, target) in columns.clone().zip(&targets[columns]) {
                let sum = *target as usize + shift;
                visit(column, if sum >= self.columns { sum - self.columns } else { sum });
            }
        }
    }
}
