//! One CSV table: a header and rows of as many fields, with line numbers.

use std::borrow::Cow;
use std::collections::HashSet;

use super::error::{ImportError, Problem, check_name};
use super::formula::unguard;
use crate::printable::excerpt;
use crate::recordings::MAX_FEATURES;

/// A table has its features and what they are of.
const MAX_COLUMNS: usize = 1 + MAX_FEATURES;

/// A table, of which the header has been read.
pub struct CsvTable<'t> {
    file: &'t str,
    header: Vec<String>,
    lines: Lines<'t>,
}

/// One row below the header, with as many fields.
pub struct Record<'t> {
    /// Its fields, as many as the header has.
    pub fields: Vec<Cow<'t, str>>,
    line: usize,
}

impl Record<'_> {
    /// Returns a field without the mark of a text that looks like a formula.
    pub fn text(&self, column: usize) -> &str {
        unguard(&self.fields[column])
    }
}

impl<'t> CsvTable<'t> {
    /// Reads the header of a table.
    ///
    /// # Errors
    ///
    /// When there is no header, or it is damaged.
    pub fn open(file: &'t str, text: &'t str) -> Result<Self, ImportError> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let mut lines = Lines { rest: text, line: 1 };
        let header = match lines.next() {
            Some(Ok(record)) => record.fields.iter().map(|column| unguard(column).to_owned()).collect(),
            Some(Err((line, problem))) => return Err(at(file, line, problem)),
            None => {
                return Err(at(file, 1, Problem::Empty { columns: "the names of its columns".to_owned() }));
            }
        };
        let table = Self { file, header, lines };
        table.check_header().map_err(|problem| at(file, 1, problem))?;
        Ok(table)
    }

    fn check_header(&self) -> Result<(), Problem> {
        let mut seen = HashSet::new();
        for (index, column) in self.header.iter().enumerate() {
            if column.is_empty() {
                return Err(Problem::UnnamedColumn { position: index + 1 });
            }
            if !seen.insert(column) {
                return Err(Problem::RepeatedColumn { column: excerpt(column) });
            }
            check_name("column", column)?;
        }
        Ok(())
    }

    /// Returns the names of the columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Returns the position of a column.
    pub fn column_of(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    /// Takes the first row below the header where it is one of these; as many fields as the header has are sure.
    pub fn take_first(&mut self, is_one: impl Fn(&Record<'t>) -> bool) -> Option<Record<'t>> {
        let mut ahead = Lines { ..self.lines };
        let first = ahead.next()?.ok()?;
        if first.fields.len() != self.header.len() || !is_one(&first) {
            return None;
        }
        self.lines = ahead;
        Some(first)
    }

    /// The error of a problem in a row.
    pub fn in_row(&self, row: &Record<'_>, problem: Problem) -> ImportError {
        at(self.file, row.line, problem)
    }

    /// The error of a problem in the header.
    pub fn in_header(&self, problem: Problem) -> ImportError {
        at(self.file, 1, problem)
    }

    /// Calls `take` for every row; a table without rows is an error.
    pub fn for_each(
        mut self,
        mut take: impl FnMut(&[String], Record<'t>) -> Result<(), Problem>,
    ) -> Result<(), ImportError> {
        let mut rows = 0_usize;
        while let Some(next) = self.lines.next() {
            let (line, result) = match next {
                Err((line, problem)) => (line, Err(problem)),
                Ok(record) if record.fields.len() != self.header.len() => {
                    let (expected, found) = (self.header.len(), record.fields.len());
                    (record.line, Err(Problem::FieldCount { expected, found }))
                }
                Ok(record) => (record.line, take(&self.header, record)),
            };
            result.map_err(|problem| at(self.file, line, problem))?;
            rows += 1;
        }
        if rows == 0 { Err(at(self.file, self.lines.line, Problem::NoRows)) } else { Ok(()) }
    }
}

fn at(file: &str, line: usize, problem: Problem) -> ImportError {
    ImportError::Row { file: file.to_owned(), line, problem }
}

/// Splits text into records; blank lines are none.
struct Lines<'t> {
    rest: &'t str,
    /// Number of the line that `rest` begins with.
    line: usize,
}

impl<'t> Iterator for Lines<'t> {
    type Item = Result<Record<'t>, (usize, Problem)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let blank = self.rest.strip_prefix("\r\n").or_else(|| self.rest.strip_prefix('\n'));
            let Some(rest) = blank else { break };
            self.rest = rest;
            self.line += 1;
        }
        if self.rest.is_empty() {
            return None;
        }
        let line = self.line;
        Some(self.record().map(|fields| Record { fields, line }).map_err(|problem| (line, problem)))
    }
}

