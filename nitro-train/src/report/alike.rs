//! The similarity of devices (Muralidharan et al., ASPLOS 2016, Table 2 and Figure 5).

use maud::{Markup, html};
use nitro_page::{Percent, columns, wide, width};

use super::data::{DeviceSensitivity, Matrix};
use super::html::{bar_scale, like};
use super::matrix::{Style, percent, table};

/// Returns the part of a function about how alike devices are.
pub(super) fn part(sensitivity: &DeviceSensitivity) -> Markup {
    let same = Style {
        label: "Share of the test inputs whose best variant is the same",
        corner: "same best variant, %",
        class: "warm",
        range: (0.0, 1.0),
        text: percent,
    };
    let anothers = Style {
        label: "What the best variants of another device achieve",
        corner: "best on ↓, run on →",
        class: "",
        range: super::held_out::RANGE,
        text: percent,
    };
    html! {
        h3 { "How alike the devices are" }
        p {
            "The best variant differs between the devices on " (Percent(sensitivity.best_differs)) "\u{a0}% of "
            (sensitivity.inputs) " test inputs; on " (Percent(sensitivity.none_is_near)) "\u{a0}% no variant is \
                within 5\u{a0}% of the best everywhere." (like("Figure 4"))
        }
        (machines(sensitivity))
        @if sensitivity.pairs.devices.len() > 1 {
            p {
                "Two devices at a time, the share of the test inputs whose best variant is the same:"
                (like("Table 2"))
            }
            (table(&complement(&sensitivity.pairs), &same, &[]))
        }
        @if sensitivity.best_of_another.devices.len() > 1 {
            p { "What it costs to run, input by input, what is best on another device; percent of exhaustive search:" }
            (table(&sensitivity.best_of_another, &anothers, &[]))
        }
    }
}

/// Returns the share of what is the same, from that of what differs.
fn complement(matrix: &Matrix) -> Matrix {
    let mut same = matrix.clone();
    for share in same.cells.iter_mut().flatten().flatten() {
        *share = 1.0 - *share;
    }
    same
}

/// Compares the devices within machines with all devices.
fn machines(sensitivity: &DeviceSensitivity) -> Markup {
    let DeviceSensitivity { best_differs, none_is_near, pairs, machines, .. } = sensitivity;
    if machines.is_empty() {
        return html! {};
    }
    let all = ("all devices".to_owned(), pairs.devices.len(), *best_differs, *none_is_near);
    let table = html! {
        table.numbers.shares {
            thead {
                tr {
                    (columns(&["among the devices of", "devices", "best differs, %"]))
                    (bar_scale())
                    (columns(&["none is near, %"]))
                }
            }
            tbody { @for machine in machines.iter().chain([&all]) { (row(machine)) } }
        }
    };
    html! {
        p { "Within a machine or chip, and between them:" (like("Figure 5, where the groups are generations")) }
        (wide("bars", "Within machines", &table))
    }
}

fn row((machine, devices, differs, apart): &(String, usize, f64, f64)) -> Markup {
    html! {
        tr style={ "--share:" (width(*differs)) "%;--inner:" (width(apart / differs)) "%" } {
            th scope="row" { (machine) }
            td { (devices) }
            td { (Percent(*differs)) }
            td.bar aria-hidden="true" { span { i {} } }
            td { (Percent(*apart)) }
        }
    }
}
