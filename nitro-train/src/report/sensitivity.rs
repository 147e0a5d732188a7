//! How much the best variant depends on the device (Muralidharan et al., ASPLOS 2016, Figures 4 and 5).

use maud::{Markup, html};

use super::data::{DeviceSensitivity, FunctionReport};
use super::html::{Percent, bar_scale, columns, function_link, wide, width};
use super::matrix::{Style, table};

/// All functions side by side.
pub(super) fn section(functions: &[FunctionReport]) -> Markup {
    if functions.iter().all(|function| function.sensitivity.is_none()) {
        return html! {};
    }
    let table = html! {
        table.numbers.shares {
            thead { tr { (columns(&["function", "best differs, %"])) (bar_scale()) (columns(&["none is near, %", "test inputs"])) } }
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
                "Share of the test inputs whose best variant is not the same on all devices, and of those for which no single \
                 variant comes within 5\u{a0}% of the best on all of them."
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

/// One function, devices two by two.
pub(super) fn part(sensitivity: &DeviceSensitivity) -> Markup {
    let style = Style {
        label: "Share of the test inputs whose best variant differs",
        corner: "best variant differs, %",
        class: "warm",
        range: (0.0, 1.0),
    };
    html! {
        h3 { "Sensitivity to the device" }
        p {
            "The best variant differs between the devices on " (Percent(sensitivity.best_differs)) "\u{a0}% of "
            (sensitivity.inputs) " test inputs; on " (Percent(sensitivity.none_is_near)) "\u{a0}% no variant is within 5\u{a0}% of \
             the best everywhere. Below, two devices at a time; the stronger the colour, the more often their best variants differ."
        }
        @if sensitivity.pairs.devices.len() > 1 { (table(&sensitivity.pairs, &style)) }
    }
}
