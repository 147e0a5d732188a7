//! The table of all functions and selectors.

use maud::{Markup, html};

use super::data::{FunctionReport, HeldOut};
use super::html::{Percent, function_link, wide};

/// One selector of the table.
struct Column<'a> {
    selector: &'a str,
    highlighted: bool,
}

/// Nothing for fewer than two functions, whose own table says the same.
pub(super) fn section(functions: &[FunctionReport], glossary: &[(String, String)]) -> Markup {
    let columns = columns(functions);
    if functions.len() < 2 || columns.is_empty() {
        return html! {};
    }
    html! {
        section {
            h2 { "Overview" }
            p { "Share of exhaustive search in percent, mean over the test inputs: 100 is the best variant every time." }
            (wide("", "Overview", &table(functions, &columns)))
            (words(&columns, glossary))
        }
    }
}

fn table(functions: &[FunctionReport], columns: &[Column<'_>]) -> Markup {
    html! {
        table.numbers {
            thead {
                tr {
                    th scope="col" { "function" }
                    @for column in columns { th scope="col" class=[column.class()] { (column.selector) } }
                }
            }
            tbody {
                @for function in functions {
                    tr {
                        th scope="row" { (function_link(&function.name)) }
                        @for column in columns { (column.cell(mean(function, column.selector))) }
                    }
                }
            }
            tfoot {
                tr {
                    th scope="row" { "mean" }
                    @for column in columns { (column.cell(mean_of_all(functions, column.selector))) }
                }
            }
        }
    }
}

impl Column<'_> {
    fn class(&self) -> Option<&'static str> {
        self.highlighted.then_some("own")
    }

    fn cell(&self, share: f64) -> Markup {
        html! {
            td class=[self.class()] { (Percent(share)) }
        }
    }
}

/// What the columns are.
fn words(columns: &[Column<'_>], glossary: &[(String, String)]) -> Markup {
    let known = |(name, _): &&(String, String)| columns.iter().any(|column| column.selector == name);
    let mut entries = glossary.iter().filter(known).peekable();
    html! {
        @if entries.peek().is_some() {
            dl.glossary {
                @for (name, words) in entries { div { dt { (name) } dd { (words) } } }
            }
        }
    }
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

/// Over the functions that have the selector.
fn mean_of_all(functions: &[FunctionReport], selector: &str) -> f64 {
    let means = functions.iter().map(|function| mean(function, selector));
    let known: Vec<f64> = means.filter(|mean| mean.is_finite()).collect();
    known.iter().sum::<f64>() / known.len() as f64
}
