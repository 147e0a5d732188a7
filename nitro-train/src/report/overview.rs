//! The overview of all functions and selectors: the figures that a reader needs first, the others on demand.

use maud::{Markup, html};
use nitro_page::{Percent, on_demand, wide};
use nitro_stats::statistics;

use super::data::FunctionReport;
use super::dots::{Dots, Row, figure};
use super::html::function_link;
use super::series::{FIRST, heading, styles};

/// A selector of the table.
#[derive(Clone, Copy)]
struct Column<'a> {
    selector: &'a str,
    highlighted: bool,
}

/// Returns nothing for fewer than two functions, whose own table says the same.
pub(super) fn section(functions: &[FunctionReport]) -> Markup {
    let all = columns(functions);
    if functions.len() < 2 || all.is_empty() {
        return html! {};
    }
    let first = first(&all);
    html! {
        section {
            h2 { "All functions" }
            p { "Share of exhaustive search in percent, mean over the test inputs and devices: 100 is the best \
                variant every time." }
            (dots(functions, &first))
            (wide("", "All functions", &table(functions, &first)))
            @if all.len() > first.len() {
                (on_demand("All selectors", &wide("", "All selectors", &transposed(functions, &all))))
            }
        }
    }
}

/// Returns the columns shown at once; all, where a page has other selectors.
fn first<'a>(all: &[Column<'a>]) -> Vec<Column<'a>> {
    let mut first: Vec<Column<'a>> = Vec::new();
    for (name, _) in FIRST {
        first.extend(all.iter().find(|column| column.selector == name));
    }
    if first.iter().any(|column| column.highlighted) { first } else { all.to_vec() }
}

fn dots(functions: &[FunctionReport], columns: &[Column<'_>]) -> Markup {
    let names: Vec<&str> = columns.iter().map(|column| column.selector).collect();
    // What is drawn last is what the page is about, whichever column it has.
    let mut order: Vec<usize> = (0..names.len()).filter(|&at| names[at] != "random").collect();
    order.sort_by_key(|&at| !columns[at].highlighted); // stable
    let all_styles = styles(&names);
    let mut rows = Vec::new();
    for function in functions {
        let shares =
            order.iter().map(|&at| Some(mean(function, names[at])).filter(|share| share.is_finite()));
        rows.push(Row {
            label: function_link(&function.name),
            name: function.name.clone(),
            shares: shares.collect(),
        });
    }
    let selectors: Vec<(String, usize)> =
        order.iter().map(|&at| (heading(names[at]).to_owned(), all_styles[at])).collect();
    figure(&Dots {
        what: "All functions, percent of exhaustive search",
        outside: order.iter().position(|&at| names[at] == "static"),
        selectors: &selectors,
        rows: &rows,
    })
}

fn table(functions: &[FunctionReport], columns: &[Column<'_>]) -> Markup {
    html! {
        table.numbers {
            thead {
                tr {
                    th scope="col" { "function" }
                    @for column in columns {
                        th scope="col" class=[column.class()] { (heading(column.selector)) }
                    }
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

/// Returns the table with a row a selector: there are many of them.
fn transposed(functions: &[FunctionReport], columns: &[Column<'_>]) -> Markup {
    html! {
        table.numbers.upright {
            thead {
                tr {
                    th scope="col" { "selector" }
                    th scope="col" { "mean" }
                    @for function in functions { th scope="col" { span { (function_link(&function.name)) } } }
                }
            }
            tbody {
                @for column in columns {
                    tr class=[column.class()] {
                        th scope="row" { (column.selector) }
                        td { (Percent(mean_of_all(functions, column.selector))) }
                        @for function in functions { td { (Percent(mean(function, column.selector))) } }
                    }
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

/// Returns one column a selector, in the order of first appearance.
fn columns(functions: &[FunctionReport]) -> Vec<Column<'_>> {
    let mut columns: Vec<Column<'_>> = Vec::new();
    for column in functions.iter().flat_map(columns_of) {
        if !columns.iter().any(|known| known.selector == column.selector) {
            columns.push(column);
        }
    }
    columns
}

/// Returns the columns of one function: its selectors on this machine, or else those on devices left out.
fn columns_of(function: &FunctionReport) -> Vec<Column<'_>> {
    if let (Some(held_out), true) = (&function.held_out, function.scores.is_empty()) {
        let selectors = held_out.selectors.iter();
        return selectors.map(|selector| Column { selector, highlighted: selector == "auto" }).collect();
    }
    let scores = function.scores.iter();
    scores.map(|score| Column { selector: &score.selector, highlighted: score.highlighted }).collect()
}

/// Returns the share of a selector on this machine, or else over the devices left out.
fn mean(function: &FunctionReport, selector: &str) -> f64 {
    function.share_of(selector).unwrap_or(f64::NAN)
}

impl FunctionReport {
    /// Returns the mean share of a selector on this machine, or else over the devices left out.
    pub(super) fn share_of(&self, selector: &str) -> Option<f64> {
        match self.scores.as_slice() {
            [] => self.held_out.as_ref()?.mean_of(selector),
            scores => scores.iter().find(|score| score.selector == selector).map(|score| score.mean),
        }
    }
}

/// Returns the mean over the functions that have the selector.
fn mean_of_all(functions: &[FunctionReport], selector: &str) -> f64 {
    let means = functions.iter().map(|function| mean(function, selector));
    statistics::mean(means.filter(|mean| mean.is_finite())).unwrap_or(f64::NAN)
}
