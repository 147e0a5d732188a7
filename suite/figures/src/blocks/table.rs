//! Tables and sentences in Markdown.

/// A table of Markdown.
pub struct Table(String);

impl Table {
    /// A table with these heads.
    pub fn new<'a>(heads: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = Self(String::new());
        let heads: Vec<String> = heads.into_iter().map(String::from).collect();
        let rule = vec!["---".to_owned(); heads.len()];
        table.row(heads);
        table.row(rule);
        table
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        self.0 += &format!("| {} |\n", cells.join(" | "));
    }

    /// The table's text.
    pub fn text(self) -> String {
        self.0
    }
}

/// A figure with one decimal, a dash where there is none.
pub fn cell(figure: Option<f64>) -> String {
    figure.map_or("–".to_owned(), |figure| format!("{figure:.1}"))
}

/// `98.7 / 97.4`: with one device left out, and with its machine; once where no device shares a machine.
pub fn both([device, machine]: [Option<f64>; 2]) -> String {
    match (device, machine) {
        (Some(_), Some(_)) => format!("{} / {}", cell(device), cell(machine)),
        (one, other) => cell(one.or(other)),
    }
}

/// `+0.3` or `−0.3`.
pub fn signed(points: f64) -> String {
    // What is printed as 0.0 has no sign.
    let sign = if points > 0.05 {
        "+"
    } else if points < -0.05 {
        "−"
    } else {
        ""
    };
    format!("{sign}{:.1}", points.abs())
}

/// Returns a paragraph in lines of at most 120 letters.
pub fn paragraph(text: &str) -> String {
    const MOST: usize = 120;
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one from the beginning");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > MOST {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}
