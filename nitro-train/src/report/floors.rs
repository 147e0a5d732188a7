//! How near the best times of a function are to what its devices allow.

use maud::{Markup, html};
use nitro_page::{Percent, columns, wide};
use nitro_stats::statistics::quantile;

use super::data::DeviceFloors;

/// Returns the part of a function about its floors.
pub(super) fn part(floors: &[DeviceFloors]) -> Markup {
    if floors.is_empty() {
        return html! {};
    }
    html! {
        h3 { "What the devices allow" }
        p {
            "No code takes less for an input than its floor: the bytes that have to be moved and the work that has to \
             be done, at the rates of the device. The best time of an input has so much of the floor's speed; nothing \
             is faster than 100\u{a0}%."
        }
        (wide("", "What the devices allow", &table(floors)))
        @for wrong in floors.iter().filter_map(|own| own.wrong.as_ref()) { p { strong { (wrong.to_string()) } } }
    }
}

fn table(floors: &[DeviceFloors]) -> Markup {
    html! {
        table.numbers {
            thead { tr { (columns(&["device", "inputs", "nearest, %", "median, %", "farthest, %", "limited by"])) } }
            tbody {
                @for own in floors {
                    tr {
                        th scope="row" { (own.device) }
                        td { (own.shares.len()) }
                        @for fraction in [1.0, 0.5, 0.0] { td { (Percent(quantile(&own.shares, fraction))) } }
                        td { (limits(own)) }
                    }
                }
            }
        }
    }
}

/// Returns what allows no less, with the number of inputs where it is several.
fn limits(floors: &DeviceFloors) -> String {
    let all: Vec<String> = match floors.limits.len() {
        1 => floors.limits.keys().cloned().collect(),
        _ => floors.limits.iter().map(|(limit, inputs)| format!("{limit} {inputs}")).collect(),
    };
    all.join(", ")
}