impl<'t> Lines<'t> {
    fn record(&mut self) -> Result<Vec<Cow<'t, str>>, Problem> {
        let mut fields = Vec::new();
        loop {
            let field = if self.rest.starts_with('"') { self.quoted()? } else { self.plain() };
            if fields.len() == MAX_COLUMNS {
                return Err(Problem::TooManyColumns { position: MAX_COLUMNS + 1, column: excerpt(&field) });
            }
            fields.push(field);
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
                continue;
            }
            let end = self.rest.strip_prefix("\r\n").or_else(|| self.rest.strip_prefix('\n'));
            self.line += usize::from(end.is_some());
            self.rest = end.unwrap_or_default();
            return Ok(fields);
        }
    }

    /// Up to the next comma or end of line.
    fn plain(&mut self) -> Cow<'t, str> {
        let end = self.rest.find([',', '\n']).unwrap_or(self.rest.len());
        let ends_line = !self.rest[end..].starts_with(',');
        let (mut field, rest) = self.rest.split_at(end);
        if ends_line {
            field = field.strip_suffix('\r').unwrap_or(field);
        }
        self.rest = rest;
        Cow::Borrowed(field)
    }

    /// Reads from one quote to the next that is not doubled; line breaks inside belong to the field.
    fn quoted(&mut self) -> Result<Cow<'t, str>, Problem> {
        let body = &self.rest[1..];
        let mut from = 0;
        let end = loop {
            let quote = from + body[from..].find('"').ok_or(Problem::Quote)?;
            if !body[quote + 1..].starts_with('"') {
                break quote;
            }
            from = quote + 2;
        };
        let (field, rest) = (&body[..end], &body[end + 1..]);
        let separated = rest.is_empty() || [",", "\n", "\r\n"].iter().any(|end| rest.starts_with(end));
        if !separated {
            return Err(Problem::Quote);
        }
        self.rest = rest;
        self.line += field.matches('\n').count();
        Ok(if field.contains('"') { Cow::Owned(field.replace("\"\"", "\"")) } else { Cow::Borrowed(field) })
    }
}

/// The field as a finite number.
pub fn number(column: &str, field: &str) -> Result<f64, Problem> {
    match field.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(Problem::NotANumber { column: column.to_owned(), found: excerpt(field) }),
    }
}

/// A number that cannot be negative.
pub(super) fn not_negative(column: &'static str, field: &str) -> Result<f64, Problem> {
    let value = number(column, field)?;
    if value >= 0.0 {
        return Ok(value);
    }
    Err(Problem::OutOfRange { column, found: excerpt(field), expected: "0 or above" })
}

/// A number from 0 to 1.
pub(super) fn share(column: &'static str, field: &str) -> Result<f64, Problem> {
    let value = number(column, field)?;
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(Problem::OutOfRange { column, found: excerpt(field), expected: "from 0 to 1" })
}

/// A number that is neither negative nor zero.
pub(super) fn above_zero(column: &'static str, field: &str) -> Result<f64, Problem> {
    let value = number(column, field)?;
    if value > 0.0 {
        return Ok(value);
    }
    Err(Problem::OutOfRange { column, found: excerpt(field), expected: "above 0" })
}
