//! All functions and selectors: a figure and a table of those that a reader needs first, the others on demand.

use maud::{Markup, html};
use nitro_page::{Percent, on_demand, wide};
use nitro_stats::statistics;

use super::data::FunctionReport;
use super::dots::{Dots, Row, figure};
use super::html::function_link;
use super::series::{FIRST, heading, styles};

/// One selector of the table.
#[derive(Clone, Copy)]
struct Column<'a> {
    selector: &'a str,
    highlighted: bool,
}

/// Nothing for fewer than two functions, whose own table says the same.
pub(super) fn section(functions: &[FunctionReport]) -> Markup {
    let all = columns(functions);
    if functions.len() < 2 || all.is_empty() {
        return html! {};
    }
    let first = first(&all);
    html! {
        section {
            h2 { "All functions" }
            p { "Share of exhaustive search in percent, mean over the test inputs and devices: 100 is the best variant every time." }
            (dots(functions, &first))
            (wide("", "All functions", &table(functions, &first)))
            @if all.len() > first.len() {
                (on_demand("All selectors", &wide("", "All selectors", &transposed(functions, &all))))
            }
        }
    }
}

/// Those that are shown at once; where a page has other selectors, all.
fn first<'a>(all: &[Column<'a>]) -> Vec<Column<'a>> {
    let place = |(name, _): &(&str, &str)| all.iter().find(|column| column.selector == *name).copied();
    let first: Vec<Column<'a>> = FIRST.iter().filter_map(place).collect();
    if first.iter().any(|column| column.highlighted) { first } else { all.to_vec() }
}

fn dots(functions: &[FunctionReport], columns: &[Column<'_>]) -> Markup {
    let names: Vec<&str> = columns.iter().map(|column| column.selector).collect();
    // What is drawn last is what the page is about, whichever column it has.
    let mut order: Vec<usize> = (0..names.len()).filter(|&at| names[at] != "random").collect();
    order.sort_by_key(|&at| !columns[at].highlighted); // stable
    let all_styles = styles(&names);
    let row = |function: &FunctionReport| Row {
        label: function_link(&function.name),
        name: function.name.clone(),
        shares: order
            .iter()
            .map(|&at| Some(mean(function, names[at])).filter(|share| share.is_finite()))
            .collect(),
    };
    let selectors: Vec<(String, usize)> =
        order.iter().map(|&at| (heading(names[at]).to_owned(), all_styles[at])).collect();
    figure(&Dots {
        what: "All functions, percent of exhaustive search",
        outside: order.iter().position(|&at| names[at] == "static"),
        selectors: &selectors,
        rows: &functions.iter().map(row).collect::<Vec<_>>(),
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

/// With a row a selector: there are many of them.
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
    let share = match function.scores.as_slice() {
        [] => function.held_out.as_ref().and_then(|held_out| held_out.mean_of(selector)),
        scores => scores.iter().find(|score| score.selector == selector).map(|score| score.mean),
    };
    share.unwrap_or(f64::NAN)
}

/// Over the functions that have the selector.
fn mean_of_all(functions: &[FunctionReport], selector: &str) -> f64 {
    let means = functions.iter().map(|function| mean(function, selector));
    statistics::mean(means.filter(|mean| mean.is_finite())).unwrap_or(f64::NAN)
}
