//! The words of the page: what is measured, and what the selectors are.

use maud::{Markup, html};

use super::data::{FunctionReport, ReportData};
use super::series::heading;

/// Words of figures and tables that are no selectors.
const WORDS: [(&str, &str); 5] = [
    (
        "exhaustive search",
        "the best variant of every input on every device, found by running them all: 100 %",
    ),
    (
        "share",
        "time of the best variant by time of the chosen one, on one input; a variant that failed counts as 0",
    ),
    (
        "device left out",
        "a device whose measurements no selector was allowed to see: it stands for one that nobody measured",
    ),
    ("input feature", "a number that is computed from the arguments of a call, such as a length"),
    ("device feature", "a number that describes a device, such as its memory bandwidth"),
];

/// Returns the glossary, last on the page, since whoever knows the words needs none of it.
pub(super) fn section(data: &ReportData) -> Markup {
    let entries =
        data.glossary.iter().filter(|(name, _)| data.functions.iter().any(|function| shows(function, name)));
    html! {
        @if !data.functions.is_empty() {
            section {
                h2 { "Glossary" }
                dl.glossary {
                    @for (word, meaning) in WORDS { div { dt { (word) } dd { (meaning) } } }
                    @for (name, words) in entries {
                        div {
                            dt { (name) }
                            dd {
                                @if heading(name) != name { "“" (heading(name)) "”: " }
                                (words)
                            }
                        }
                    }
                }
                p.like-note {
                    "Figures and tables in brackets are those of Muralidharan, Roy, Hall, Garland and Rai, "
                    cite { "Architecture-Adaptive Code Variant Tuning" } " (ASPLOS 2016), of which this page shows \
                        the like."
                }
            }
        }
    }
}

fn shows(function: &FunctionReport, selector: &str) -> bool {
    let held_out = function.held_out.as_ref();
    held_out.is_some_and(|held_out| held_out.selectors.iter().any(|own| own == selector))
        || function.scores.iter().any(|score| score.selector == selector)
}
