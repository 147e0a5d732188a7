//! Tables of plain text: the first column to the left, numbers to the right.

use std::fmt;

use crate::printable::printable;

/// A table with a heading.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(heading: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut table = Self { rows: Vec::new() };
        table.row(heading.into_iter().map(Into::into));
        table
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| printable(&cell).into_owned()).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
        let width = |column| self.rows.iter().map(|row| cell(row, column).chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, &width) in widths.iter().enumerate() {
                match column {
                    0 => line.push_str(&format!("{:width$}", cell(row, column))),
                    _ => line.push_str(&format!("  {:>width$}", cell(row, column))),
                }
            }
            writeln!(formatter, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["function", "%"]);
        table.row(["spmv".to_owned(), "97.5".to_owned()]);
        assert_eq!(table.to_string(), "function     %\nspmv      97.5\n");
    }
}
