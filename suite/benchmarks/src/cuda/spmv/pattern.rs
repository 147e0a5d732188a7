//! Sparse matrices on the host: which entries there are, and their values.

use rayon::prelude::*;

use crate::variants;

/// Rows that one task fills.
const ROWS_PER_TASK: usize = 4096;

/// The places of a sparse matrix's entries in compressed rows; of a graph, the edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    columns: usize,
    /// Where each row starts in the array below, and where the last ends.
    offsets: Vec<u32>,
    /// Ascending and without repetition in each row.
    column_of: Vec<u32>,
}

/// A sparse matrix in compressed rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    pattern: Pattern,
    values: Vec<f64>,
}

/// How long rows are, in entries; of a graph, how many edges leave a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lengths {
    /// Mean length.
    pub mean: f64,
    /// Standard deviation of the lengths.
    pub sd: f64,
    /// Length of the longest.
    pub max: u32,
}

impl Lengths {
    /// By how many entries the longest row exceeds the mean.
    #[must_use]
    pub fn max_deviation(&self) -> f64 {
        f64::from(self.max) - self.mean
    }
}

impl Pattern {
    /// Makes a pattern row by row, on all cores. `fill` appends the columns of a row in any order; those outside of the
    /// matrix are dropped, and so are repetitions.
    ///
    /// # Panics
    /// When 32-bit indices cannot count the entries.
    pub fn from_rows(rows: usize, columns: usize, fill: impl Fn(usize, &mut Vec<i64>) + Sync) -> Pattern {
        let tasks: Vec<(Vec<u32>, Vec<u32>)> = (0..rows.div_ceil(ROWS_PER_TASK))
            .into_par_iter()
            .map(|task| {
                let range = task * ROWS_PER_TASK..rows.min((task + 1) * ROWS_PER_TASK);
                fill_rows(range, columns, &fill)
            })
            .collect();
        let lengths = tasks.iter().flat_map(|(lengths, _)| lengths);
        let offsets = ascending(lengths.copied());
        let column_of = tasks.iter().flat_map(|(_, columns)| columns).copied().collect();
        Pattern { columns, offsets, column_of }
    }

    /// Makes a square pattern from entries, each its row times 2^32 plus its column, in any order.
    ///
    /// # Panics
    /// When an entry lies outside, or 32-bit indices cannot count the entries.
    pub fn from_entries(rows: usize, mut entries: Vec<u64>) -> Pattern {
        entries.par_sort_unstable();
        entries.dedup();
        let mut lengths = vec![0; rows];
        entries.iter().for_each(|entry| lengths[(entry >> 32) as usize] += 1);
        let column_of: Vec<u32> = entries.par_iter().map(|entry| *entry as u32).collect();
        assert!(column_of.par_iter().all(|column| (*column as usize) < rows), "an entry lies outside");
        Pattern { columns: rows, offsets: ascending(lengths.into_iter()), column_of }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of entries.
    pub fn nonzeros(&self) -> usize {
        self.column_of.len()
    }

    /// Where each row starts among the entries, and where the last ends.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The columns of all entries.
    pub fn column_of(&self) -> &[u32] {
        &self.column_of
    }

    /// The columns of a row.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.column_of[self.range(row)]
    }

    /// The entries of a row.
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    /// The pattern with rows and columns exchanged, and for each entry of this one its place in that.
    pub fn transpose(&self) -> (Pattern, Vec<u32>) {
        let mut lengths = vec![0; self.columns];
        self.column_of.iter().for_each(|column| lengths[*column as usize] += 1);
        let offsets = ascending(lengths.into_iter());
        let mut next = offsets.clone();
        let mut column_of = vec![0; self.nonzeros()];
        let mut places = vec![0; self.nonzeros()];
        for row in 0..self.rows() {
            for entry in self.range(row) {
                let place = &mut next[self.column_of[entry] as usize];
                column_of[*place as usize] = row as u32;
                places[entry] = *place;
                *place += 1;
            }
        }
        (Pattern { columns: self.rows(), offsets, column_of }, places)
    }

    /// How long the rows are.
    pub fn lengths(&self) -> Lengths {
        let lengths = || self.offsets.windows(2).map(|range| f64::from(range[1] - range[0]));
        let rows = self.rows().max(1) as f64;
        let mean = lengths().sum::<f64>() / rows;
        let variance = lengths().map(|length| (length - mean).powi(2)).sum::<f64>() / rows;
        let max = self.offsets.windows(2).map(|range| range[1] - range[0]).max().unwrap_or(0);
        Lengths { mean, sd: variance.sqrt(), max }
    }
}

