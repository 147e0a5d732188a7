//! A sparse matrix in all the forms that the variants read.

use super::{DIA_FILL_CUTOFF, Dia, ELL_FILL_CUTOFF, Ell, Rows};

/// A sparse matrix in compressed rows (CSR), and in ELLPACK and diagonal form where those stay below their cut-offs.
///
/// All forms are built when the matrix is made, as an application does that multiplies by it many times.
#[derive(Debug, Clone)]
pub struct Matrix {
    columns: usize,
    /// Where each row starts in the two arrays below, and where the last ends.
    offsets: Vec<u32>,
    column_of: Vec<u32>,
    values: Vec<f64>,
    row_lengths: RowLengths,
    ell_fill: f64,
    dia_fill: f64,
    ell: Option<Ell>,
    dia: Option<Dia>,
}

/// How long the rows of a matrix are, in entries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowLengths {
    /// Mean length.
    pub mean: f64,
    /// Standard deviation of the lengths.
    pub sd: f64,
    /// Length of the longest row.
    pub max: u32,
}

/// Why entries are no matrix.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// An entry lies outside of the matrix.
    #[error(
        "the entry in row {row} and column {column} lies outside of {rows} rows and {columns} columns, all counted \
         from 0"
    )]
    OutOfRange {
        /// Row of the entry.
        row: u32,
        /// Column of the entry.
        column: u32,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// Indices have 32 bits.
    #[error(
        "{rows} rows, {columns} columns and {entries} entries are too many: each must be below {}",
        u32::MAX
    )]
    TooLarge {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
        /// Entries given.
        entries: usize,
    },
}

impl Matrix {
    /// Makes a matrix from entries (row, column, value) in any order; entries of one place are added up.
    ///
    /// # Errors
    /// An entry that lies outside of the matrix, or sizes that 32-bit indices cannot count.
    pub fn from_entries(
        rows: usize,
        columns: usize,
        entries: &[(u32, u32, f64)],
    ) -> Result<Matrix, MatrixError> {
        let limit = u32::MAX as usize;
        if rows >= limit || columns >= limit || entries.len() >= limit {
            return Err(MatrixError::TooLarge { rows, columns, entries: entries.len() });
        }
        if let Some(&(row, column, _)) =
            entries.iter().find(|&&(row, column, _)| row as usize >= rows || column as usize >= columns)
        {
            return Err(MatrixError::OutOfRange { row, column, rows, columns });
        }
        let (offsets, column_of, values) = compress(rows, entries);
        Ok(Matrix::from_csr(columns, offsets, column_of, values))
    }

    /// Measures the rows and builds the other forms. The rows must be well formed: ascending offsets from 0 to the
    /// number of entries, and ascending columns below `columns` in each row.
    fn from_csr(columns: usize, offsets: Vec<u32>, column_of: Vec<u32>, values: Vec<f64>) -> Matrix {
        let row_lengths = RowLengths::of(&offsets);
        let csr = Rows { offsets: &offsets, columns: &column_of, values: &values };
        let rows = offsets.len() - 1;
        let fill = |stored: usize| if values.is_empty() { 1.0 } else { stored as f64 / values.len() as f64 };
        let ell_fill = fill(rows * row_lengths.max as usize);
        let diagonals = Dia::diagonals(csr, columns);
        let dia_fill = fill(rows * diagonals.len());
        let ell = (ell_fill <= ELL_FILL_CUTOFF).then(|| Ell::new(csr, row_lengths.max as usize));
        let dia = (dia_fill <= DIA_FILL_CUTOFF).then(|| Dia::new(csr, columns, diagonals));
        Matrix { columns, offsets, column_of, values, row_lengths, ell_fill, dia_fill, ell, dia }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of stored entries.
    pub fn nonzeros(&self) -> usize {
        self.values.len()
    }

    /// How long the rows are.
    pub fn row_lengths(&self) -> RowLengths {
        self.row_lengths
    }

    /// By how many entries the longest row exceeds the mean.
    pub fn max_deviation(&self) -> f64 {
        f64::from(self.row_lengths.max) - self.row_lengths.mean
    }

    /// Places that the ELLPACK form stores for each entry, padding included; 1 is none.
    pub fn ell_fill(&self) -> f64 {
        self.ell_fill
    }

    /// Places that the diagonal form stores for each entry, padding included; 1 is none.
    pub fn dia_fill(&self) -> f64 {
        self.dia_fill
    }

    /// The ELLPACK form; none above [`ELL_FILL_CUTOFF`].
    pub fn ell(&self) -> Option<&Ell> {
        self.ell.as_ref()
    }

    /// The diagonal form; none above [`DIA_FILL_CUTOFF`].
    pub fn dia(&self) -> Option<&Dia> {
        self.dia.as_ref()
    }

    /// The entries as (row, column, value), row by row.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u32, f64)> {
        self.offsets.windows(2).enumerate().flat_map(move |(row, range)| {
            let range = range[0] as usize..range[1] as usize;
            range.map(move |entry| (row as u32, self.column_of[entry], self.values[entry]))
        })
    }

    /// The compressed rows.
    pub(super) fn csr(&self) -> Rows<'_> {
        Rows { offsets: &self.offsets, columns: &self.column_of, values: &self.values }
    }
}

impl RowLengths {
    /// Measures the rows between the offsets.
    fn of(offsets: &[u32]) -> RowLengths {
        let lengths = || offsets.windows(2).map(|range| f64::from(range[1] - range[0]));
        let rows = (offsets.len() - 1).max(1) as f64;
        let mean = lengths().sum::<f64>() / rows;
        let variance = lengths().map(|length| (length - mean).powi(2)).sum::<f64>() / rows;
        let max = offsets.windows(2).map(|range| range[1] - range[0]).max().unwrap_or(0);
        RowLengths { mean, sd: variance.sqrt(), max }
    }
}

/// Offsets, columns and values of compressed rows, columns ascending and without repetition in each row.
fn compress(rows: usize, entries: &[(u32, u32, f64)]) -> (Vec<u32>, Vec<u32>, Vec<f64>) {
    let (ends, mut by_row) = by_row(rows, entries);
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::<f64>::new());
    let mut rest = by_row.as_mut_slice();
    for range in ends.windows(2) {
        let (row, behind) = rest.split_at_mut((range[1] - range[0]) as usize);
        rest = behind;
        // Stable, so that entries of one place are added up in the order given, on every machine alike.
        row.sort_by_key(|(column, _)| *column);
        let start = columns.len();
        for &mut (column, value) in row {
            match values.last_mut() {
                Some(sum) if columns[start..].last() == Some(&column) => *sum += value,
                _ => {
                    columns.push(column);
                    values.push(value);
                }
            }
        }
        offsets.push(columns.len() as u32);
    }
    (offsets, columns, values)
}

/// The columns and values in order of their rows, otherwise in the order given, and where each row starts and ends.
fn by_row(rows: usize, entries: &[(u32, u32, f64)]) -> (Vec<u32>, Vec<(u32, f64)>) {
    let mut starts = vec![0u32; rows + 1];
    for (row, _, _) in entries {
        starts[*row as usize + 1] += 1;
    }
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    let mut places = starts.clone();
    let mut by_row = vec![(0, 0.0); entries.len()];
    for &(row, column, value) in entries {
        let place = &mut places[row as usize];
        by_row[*place as usize] = (column, value);
        *place += 1;
    }
    (starts, by_row)
}
