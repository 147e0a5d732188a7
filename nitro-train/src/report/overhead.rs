//! The cost of a choice and the benefit of the input features.

use maud::{Markup, html};
use nitro_page::{Nanoseconds, Percent, columns, name, number, wide, width};

use super::data::{Benefit, FunctionReport, MedianAndP90, Overhead, WithFeatures};
use super::html::function_link;

/// Compares the costs of all functions.
pub(super) fn section(functions: &[FunctionReport]) -> Markup {
    html! {
        @if functions.iter().any(|function| function.overhead.is_some()) {
            section {
                h2 { "What a choice costs" }
                p {
                    "Of the selector that would be shipped, medians over the devices left out. A choice was timed on \
                     the machine that made this page, with the features given and nothing remembered: a call like \
                     one of the last ones costs far less than this. The best variant’s time is the median of the \
                     recordings."
                }
                (wide("", "What a choice costs", &costs(functions)))
                (with_features(functions))
            }
        }
    }
}

/// Compares features and selector with the chosen variant, where recordings have the times of features.
fn with_features(functions: &[FunctionReport]) -> Markup {
    let mut rows: Vec<(&str, &WithFeatures)> = Vec::new();
    for function in functions {
        if let Some(own) = function.overhead.as_ref().and_then(|overhead| overhead.with_features.as_ref()) {
            rows.push((&function.name, own));
        }
    }
    let table = html! {
        table.numbers {
            thead {
                tr {
                    (columns(&["function", "features and selector", "nine of ten", "chosen variant", "nine of ten",
                        "of its time, %", "nine of ten, %"]))
                }
            }
            tbody { @for (name, own) in &rows { (row_with_features(name, own)) } }
        }
    };
    html! {
        @if !rows.is_empty() {
            p {
                "With the features, on the devices and inputs left out, when an input is like none of the last ones: \
                 median, and what nine of ten inputs do not exceed. The time of features is that of the recordings; \
                 what a gate decides takes a few nanoseconds. A feature that was computed before the call, with the \
                 input itself, is not in it."
            }
            (wide("", "What features and selector take", &table))
        }
    }
}

fn row_with_features(function: &str, own: &WithFeatures) -> Markup {
    html! {
        tr {
            th scope="row" { (function_link(function)) }
            @for MedianAndP90 { median, p90 } in [own.choosing_ns, own.chosen_ns] {
                td { (Nanoseconds(median)) }
                td { (Nanoseconds(p90)) }
            }
            td { (number(100.0 * own.ratio.median)) }
            td { (number(100.0 * own.ratio.p90)) }
        }
    }
}

fn costs(functions: &[FunctionReport]) -> Markup {
    html! {
        table.numbers {
            thead {
                tr {
                    (columns(&["function", "one choice", "best variant", "choice / variant, %", "model file",
                        "support vectors or tree nodes"]))
                }
            }
            tbody {
                @for function in functions {
                    @if let Some(overhead) = &function.overhead { (cost(&function.name, overhead)) }
                }
            }
        }
    }
}

fn cost(function: &str, overhead: &Overhead) -> Markup {
    let Overhead { model_bytes, parts, choosing_ns, best_variant_ns, .. } = *overhead;
    html! {
        tr {
            th scope="row" { (function_link(function)) }
            td { (Nanoseconds(choosing_ns)) }
            td { (Nanoseconds(best_variant_ns)) }
            td { (number(100.0 * choosing_ns / best_variant_ns)) }
            td { (format_args!("{:.1}", model_bytes / 1024.0)) " " span.unit { "KiB" } }
            td { (parts.map_or("–".to_owned(), number)) }
        }
    }
}

/// Returns the input features of one function, the most useful first.
pub(super) fn part(overhead: &Overhead) -> Markup {
    let mut benefits: Vec<&Benefit> = overhead.benefits.iter().collect();
    benefits.sort_by(|a, b| b.drop.total_cmp(&a.drop));
    let Some(most) = benefits.first().map(|benefit| benefit.drop) else { return html! {} };
    let table = html! {
        table.numbers.shares.benefits {
            thead { tr { (columns(&["feature", "points"])) td.bar-head aria-hidden="true" {} } }
            tbody { @for benefit in benefits { (feature(benefit, most)) } }
        }
    };
    html! {
        h3 { "What the input features bring" }
        p {
            "By how many points the selector that would be shipped falls behind when the values of one feature are \
             shuffled among the test inputs; mean over the devices left out. A feature near 0 could be left out, one \
             below 0 misleads."
        }
        (wide("bars", "What the input features bring", &table))
    }
}

/// Returns a row. The longest bar is the most useful feature's.
fn feature(benefit: &Benefit, most: f64) -> Markup {
    html! {
        tr style={ "--share:" (width(benefit.drop / most)) "%" } {
            th scope="row" { (name(&benefit.feature)) }
            td { (Percent(benefit.drop)) }
            td.bar aria-hidden="true" { span {} }
        }
    }
}
