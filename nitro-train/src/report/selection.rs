//! The selected device features, and the time that the selection takes (Muralidharan et al., ASPLOS 2016, Tables 5 and
//! 6).

use maud::{Markup, html};
use nitro_page::{Nanoseconds, Percent, columns, list, wide};

use super::data::{FunctionReport, Selection};
use super::html::{function_link, like};

/// Compares the times of all functions.
pub(super) fn section(functions: &[FunctionReport]) -> Markup {
    let selections =
        functions.iter().filter_map(|function| Some((&function.name, function.selection.as_ref()?)));
    let mut selections = selections.peekable();
    html! {
        @if selections.peek().is_some() {
            section {
                h2 { "What learning costs" }
                p {
                    "Seconds on the machine that made this page, from the recordings of all devices: device features \
                     by hardware counters (P-DFS), by cross-validation over all subsets (CV-DFS), and a whole "
                    code { "train fit" } ", which tries every strategy on devices left out in turn." (like("Table 6"))
                }
                (wide("", "What learning costs", &html! {
                    table.numbers {
                        thead { tr { (columns(&["function", "P-DFS", "CV-DFS", "whole fit", "ships"])) } }
                        tbody { @for (name, selection) in selections { (row(name, selection)) } }
                    }
                }))
            }
        }
    }
}

fn row(function: &str, selection: &Selection) -> Markup {
    let seconds = selection.seconds;
    html! {
        tr {
            th scope="row" { (function_link(function)) }
            td { (Nanoseconds(1e9 * seconds.profile_based)) }
            td { (Nanoseconds(1e9 * seconds.cross_validation)) }
            td { (Nanoseconds(1e9 * seconds.fit)) }
            td { (selection.strategy) }
        }
    }
}

/// Returns the selection of one function.
pub(super) fn part(selection: &Selection) -> Markup {
    html! {
        h3 { "Device features selected" }
        p {
            "From all recorded devices " code { "fit" } " ships " strong { (selection.strategy) }
            @match selection.device_features.as_slice() {
                [] => ", which asks nothing of the device.",
                features => { ", which looks at " (list(features)) "." },
            }
            (like("Table 5"))
        }
        dl.selection {
            @if let Some(proxies) = &selection.proxies {
                dt { "Proxies that variants resemble (P-DFS)" }
                dd {
                    @for (index, (proxy, variants)) in proxies.iter().enumerate() {
                        @if index > 0 { ", " }
                        code { (proxy) } " (" (variants) @if *variants == 1 { " variant)" } @else { " variants)" }
                    }
                }
                dt { "Device features of those proxies" }
                dd { (or_none(&selection.profiled_features)) }
            }
            dt {
                "Taken by cross-validation (CV-DFS with the learner " (selection.selected_with) ", subsets of at most "
                (selection.subset_size) ", most frequent winners: " (selection.keep) ")"
            }
            dd { (or_none(&selection.selected_features)) }
        }
        @if !selection.subsets.is_empty() { (wide("", "Best subsets", &subsets(selection))) }
    }
}

fn or_none(features: &[String]) -> Markup {
    if features.is_empty() {
        html! { span.little { "none" } }
    } else {
        list(features)
    }
}

fn subsets(selection: &Selection) -> Markup {
    html! {
        table.numbers.subsets {
            thead { tr { (columns(&["best subsets of device features, from device to device", "% of exhaustive"])) } }
            tbody {
                @for (features, share) in &selection.subsets {
                    tr {
                        th scope="row" { (or_none(features)) }
                        td { (Percent(*share)) }
                    }
                }
            }
        }
    }
}
