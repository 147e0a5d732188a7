//! The table of all functions and selectors.

use super::data::{FunctionReport, HeldOut};
use super::html::{Escaped, Percent, function_link, wide};

/// One selector of the table.
struct Column<'a> {
    selector: &'a str,
    highlighted: bool,
}

/// Nothing for fewer than two functions, whose own table says the same.
pub(super) fn section(functions: &[FunctionReport], glossary: &[(String, String)]) -> String {
    let columns = columns(functions);
    if functions.len() < 2 || columns.is_empty() {
        return String::new();
    }
    let head =
        |column: &Column<'_>| format!("<th scope=\"col\"{}>{}</th>", class(column), Escaped(column.selector));
    let heads: String = columns.iter().map(head).collect();
    let rows: String = functions.iter().map(|function| row(function, &columns)).collect();
    let open = wide("", "Overview");
    format!(
        "<section>\n<h2>Overview</h2>\n<p>Share of exhaustive search in percent, mean over the test inputs: 100 \
         is the best variant every time.</p>\n{open}<table class=\"numbers\">\n<thead><tr>\
         <th scope=\"col\">function</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n{foot}</table></div>\n\
         {words}</section>\n",
        foot = mean_row(functions, &columns),
        words = words(&columns, glossary),
    )
}

/// What the columns are.
fn words(columns: &[Column<'_>], glossary: &[(String, String)]) -> String {
    let known = glossary.iter().filter(|(name, _)| columns.iter().any(|column| column.selector == name));
    let items: String = known
        .map(|(name, words)| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", Escaped(name), Escaped(words)))
        .collect();
    if items.is_empty() { items } else { format!("<dl class=\"glossary\">\n{items}</dl>\n") }
}

/// One column a selector, in the order of first appearance.
fn columns(functions: &[FunctionReport]) -> Vec<Column<'_>> {
    let mut columns: Vec<Column<'_>> = Vec::new();
    let mut add = |selector, highlighted| {
        if !columns.iter().any(|known| known.selector == selector) {
            columns.push(Column { selector, highlighted });
        }
    };
    for function in functions {
        function.scores.iter().for_each(|score| add(&score.selector, score.highlighted));
        if let (Some(held_out), true) = (&function.held_out, function.scores.is_empty()) {
            held_out.selectors.iter().for_each(|selector| add(selector, selector == "auto"));
        }
    }
    columns
}

/// What the selector achieved on this machine, or where nothing was measured on it, over the devices left out.
fn mean(function: &FunctionReport, selector: &str) -> f64 {
    let score = function.scores.iter().find(|score| score.selector == selector).map(|score| score.mean);
    score.or_else(|| held_out_mean(function.held_out.as_ref()?, selector)).unwrap_or(f64::NAN)
}

fn held_out_mean(held_out: &HeldOut, selector: &str) -> Option<f64> {
    held_out.mean(held_out.selectors.iter().position(|own| own == selector)?)
}

fn mean_of_known(values: impl Iterator<Item = f64>) -> f64 {
    let known: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    known.iter().sum::<f64>() / known.len() as f64
}

fn class(column: &Column<'_>) -> &'static str {
    if column.highlighted { " class=\"own\"" } else { "" }
}

fn cell(share: f64, column: &Column<'_>) -> String {
    format!("<td{}>{}</td>", class(column), Percent(share))
}

fn row(function: &FunctionReport, columns: &[Column<'_>]) -> String {
    let cells: String = columns.iter().map(|column| cell(mean(function, column.selector), column)).collect();
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", function_link(&function.name))
}

/// Over the functions that have the selector.
fn mean_row(functions: &[FunctionReport], columns: &[Column<'_>]) -> String {
    let mean_of = |column: &Column<'_>| mean_of_known(functions.iter().map(|f| mean(f, column.selector)));
    let cells: String = columns.iter().map(|column| cell(mean_of(column), column)).collect();
    format!("<tfoot><tr><th scope=\"row\">mean</th>{cells}</tr></tfoot>\n")
}
