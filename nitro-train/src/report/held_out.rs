//! The leave-one-device-out table as a heat map, with the numbers in it.

use super::data::{HeldOut, HeldOutDevice};
use super::device::Labels;
use super::html::{Escaped, wide};
use super::matrix::cell;

/// Shares up to the first have no tint; the range above is what tells selectors apart.
pub(super) const RANGE: (f64, f64) = (0.75, 1.0);

const PARTIAL: &str = "*";
const PARTIAL_NOTE: &str =
    "<p>* It does not apply to every device here; the mean is over those that it applies to.</p>\n";

pub(super) fn part(held_out: &HeldOut) -> String {
    if held_out.devices.is_empty() {
        return String::new();
    }
    let columns = held_out.selectors.iter().enumerate();
    let head: String = columns
        .map(|(column, name)| format!("<th scope=\"col\">{}{}</th>", Escaped(name), held_out.mark(column)))
        .collect();
    let labels = Labels::new(held_out.devices.iter().map(|device| device.device.as_str()));
    let rows: String = held_out.devices.iter().map(|device| row(device, &labels)).collect();
    let open = wide("", "Leaving one device out");
    format!(
        "<h3>Leaving one device out</h3>\n<p>Each device in turn is unknown to the selectors: they learned on the \
         others. Share of exhaustive search in percent, mean over the test inputs; the stronger the colour, the closer to \
         100.</p>\n{open}<table class=\"numbers heat\">\n<thead><tr>\
         <th scope=\"col\">device left out</th>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n\
         <tfoot><tr><th scope=\"row\">mean</th>{means}</tr></tfoot>\n</table></div>\n{note}",
        means = means(held_out),
        note = held_out.note(),
    )
}

fn row(device: &HeldOutDevice, labels: &Labels<'_>) -> String {
    let cells: String = device.means.iter().map(|&mean| cell(mean, RANGE)).collect();
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", labels.of(&device.device))
}

/// Over the devices that a selector applies to.
fn means(held_out: &HeldOut) -> String {
    (0..held_out.selectors.len()).map(|column| cell(held_out.mean(column), RANGE)).collect()
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
    pub(super) fn note(&self) -> &'static str {
        let any = (0..self.selectors.len()).any(|column| self.is_partial(column));
        if any { PARTIAL_NOTE } else { "" }
    }

    /// The figures of one selector, one a device that it applies to.
    pub(super) fn of(&self, selector: &str) -> Vec<f64> {
        let column = self.selectors.iter().position(|own| own == selector);
        let figure = |row: &HeldOutDevice| row.means.get(column?).copied().flatten();
        self.devices.iter().filter_map(figure).collect()
    }
}
