//! The dependence of the best variant on the device, all functions side by side.
//!
//! As in Muralidharan et al., ASPLOS 2016, Figure 4.

use maud::{Markup, html};
use nitro_page::{Percent, columns, wide, width};

use super::data::{DeviceSensitivity, FunctionReport};
use super::html::{bar_scale, function_link, like};

/// Returns the section about how much the best variant depends on the device.
pub(super) fn section(functions: &[FunctionReport]) -> Markup {
    if functions.iter().all(|function| function.sensitivity.is_none()) {
        return html! {};
    }
    let table = html! {
        table.numbers.shares {
            thead {
                tr {
                    (columns(&["function", "best differs, %"]))
                    (bar_scale())
                    (columns(&["none is near, %", "test inputs"]))
                }
            }
            tbody {
                @for function in functions {
                    @if let Some(sensitivity) = &function.sensitivity { (row(&function.name, sensitivity)) }
                }
            }
        }
    };
    html! {
        section {
            h2 { "How much hangs on the device" }
            p {
                "Share of the test inputs whose best variant is not the same on all devices, and of those (dark) for \
                 which no single variant comes within 5\u{a0}% of the best on all of them." (like("Figure 4"))
            }
            (wide("bars", "How much hangs on the device", &table))
        }
    }
}

fn row(name: &str, sensitivity: &DeviceSensitivity) -> Markup {
    let DeviceSensitivity { inputs, best_differs, none_is_near, .. } = *sensitivity;
    let (share, inner) = (width(best_differs), width(none_is_near / best_differs));
    html! {
        tr style={ "--share:" (share) "%;--inner:" (inner) "%" } {
            th scope="row" { (function_link(name)) }
            td { (Percent(best_differs)) }
            td.bar aria-hidden="true" { span { i {} } }
            td { (Percent(none_is_near)) }
            td { (inputs) }
        }
    }
}
