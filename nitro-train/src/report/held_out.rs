//! The leave-one-device-out table: the selectors that a reader needs first, and all of them on demand.

use maud::{Markup, html};
use nitro_page::{columns, on_demand, wide};
use nitro_stats::statistics;

use super::data::{HeldOut, HeldOutDevice};
use super::device::Labels;
use super::dots::{Dots, Row, figure};
use super::matrix::cell;
use super::series::{FIRST, heading, styles};

/// Shares up to the first have no tint; the range above is what tells selectors apart.
pub(super) const RANGE: (f64, f64) = (0.75, 1.0);

const PARTIAL: &str = "*";

/// Returns the part of a function about devices that were left out.
pub(super) fn part(held_out: &HeldOut) -> Markup {
    if held_out.devices.is_empty() {
        return html! {};
    }
    let first = held_out.first();
    html! {
        h3 { "Leaving one device out" }
        p {
            "Each device in turn is unknown to the selectors: they learned on the others. Share of exhaustive search \
             in percent, mean over the test inputs. " em { "Trained there" } " alone knows the device; it is what \
                 measuring everything there would give."
        }
        (dots(held_out, &first))
        (wide("", "Leaving one device out", &table(held_out, &first)))
        @if held_out.selectors.len() > first.len() {
            (on_demand("All selectors, device by device", &html! {
                (super::strategies::bars(held_out))
                (wide("", "All selectors", &all(held_out)))
                (held_out.note())
            }))
        } @else {
            (held_out.note())
        }
    }
}

/// Plots the selectors device by device (Muralidharan et al., ASPLOS 2016, Figure 6).
fn dots(held_out: &HeldOut, columns: &[usize]) -> Markup {
    let labels = held_out.labels();
    let names: Vec<&str> = columns.iter().map(|&column| held_out.selectors[column].as_str()).collect();
    let mut rows = Vec::new();
    for device in &held_out.devices {
        rows.push(Row {
            label: labels.of(&device.device),
            name: device.device.clone(),
            shares: columns.iter().map(|&column| device.mean(column)).collect(),
        });
    }
    let selectors = names.iter().zip(styles(&names)).map(|(name, style)| (heading(name).to_owned(), style));
    figure(&Dots {
        what: "Leaving one device out, percent of exhaustive search",
        selectors: &selectors.collect::<Vec<_>>(),
        outside: names.iter().position(|name| *name == "static"),
        rows: &rows,
    })
}

/// Returns the table of some selectors, with a row a device.
fn table(held_out: &HeldOut, columns: &[usize]) -> Markup {
    let labels = held_out.labels();
    html! {
        table.numbers.heat {
            thead {
                tr {
                    th scope="col" { "device left out" }
                    @for &column in columns {
                        th scope="col" { (heading(&held_out.selectors[column])) (held_out.mark(column)) }
                    }
                }
            }
            tbody {
                @for device in &held_out.devices {
                    tr {
                        th scope="row" { (labels.of(&device.device)) }
                        @for &column in columns { (cell(device.mean(column), RANGE)) }
                    }
                }
            }
            tfoot {
                tr {
                    th scope="row" { "mean" }
                    @for &column in columns { (cell(held_out.mean(column), RANGE)) }
                }
            }
        }
    }
}

/// Returns the table of all selectors, with a row each: there are more of them than devices.
fn all(held_out: &HeldOut) -> Markup {
    let labels = held_out.labels();
    html! {
        table.numbers.heat.upright {
            thead {
                tr {
                    (columns(&["selector", "mean"]))
                    @for device in &held_out.devices { th scope="col" { span { (labels.of(&device.device)) } } }
                }
            }
            tbody {
                @for (column, selector) in held_out.selectors.iter().enumerate() {
                    tr.own[selector == "auto"] {
                        th scope="row" { (selector) (held_out.mark(column)) }
                        (cell(held_out.mean(column), RANGE))
                        @for device in &held_out.devices { (cell(device.mean(column), RANGE)) }
                    }
                }
            }
        }
    }
}

impl HeldOutDevice {
    /// Returns the mean share of the selector of a column; none where it does not apply.
    fn mean(&self, column: usize) -> Option<f64> {
        self.means.get(column).copied().flatten()
    }
}

impl HeldOut {
    /// Returns the labels of the devices that were left out.
    pub(super) fn labels(&self) -> Labels<'_> {
        Labels::new(self.devices.iter().map(|device| device.device.as_str()))
    }

    /// Returns the columns that a reader needs first, as far as there are any; else all.
    pub(super) fn first(&self) -> Vec<usize> {
        let first: Vec<usize> = FIRST.iter().filter_map(|(name, _)| self.column(name)).collect();
        if first.is_empty() { (0..self.selectors.len()).collect() } else { first }
    }

    /// Returns the mean of a column over the devices that the selector applies to.
    pub(super) fn mean(&self, column: usize) -> Option<f64> {
        statistics::mean(self.devices.iter().filter_map(|device| device.mean(column)))
    }

    /// Returns the column of a selector.
    fn column(&self, selector: &str) -> Option<usize> {
        self.selectors.iter().position(|own| own == selector)
    }

    /// Returns the mean of a selector over the devices that it applies to.
    pub(super) fn mean_of(&self, selector: &str) -> Option<f64> {
        self.mean(self.column(selector)?)
    }

    /// Returns true for a column whose selector applies to some devices and not to others.
    fn is_partial(&self, column: usize) -> bool {
        let applicable = self.devices.iter().filter(|device| device.mean(column).is_some()).count();
        (1..self.devices.len()).contains(&applicable)
    }

    /// Returns the mark behind the name of a selector whose mean is over some devices only.
    pub(super) fn mark(&self, column: usize) -> &'static str {
        if self.is_partial(column) { PARTIAL } else { "" }
    }

    /// Explains the marks, where there are any.
    fn note(&self) -> Markup {
        let any = (0..self.selectors.len()).any(|column| self.is_partial(column));
        html! {
            @if any { p { (PARTIAL) " It does not apply to every device here; the mean is over those that it applies \
                to." } }
        }
    }

    /// Returns the figure of one selector on one device.
    pub(super) fn on(&self, device: &HeldOutDevice, selector: &str) -> Option<f64> {
        device.mean(self.column(selector)?)
    }

    /// Returns the figure of one selector on the device of this name.
    pub(super) fn on_named(&self, device: &str, selector: &str) -> Option<f64> {
        self.on(self.devices.iter().find(|own| own.device == device)?, selector)
    }

    /// Returns the figures of one selector, one a device that it applies to.
    pub(super) fn of(&self, selector: &str) -> Vec<f64> {
        self.devices.iter().filter_map(|device| self.on(device, selector)).collect()
    }
}
