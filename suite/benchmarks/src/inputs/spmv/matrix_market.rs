//! The text of Matrix Market files.

use std::io::{BufRead, Read};
use std::path::Path;
use std::str::FromStr;

use super::problem::{MAX_IDLE_LINES, MAX_LINE_BYTES, MAX_VALUE, MatrixMarketProblem};
use crate::inputs::InputError;
use crate::variants::spmv::Matrix;

/// Most rows and columns: the product's vectors must fit a small machine.
const MAX_SIDE: u64 = 1 << 24;
/// Most entries, of which symmetric files are given half.
const MAX_ENTRIES: u64 = 1 << 25;
const _: () = assert!(4.0 * MAX_ENTRIES as f64 * MAX_VALUE < f64::MAX);

/// Reads a matrix from its text; `path` is for messages.
pub(super) fn parse(path: &Path, text: impl BufRead) -> Result<Matrix, InputError> {
    let mut lines = Lines { text, number: 0, idle: 0, line: Vec::new() };
    let matrix = parse_lines(&mut lines);
    matrix.map_err(|problem| InputError::MatrixMarket {
        path: path.into(),
        line: lines.number.max(1),
        problem,
    })
}

/// Reads line by line; on error the lines stand where it is.
fn parse_lines(lines: &mut Lines<impl BufRead>) -> Result<Matrix, MatrixMarketProblem> {
    let banner = Banner::parse(lines.next_text()?.unwrap_or(""))?;
    let sizes = Sizes::parse(lines.next_content()?.unwrap_or(""), banner.symmetry)?;
    // Grows as entries arrive: the number announced is not to be trusted with memory.
    let mut entries = Vec::new();
    for found in 0..sizes.entries {
        let announced = sizes.entries;
        let line = lines.next_content()?.ok_or(MatrixMarketProblem::TooFewEntries { found, announced })?;
        let (row, column, value) = banner.field.parse_entry(line, &sizes)?;
        entries.push((row, column, value));
        match banner.symmetry {
            Symmetry::SkewSymmetric if row == column => return Err(MatrixMarketProblem::SkewDiagonal),
            Symmetry::SkewSymmetric => entries.push((column, row, -value)),
            Symmetry::Symmetric if row != column => entries.push((column, row, value)),
            Symmetry::Symmetric | Symmetry::General => {}
        }
    }
    if lines.next_content()?.is_some() {
        return Err(MatrixMarketProblem::TooManyEntries { announced: sizes.entries });
    }
    Ok(Matrix::from_entries(sizes.rows as usize, sizes.columns as usize, &entries)?)
}

/// Lines of bounded length, one at a time.
struct Lines<R> {
    text: R,
    /// The number of the last line, counted from 1.
    number: u64,
    /// Lines without content so far.
    idle: u64,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// Reads the next line, of whatever bytes; false at the end of the file.
    fn advance(&mut self) -> Result<bool, MatrixMarketProblem> {
        self.line.clear();
        self.number += 1;
        let mut bounded = self.text.by_ref().take(MAX_LINE_BYTES);
        let length = bounded.read_until(b'\n', &mut self.line).map_err(MatrixMarketProblem::Read)?;
        if length as u64 == MAX_LINE_BYTES && !self.line.ends_with(b"\n") {
            return Err(MatrixMarketProblem::LongLine);
        }
        Ok(length > 0)
    }

    /// The line without its end.
    fn text(&self) -> Result<&str, MatrixMarketProblem> {
        std::str::from_utf8(&self.line).map(str::trim).map_err(|_| MatrixMarketProblem::NotText)
    }

    /// The next line without its end; none at the end of the file.
    fn next_text(&mut self) -> Result<Option<&str>, MatrixMarketProblem> {
        match self.advance()? {
            true => self.text().map(Some),
            false => Ok(None),
        }
    }

    /// The next line that is neither empty nor a comment. Comments are of whatever bytes: names of people in any
    /// encoding stand there.
    fn next_content(&mut self) -> Result<Option<&str>, MatrixMarketProblem> {
        loop {
            if !self.advance()? {
                return Ok(None);
            }
            match self.line.trim_ascii() {
                [] | [b'%', ..] => self.idle += 1,
                _ => break,
            }
            if self.idle > MAX_IDLE_LINES {
                return Err(MatrixMarketProblem::TooManyComments);
            }
        }
        self.text().map(Some)
    }
}

/// What the first line says.
struct Banner {
    field: Field,
    symmetry: Symmetry,
}

/// What the values are.
#[derive(Clone, Copy)]
enum Field {
    Real,
    Integer,
    Pattern,
}

/// Which entries stand for two.
#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    SkewSymmetric,
}

impl Banner {
    /// Reads the first line; capitals do not matter.
    fn parse(line: &str) -> Result<Banner, MatrixMarketProblem> {
        // Some editors begin a file with a mark of its encoding.
        let line = line.trim_start_matches('\u{feff}').to_ascii_lowercase();
        let words: Vec<&str> = line.split_whitespace().collect();
        let &["%%matrixmarket", object, format, field, symmetry] = words.as_slice() else {
            return Err(MatrixMarketProblem::Banner);
        };
        let unsupported =
            |found: &str, supported| MatrixMarketProblem::Unsupported { found: excerpt(found), supported };
        if object != "matrix" {
            return Err(unsupported(object, "a `matrix`"));
        }
        if format != "coordinate" {
            return Err(unsupported(format, "the sparse form `coordinate`"));
        }
        let field = match field {
            "real" => Field::Real,
            "integer" => Field::Integer,
            "pattern" => Field::Pattern,
            other => return Err(unsupported(other, "`real`, `integer` or `pattern` values")),
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::SkewSymmetric,
            other => return Err(unsupported(other, "`general`, `symmetric` or `skew-symmetric` form")),
        };
        Ok(Banner { field, symmetry })
    }
}

