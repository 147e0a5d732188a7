//! The leave-one-device-out table as a heat map, with the numbers in it.

use maud::{Markup, html};

use super::data::{HeldOut, HeldOutDevice};
use super::device::Labels;
use super::html::wide;
use super::matrix::cell;

/// Shares up to the first have no tint; the range above is what tells selectors apart.
pub(super) const RANGE: (f64, f64) = (0.75, 1.0);

const PARTIAL: &str = "*";

pub(super) fn part(held_out: &HeldOut) -> Markup {
    if held_out.devices.is_empty() {
        return html! {};
    }
    html! {
        h3 { "Leaving one device out" }
        p {
            "Each device in turn is unknown to the selectors: they learned on the others. Share of exhaustive search in percent, \
             mean over the test inputs; the stronger the colour, the closer to 100."
        }
        (wide("", "Leaving one device out", &table(held_out)))
        (held_out.note())
    }
}

fn table(held_out: &HeldOut) -> Markup {
    let labels = Labels::new(held_out.devices.iter().map(|device| device.device.as_str()));
    html! {
        table.numbers.heat {
            thead {
                tr {
                    th scope="col" { "device left out" }
                    @for (column, name) in held_out.selectors.iter().enumerate() {
                        th scope="col" { (name) (held_out.mark(column)) }
                    }
                }
            }
            tbody {
                @for device in &held_out.devices {
                    tr {
                        th scope="row" { (labels.of(&device.device)) }
                        @for &mean in &device.means { (cell(mean, RANGE)) }
                    }
                }
            }
            tfoot {
                tr {
                    th scope="row" { "mean" }
                    @for column in 0..held_out.selectors.len() { (cell(held_out.mean(column), RANGE)) }
                }
            }
        }
    }
}

impl HeldOut {
    /// Mean of a column over the devices that the selector applies to.
    pub(super) fn mean(&self, column: usize) -> Option<f64> {
        let rows = self.devices.iter();
        let known: Vec<f64> = rows.filter_map(|row| row.means.get(column).copied().flatten()).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    }

    /// Whether the selector of a column applies to some devices and not to others.
    fn is_partial(&self, column: usize) -> bool {
        let applies = |row: &HeldOutDevice| row.means.get(column).copied().flatten().is_some();
        self.devices.iter().any(applies) && !self.devices.iter().all(applies)
    }

    /// What follows the name of a selector whose mean is over some devices only.
    pub(super) fn mark(&self, column: usize) -> &'static str {
        if self.is_partial(column) { PARTIAL } else { "" }
    }

    /// What the marks mean, where there are any.
    pub(super) fn note(&self) -> Markup {
        let any = (0..self.selectors.len()).any(|column| self.is_partial(column));
        html! {
            @if any { p { (PARTIAL) " It does not apply to every device here; the mean is over those that it applies to." } }
        }
    }

    /// The figures of one selector, one a device that it applies to.
    pub(super) fn of(&self, selector: &str) -> Vec<f64> {
        let column = self.selectors.iter().position(|own| own == selector);
        let figure = |row: &HeldOutDevice| row.means.get(column?).copied().flatten();
        self.devices.iter().filter_map(figure).collect()
    }
}
