//! The device features chosen without each device: on demand, as the table is long.

use maud::{Markup, html};
use nitro_page::{columns, list, on_demand, wide};

use super::data::{HeldOut, HeldOutDevice};

/// Returns the part of a function about the device features that were chosen.
pub(super) fn part(held_out: &HeldOut) -> Markup {
    let selectors = selectors(held_out);
    if selectors.is_empty() {
        return html! {};
    }
    html! {
        (on_demand(
            "Device features chosen without each device",
            &wide("", "Device features chosen", &table(held_out, &selectors)),
        ))
    }
}

/// Selectors that choose, in the order of first appearance.
fn selectors(held_out: &HeldOut) -> Vec<&str> {
    let mut selectors = Vec::new();
    for (selector, _) in held_out.devices.iter().flat_map(|device| &device.chosen) {
        if !selectors.contains(&selector.as_str()) {
            selectors.push(selector);
        }
    }
    selectors
}

fn table(held_out: &HeldOut, selectors: &[&str]) -> Markup {
    let labels = held_out.labels();
    html! {
        table.chosen {
            thead { tr { (columns(&["device left out"])) (columns(selectors)) (columns(&["auto is"])) } }
            tbody {
                @for device in &held_out.devices {
                    tr {
                        th scope="row" { (labels.of(&device.device)) }
                        @for selector in selectors { (cell(device, selector)) }
                        td { (device.auto_is) }
                    }
                }
            }
        }
    }
}

fn cell(device: &HeldOutDevice, selector: &str) -> Markup {
    match device.chosen.iter().find(|(own, _)| own == selector) {
        None => html! { td { "–" } },
        Some((_, features)) if features.is_empty() => html! { td.little { "none" } },
        Some((_, features)) => html! { td { (list(features)) } },
    }
}
