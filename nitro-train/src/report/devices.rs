//! The devices that were recorded, with their features and how far apart they are.
//!
//! As in Muralidharan et al., ASPLOS 2016, Table 1.

use maud::{Markup, html};
use nitro_page::{name, number, wide};

use super::data::{DeviceTable, Quantity};
use super::device::Labels;
use super::html::like;
use super::machine::readable;
use super::matrix::{Style, table};

/// Returns the section about the recorded devices.
pub(super) fn section(tables: &[DeviceTable]) -> Markup {
    html! {
        @if tables.iter().any(|table| !table.features.is_empty()) {
            section {
                h2 { "Devices" }
                p {
                    "What is known of the devices that were recorded; selectors may learn from it. Features that are \
                     the same on all devices tell nothing and stand below the table." (like("Table 1"))
                }
                @for table in tables.iter().filter(|table| !table.features.is_empty()) { (part(table)) }
            }
        }
    }
}

/// Returns the tables of one sort of device.
fn part(devices: &DeviceTable) -> Markup {
    let (same, different): (Vec<_>, Vec<_>) = devices
        .features
        .iter()
        .partition(|(_, values)| values.len() > 1 && values.iter().all(|value| *value == values[0]));
    html! {
        @if !different.is_empty() { (wide("", "Device features", &features(devices, &different))) }
        @if !same.is_empty() {
            p.same {
                "The same on all " (devices.devices.len()) ": "
                @for (index, (quantity, values)) in same.iter().enumerate() {
                    @if index > 0 { ", " }
                    (name(&quantity.name)) " " (value(quantity, values[0]))
                }
                "."
            }
        }
        (distances(devices))
    }
}

fn features(devices: &DeviceTable, rows: &[&(Quantity, Vec<f64>)]) -> Markup {
    let labels = Labels::new(devices.devices.iter().map(String::as_str));
    html! {
        table.numbers.upright.features {
            thead {
                tr {
                    th scope="col" { "device feature" }
                    @for device in &devices.devices { th scope="col" { span { (labels.of(device)) } } }
                }
            }
            tbody {
                @for (quantity, values) in rows {
                    tr {
                        th scope="row" { (name(&quantity.name)) }
                        @for &one in values { td { (value(quantity, one)) } }
                    }
                }
            }
        }
    }
}

fn value(quantity: &Quantity, value: f64) -> Markup {
    let (value, unit) = readable(value, &quantity.unit);
    html! {
        (number(value))
        @if value.is_finite() && !unit.is_empty() { " " span.unit { (unit) } }
    }
}

fn distances(devices: &DeviceTable) -> Markup {
    let most = devices.distances.cells.iter().flatten().flatten().copied().fold(0.0, f64::max);
    let style = Style {
        label: "Distances between devices",
        corner: "distance",
        class: "warm",
        range: (0.0, most.max(f64::MIN_POSITIVE)),
        text: |distance| format!("{distance:.2}"),
    };
    html! {
        @if devices.distances.devices.len() > 1 {
            p {
                "How far apart they are by all these features, each scaled to a range of 2, root mean square: 0 is \
                 the same device, 2 is opposite in everything. A device far from all others is the one of which the \
                 others tell least."
            }
            (table(&devices.distances, &style, &[]))
        }
    }
}
