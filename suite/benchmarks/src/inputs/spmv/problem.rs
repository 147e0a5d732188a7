//! The reasons for which a line of a Matrix Market file cannot be used.

use std::io;

/// The longest line that is read, several times what the format allows.
pub(super) const MAX_LINE_BYTES: u64 = 4096;
/// The most lines of comment and empty lines.
pub(super) const MAX_IDLE_LINES: u64 = 100_000;
/// The largest magnitude of a value: products of all entries with a vector of numbers up to 2 stay finite, in every
/// order of adding up.
pub(super) const MAX_VALUE: f64 = 1e300;

/// The reason for which a line of a Matrix Market file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixMarketProblem {
    /// The first line is no banner.
    #[error(
        "the first line is not `%%MatrixMarket matrix coordinate FIELD SYMMETRY`; a Matrix Market file begins with it"
    )]
    Banner,
    /// The banner announces a form that is not read.
    #[error("`{found}` in the banner is not supported; convert the matrix to {supported}")]
    Unsupported {
        /// The word in the banner.
        found: String,
        /// What can be used in its place.
        supported: &'static str,
    },
    /// The line of sizes is malformed or missing.
    #[error("expected three numbers, the rows, the columns and the entries of the matrix")]
    Sizes,
    /// A size is beyond what is read.
    #[error("{size} {what} are too many; up to {max} are read, use a smaller matrix")]
    TooLarge {
        /// Rows, columns or entries.
        what: &'static str,
        /// The number announced.
        size: u64,
        /// The largest number that is read.
        max: u64,
    },
    /// A symmetric matrix that is not square.
    #[error(
        "a {symmetry} matrix must be square, this one has {rows} rows and {columns} columns; correct the sizes"
    )]
    NotSquare {
        /// The symmetry in the banner.
        symmetry: &'static str,
        /// The rows announced.
        rows: u64,
        /// The columns announced.
        columns: u64,
    },
    /// An entry does not have as many words as its field asks for.
    #[error("expected {expected}, found {found} words")]
    Words {
        /// What the line should hold.
        expected: &'static str,
        /// The number of words on it.
        found: usize,
    },
    /// A word is no number.
    #[error("`{found}` is no {expected}")]
    Number {
        /// The word.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A value that would overflow in a sum.
    #[error("the value {value:e} is too large; values up to {MAX_VALUE:e} are read, scale the matrix")]
    LargeValue {
        /// The value.
        value: f64,
    },
    /// An index is 0 or larger than the matrix.
    #[error("the {what} {index} is outside of 1 to {max}; indices are counted from 1")]
    Index {
        /// Row or column.
        what: &'static str,
        /// The index.
        index: u64,
        /// The largest index of this matrix.
        max: u64,
    },
    /// A skew-symmetric matrix with an entry on its diagonal, where only zero could stand.
    #[error("a skew-symmetric matrix has no entries on its diagonal; remove this one or change the banner")]
    SkewDiagonal,
    /// The file ends too soon.
    #[error(
        "the file ends after {found} of {announced} entries; correct their number or add what is missing"
    )]
    TooFewEntries {
        /// Entries read.
        found: u64,
        /// Entries announced.
        announced: u64,
    },
    /// The file goes on after the last entry announced.
    #[error(
        "there are more than the {announced} entries announced; correct their number or remove what is too much"
    )]
    TooManyEntries {
        /// Entries announced.
        announced: u64,
    },
    /// A line is longer than any entry.
    #[error("the line is longer than {MAX_LINE_BYTES} bytes; break it or remove it")]
    LongLine,
    /// Too many comments.
    #[error("there are more than {MAX_IDLE_LINES} lines of comment or without content; remove some")]
    TooManyComments,
    /// A line is not text.
    #[error("the line is not UTF-8 text; is this a Matrix Market file?")]
    NotText,
    /// Reading or decompressing stopped.
    #[error("the file cannot be read on from here; a compressed file may be truncated or damaged")]
    Read(#[source] io::Error),
    /// The entries do not make a matrix.
    #[error(transparent)]
    Matrix(#[from] crate::variants::spmv::MatrixError),
}
