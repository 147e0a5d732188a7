//! The inputs on which most was lost, by name.

use maud::{Markup, html};
use nitro_page::{Percent, columns, name, wide};

use super::data::WorstInput;
use super::device::Labels;

/// Returns the worst inputs; nothing where no choice is far from the best.
pub(super) fn part(worst: &[WorstInput], devices: usize) -> Markup {
    if worst.is_empty() {
        return html! {};
    }
    html! {
        h3 { "Worst inputs" }
        p {
            "The test inputs on which the choices lost most, each with the device where they did; all below 95 % of \
             exhaustive search. An input that is here on many devices has something that no feature tells."
        }
        (wide("", "Worst inputs", &table(worst, devices)))
    }
}

fn table(worst: &[WorstInput], devices: usize) -> Markup {
    let labels = Labels::new(worst.iter().map(|worst| worst.device.as_str()));
    html! {
        table.numbers.worst {
            thead {
                tr {
                    (columns(&["input", "share, %"]))
                    th.text scope="col" { "chosen" }
                    th.text scope="col" { "best" }
                    th.text scope="col" { "device" }
                    @if devices > 1 { th scope="col" { "devices of " (devices) } }
                }
            }
            tbody {
                @for one in worst {
                    tr {
                        th scope="row" { (name(&one.input)) }
                        td { (Percent(one.share)) }
                        td.text { (name(&one.chosen)) }
                        td.text { (name(&one.best)) }
                        td.text { (labels.of(&one.device)) }
                        @if devices > 1 { td { (one.devices) } }
                    }
                }
            }
        }
    }
}
