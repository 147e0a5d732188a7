//! Tables of plain text: the first column to the left, numbers to the right.

use std::fmt;

use comfy_table::{CellAlignment, ContentArrangement, presets};

use nitro_store::printable::printable;

/// Blanks between two columns.
const GAP: usize = 2;

/// A table with a heading.
///
/// A width, as in `{table:80}`, is the most columns of text that a line may have: what does not fit side by side
/// stands below, each part beginning with the first column again, and a cell that does not fit by itself is
/// wrapped. Without one no line is broken.
pub struct Table {
    rows: Vec<Vec<String>>,
    /// The columns of text, beside the first.
    of_text: Vec<usize>,
}

impl Table {
    /// Creates a table without rows.
    pub fn new(heading: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { rows: vec![heading.into_iter().map(Into::into).collect()], of_text: Vec::new() }
    }

    /// The table, with text in its last column.
    pub fn ending_in_text(self) -> Self {
        let last = self.columns() - 1;
        self.with_text(last)
    }

    /// The table, with text in this column.
    pub fn with_text(mut self, column: usize) -> Self {
        self.of_text.push(column);
        self
    }

    /// Takes out the columns, beside those of text, in which nothing but `empty` stands.
    pub fn without_columns_of(mut self, empty: &str) -> Self {
        let mut kept: Vec<usize> = (0..self.columns()).collect();
        kept.retain(|&column| {
            let mut cells = self.rows[1..].iter().filter_map(|row| row.get(column));
            column == 0 || self.of_text.contains(&column) || cells.any(|cell| cell != empty)
        });
        for row in &mut self.rows {
            *row = kept.iter().map(|&column| row.get(column).cloned().unwrap_or_default()).collect();
        }
        self.of_text =
            self.of_text.iter().filter_map(|own| kept.iter().position(|column| column == own)).collect();
        self
    }

    /// Adds a row, which may be shorter than the heading.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| printable(&cell).into_owned()).collect());
    }

    fn columns(&self) -> usize {
        self.rows[0].len()
    }

    /// Writes some of the columns side by side.
    fn part(&self, columns: &[usize]) -> comfy_table::Table {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
        for row in &self.rows {
            table.add_row(columns.iter().map(|&column| row.get(column).map_or("", String::as_str)));
        }
        for (&column, shown) in columns.iter().zip(table.column_iter_mut()) {
            let is_text = column == 0 || self.of_text.contains(&column);
            let alignment = if is_text { CellAlignment::Left } else { CellAlignment::Right };
            let blanks = if column == 0 { 0 } else { GAP as u16 };
            shown.set_padding((blanks, 0)).set_cell_alignment(alignment);
        }
        table
    }

    /// The columns of each part, so that as many as fit stand side by side.
    fn parts(&self, most: usize) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..self.columns()).collect();
        let widths: Vec<usize> =
            self.part(&all).column_max_content_widths().into_iter().map(usize::from).collect();
        let (mut parts, mut used) = (vec![vec![0]], widths[0]);
        for column in 1..self.columns() {
            let last = parts.last_mut().expect("there is one from the beginning");
            let width = GAP + widths[column];
            if last.len() == 1 || used + width <= most {
                last.push(column);
                used += width;
            } else {
                parts.push(vec![0, column]);
                used = widths[0] + width;
            }
        }
        parts
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = formatter.width();
        for (nth, columns) in self.parts(most.unwrap_or(usize::MAX)).iter().enumerate() {
            let mut part = self.part(columns);
            if let Some(most) = most {
                part.set_content_arrangement(ContentArrangement::Dynamic);
                part.set_width(u16::try_from(most).unwrap_or(u16::MAX));
            }
            if nth > 0 {
                writeln!(formatter)?;
            }
            writeln!(formatter, "{}", part.trim_fmt())?;
        }
        Ok(())
    }
}

/// A sentence. A width, as in `{sentence:80}`, is the most columns of a line: it is broken between words.
pub struct Sentence<'t>(pub &'t str);

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = formatter.width().unwrap_or(usize::MAX);
        let mut used = 0;
        for word in self.0.split(' ') {
            let width = word.chars().count();
            if used > 0 && used + 1 + width > most {
                writeln!(formatter)?;
                used = 0;
            } else if used > 0 {
                formatter.write_str(" ")?;
                used += 1;
            }
            formatter.write_str(word)?;
            used += width;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Sentence, Table};

    #[test]
    fn sentences_are_broken_between_words() {
        let sentence = Sentence("one two three, eleventeen four");
        assert_eq!(format!("{sentence:10}"), "one two\nthree,\neleventeen\nfour");
        assert_eq!(sentence.to_string(), sentence.0);
        assert_eq!(format!("{:3}", Sentence("")), "");
    }

    #[test]
    fn columns_of_nothing_are_left_out() {
        let mut table = Table::new(["name", "text", "none", "some", "last"]).with_text(1).ending_in_text();
        table.row(["a", "x", "-", "-", "yy"].map(str::to_owned));
        table.row(["bb", "xx", "-", "1"].map(str::to_owned));
        let expected = "name  text  some  last\na     x        -  yy\nbb    xx       1\n";
        assert_eq!(table.without_columns_of("-").to_string(), expected);
    }

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

    #[test]
    fn what_does_not_fit_side_by_side_stands_below() {
        let mut table = Table::new(["name", "first", "second", "remark"]).ending_in_text();
        table.row(["a", "1", "2", "some words that are too many"].map(str::to_owned));
        let expected = "name  first  second\na         1       2\n\nname  remark\na     some words\n      that are too\n      many\n";
        assert_eq!(format!("{table:19}"), expected);
        assert_eq!(format!("{table:80}"), table.to_string());
    }
}