/// Lengths and columns of some rows.
fn fill_rows(
    rows: std::ops::Range<usize>,
    columns: usize,
    fill: impl Fn(usize, &mut Vec<i64>),
) -> (Vec<u32>, Vec<u32>) {
    let (mut lengths, mut column_of, mut row_columns) =
        (Vec::with_capacity(rows.len()), Vec::new(), Vec::new());
    for row in rows {
        row_columns.clear();
        fill(row, &mut row_columns);
        row_columns.retain(|column| (0..columns as i64).contains(column));
        row_columns.sort_unstable();
        row_columns.dedup();
        lengths.push(row_columns.len() as u32);
        column_of.extend(row_columns.iter().map(|column| *column as u32));
    }
    (lengths, column_of)
}

/// Sums of the lengths before each row, and of all.
fn ascending(lengths: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut sum = 0u32;
    let ends = lengths.map(|length| {
        sum = sum.checked_add(length).expect("entries are counted by 32 bits");
        sum
    });
    std::iter::once(0).chain(ends).collect()
}

impl Csr {
    /// Gives the entries of a pattern their values, on all cores: `fill` gets a row, its columns and the places of
    /// their values.
    pub fn with_values(pattern: Pattern, fill: impl Fn(usize, &[u32], &mut [f64]) + Sync) -> Csr {
        let mut values = vec![0.0; pattern.nonzeros()];
        let mut rest = values.as_mut_slice();
        let mut tasks = Vec::new();
        for first in (0..pattern.rows()).step_by(ROWS_PER_TASK) {
            let end = pattern.rows().min(first + ROWS_PER_TASK);
            let (task, behind) = rest.split_at_mut((pattern.offsets[end] - pattern.offsets[first]) as usize);
            tasks.push((first..end, task));
            rest = behind;
        }
        tasks.into_par_iter().for_each(|(rows, mut values)| {
            for row in rows {
                let columns = pattern.row(row);
                let (row_values, behind) = values.split_at_mut(columns.len());
                fill(row, columns, row_values);
                values = behind;
            }
        });
        Csr { pattern, values }
    }

    /// The places of the entries.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The values of all entries.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Columns and values of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, f64)> {
        let range = self.pattern.range(row);
        self.pattern.column_of[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// The product with a vector, computed on the host.
    pub fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let product = |row| self.row(row).map(|(column, value)| value * x[column as usize]).sum();
        (0..self.pattern.rows()).into_par_iter().with_min_len(1024).map(product).collect()
    }
}

impl From<&variants::spmv::Matrix> for Csr {
    fn from(matrix: &variants::spmv::Matrix) -> Csr {
        let mut lengths = vec![0; matrix.rows()];
        matrix.entries().for_each(|(row, _, _)| lengths[row as usize] += 1);
        let column_of = matrix.entries().map(|(_, column, _)| column).collect();
        let offsets = ascending(lengths.into_iter());
        let values = matrix.entries().map(|(_, _, value)| value).collect();
        Csr { pattern: Pattern { columns: matrix.columns(), offsets, column_of }, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_stay_inside() {
        let pattern =
            Pattern::from_rows(10_000, 5, |row, columns| columns.extend([7, 3, -1, row as i64 % 5, 3]));
        assert_eq!((pattern.row(0), pattern.row(9_999)), (&[0, 3][..], &[3, 4][..]));
        assert_eq!(pattern.nonzeros(), 18_000, "rows that end in 3 or 8 repeat a column");
    }

    #[test]
    fn entries_come_in_any_order() {
        let at = |row: u64, column: u64| row << 32 | column;
        let pattern = Pattern::from_entries(4, vec![at(3, 0), at(0, 2), at(3, 0), at(0, 1)]);
        assert_eq!(pattern.offsets(), [0, 2, 2, 2, 3]);
        assert_eq!(pattern.column_of(), [1, 2, 0]);
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        let pattern = Pattern::from_rows(300, 200, |row, columns| {
            columns.extend([row as i64 / 2, row as i64 * 7 % 200])
        });
        let (transposed, places) = pattern.transpose();
        let (twice, back) = transposed.transpose();
        assert_eq!(twice, pattern);
        assert!((0..places.len()).all(|entry| back[places[entry] as usize] as usize == entry));
    }

    #[test]
    fn a_product_is_that_of_the_host_variants_matrix() {
        let entries = [(0, 1, 2.0), (2, 0, 3.0), (2, 2, -1.0)];
        let matrix = variants::spmv::Matrix::from_entries(3, 3, &entries).unwrap();
        assert_eq!(Csr::from(&matrix).multiply(&[1.0, 10.0, 100.0]), [20.0, 0.0, -97.0]);
    }
}
