//! The approximate variants, and where the figures of the page count them.

use maud::{Markup, html};
use nitro_page::{Percent, choice, columns, wide};

use super::data::ApproximateVariant;

/// Returns the part of a function about approximate variants.
pub(super) fn part(variants: &[ApproximateVariant]) -> Markup {
    if variants.is_empty() {
        return html! {};
    }
    html! {
        h3 { "Approximate variants" }
        p {
            strong { "They run only in calls whose tolerance accepts their error" }
            ", and the figures count them only there: an input that was recorded by a call that does not accept it \
             has them neither as its best variant nor as what a selector chose; what the selector ranks next is \
             counted, as it would run. Calls that accept less than the recorded ones did gain less than the figures \
             say."
        }
        (wide("", "Approximate variants", &table(variants)))
    }
}

fn table(variants: &[ApproximateVariant]) -> Markup {
    html! {
        table.numbers {
            thead {
                tr {
                    (columns(&["variant", "largest relative error", "seen over", "may run on, % of test inputs"]))
                }
            }
            tbody {
                @for ApproximateVariant { variant, approximation, may_run } in variants {
                    tr {
                        th scope="row" { (choice(variant)) }
                        td { (approximation.max_error) }
                        td { (approximation.over.unwrap_or("not said")) }
                        td { @if let Some(share) = may_run { (Percent(*share)) } @else { "–" } }
                    }
                }
            }
        }
    }
}
