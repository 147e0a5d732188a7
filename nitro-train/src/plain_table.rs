//! Tables of plain text: the first column to the left, numbers to the right.

use std::fmt;

use comfy_table::{CellAlignment, presets};

use crate::printable::printable;

/// A table with a heading.
pub(crate) struct Table(comfy_table::Table);

impl Table {
    pub(crate) fn new(heading: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut table = Self(comfy_table::Table::new());
        table.0.load_style(presets::NOTHING);
        table.row(heading.into_iter().map(Into::into));
        for (index, column) in table.0.column_iter_mut().enumerate() {
            let (blanks, alignment) =
                if index == 0 { (0, CellAlignment::Left) } else { (2, CellAlignment::Right) };
            column.set_padding((blanks, 0)).set_cell_alignment(alignment);
        }
        table
    }

    /// The table, with text in its last column.
    pub(crate) fn ending_in_text(mut self) -> Self {
        let last = self.0.column_iter_mut().last().expect("a heading names a column");
        last.set_cell_alignment(CellAlignment::Left);
        self
    }

    /// Adds a row, which may be shorter than the heading.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.add_row(cells.into_iter().map(|cell| printable(&cell).into_owned()));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.0.trim_fmt())
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

    #[test]
    fn a_cell_is_as_wide_as_a_terminal_shows_it() {
        let mut table = Table::new(["input", "best", "remark"]).ending_in_text();
        table.row(["\u{6f22}\u{5b57}", "e\u{301}ll", "a \u{1b}[31mname"].map(str::to_owned));
        table.row(["a", "csr"].map(str::to_owned));
        assert_eq!(
            table.to_string(),
            "input  best  remark\n\u{6f22}\u{5b57}    e\u{301}ll  a \\u{1b}[31mname\na       csr\n"
        );
    }

    #[test]
    fn no_line_is_cut() {
        let long = "x".repeat(1000);
        let mut table = Table::new(["a"; 100]);
        table.row(std::iter::repeat_n(long.clone(), 100));
        assert_eq!(table.to_string().lines().last(), Some(&*vec![long; 100].join("  ")));
    }
}