/// What the line of sizes says.
struct Sizes {
    rows: u64,
    columns: u64,
    entries: u64,
}

impl Sizes {
    /// Reads the line of sizes.
    fn parse(line: &str, symmetry: Symmetry) -> Result<Sizes, MatrixMarketProblem> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[rows, columns, entries] = words.as_slice() else { return Err(MatrixMarketProblem::Sizes) };
        let size = |word: &str, what, max| match number::<u64>(word, "whole number")? {
            size if size > max => Err(MatrixMarketProblem::TooLarge { what, size, max }),
            size => Ok(size),
        };
        let rows = size(rows, "rows", MAX_SIDE)?;
        let columns = size(columns, "columns", MAX_SIDE)?;
        let entries = size(entries, "entries", MAX_ENTRIES)?;
        let symmetry = match symmetry {
            Symmetry::General => return Ok(Sizes { rows, columns, entries }),
            Symmetry::Symmetric => "symmetric",
            Symmetry::SkewSymmetric => "skew-symmetric",
        };
        if rows != columns {
            return Err(MatrixMarketProblem::NotSquare { symmetry, rows, columns });
        }
        Ok(Sizes { rows, columns, entries })
    }
}

impl Field {
    /// Reads the line of an entry to a row and column, counted from 0, and a value.
    fn parse_entry(self, line: &str, sizes: &Sizes) -> Result<(u32, u32, f64), MatrixMarketProblem> {
        let mut words = line.split_whitespace();
        let mut next = || {
            words.next().ok_or(MatrixMarketProblem::Words {
                expected: self.expected(),
                found: line.split_whitespace().count(),
            })
        };
        let row = index(next()?, "row", sizes.rows)?;
        let column = index(next()?, "column", sizes.columns)?;
        let value = match self {
            Field::Real => Some(real(next()?)?).filter(|value| value.is_finite()),
            Field::Integer => Some(number::<i64>(next()?, "whole number")? as f64),
            Field::Pattern => Some(1.0),
        };
        if words.next().is_some() {
            let found = line.split_whitespace().count();
            return Err(MatrixMarketProblem::Words { expected: self.expected(), found });
        }
        let not_finite =
            || MatrixMarketProblem::Number { found: excerpt(line), expected: "entry of finite value" };
        match value.ok_or_else(not_finite)? {
            value if value.abs() > MAX_VALUE => Err(MatrixMarketProblem::LargeValue { value }),
            value => Ok((row, column, value)),
        }
    }

    /// What the line of an entry should hold.
    fn expected(self) -> &'static str {
        match self {
            Field::Real | Field::Integer => "a row, a column and a value",
            Field::Pattern => "a row and a column",
        }
    }
}

/// Reads an index counted from 1 to one counted from 0.
fn index(word: &str, what: &'static str, max: u64) -> Result<u32, MatrixMarketProblem> {
    let index = number::<u64>(word, "whole number")?;
    // Sizes are below 2^32, and so is an index between.
    if (1..=max).contains(&index) {
        Ok((index - 1) as u32)
    } else {
        Err(MatrixMarketProblem::Index { what, index, max })
    }
}

/// Reads a real number, also with an exponent as Fortran writes it: `1.5D+00`, `1.5d0`, and `1.5+100` where it has
/// three digits.
fn real(word: &str) -> Result<f64, MatrixMarketProblem> {
    let not_a_number = || MatrixMarketProblem::Number { found: excerpt(word), expected: "number" };
    if let Ok(value) = word.parse() {
        return Ok(value);
    }
    // Only numbers get this far with what follows; `Dead` and `1-2-3` stay what they are.
    let exponent = match word.find(['d', 'D']) {
        Some(at) => Some((at, at + 1)),
        None => word.rfind(['+', '-']).filter(|&at| at > 0).map(|at| (at, at)),
    };
    let (end, start) = exponent.ok_or_else(not_a_number)?;
    let (mantissa, exponent) = (&word[..end], &word[start..]);
    let is_mantissa = mantissa.ends_with(|last: char| last.is_ascii_digit() || last == '.');
    let written = format!("{mantissa}e{exponent}");
    written.parse().ok().filter(|_| is_mantissa).ok_or_else(not_a_number)
}

/// Reads a number.
fn number<T: FromStr>(word: &str, expected: &'static str) -> Result<T, MatrixMarketProblem> {
    word.parse().map_err(|_| MatrixMarketProblem::Number { found: excerpt(word), expected })
}

/// Returns the beginning of what a message quotes: a torn file may have no blank for long.
fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let ending = if text.chars().nth(MAX_CHARS).is_some() { "…" } else { "" };
    text.chars().take(MAX_CHARS).flat_map(char::escape_debug).chain(ending.chars()).collect()
}
