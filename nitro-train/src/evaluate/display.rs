//! The evaluation as plain text.

use std::fmt;

use super::evaluation::{DeviceEvaluation, Evaluation};
use super::figures::{Figures, selector_names};
use crate::learn::{DeviceFeatures, Strategy};
use crate::plain_table::Table;

/// Before a figure over some devices only.
const PARTIAL: &str = "*";

/// A column head, short enough for a terminal.
fn head(selector: &'static str) -> &'static str {
    match selector {
        "best-single-feature" => "single",
        "target-trained" => "target",
        _ => selector.parse().map_or(selector, Strategy::short_name),
    }
}

impl fmt::Display for Evaluation {
    /// One row a held-out device with the mean of each selector in percent of exhaustive search, then over all devices
    /// the mean, the mean 5th percentile and the worst; those of a selector that does not apply to some devices are marked.
    /// A width, as in `{evaluation:80}`, is the most columns that the table may take.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, train_inputs, test_inputs, .. } = self;
        writeln!(
            f,
            "{function}: % of exhaustive search, {train_inputs} training and {test_inputs} test inputs"
        )?;
        let heads = selector_names().map(head);
        let heading = std::iter::once("held-out device").chain(heads).chain(["auto is"]);
        let mut table = Table::new(heading).ending_in_text();
        for device in &self.devices {
            let mut row = row(&device.held_out, std::slice::from_ref(device), |figures| figures.mean, mean);
            row.push(format!("{}{}", device.auto_is, remark(device)));
            table.row(row);
        }
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        table.row(row("mean", &self.devices, |figures| figures.mean, mean));
        table.row(row("mean of 5th pct", &self.devices, |figures| figures.p05, mean));
        table.row(row("worst", &self.devices, |figures| figures.worst, least));
        table.fmt(f)?;
        if selector_names().any(|selector| self.is_partial(selector)) {
            writeln!(f, "{PARTIAL} over the devices that the selector applies to")?;
        }
        writeln!(f, "{}", self.sensitivity)
    }
}

impl Evaluation {
    /// Whether the selector applies to some devices and not to others.
    fn is_partial(&self, selector: &str) -> bool {
        let applies = |device: &DeviceEvaluation| device.selectors.get(selector).is_some();
        self.devices.iter().any(applies) && !self.devices.iter().all(applies)
    }
}

/// The name, and for each selector its figures on the devices joined, in percent.
fn row(
    name: &str,
    devices: &[DeviceEvaluation],
    value: fn(&Figures) -> f64,
    join: fn(&[f64]) -> f64,
) -> Vec<String> {
    let cell = |selector| {
        let figures = devices.iter().filter_map(|device| device.selectors.get(selector));
        let values: Vec<f64> = figures.map(|figures| value(&figures)).collect();
        match values.len() {
            0 => "-".to_owned(),
            some => {
                let mark = if some < devices.len() { PARTIAL } else { "" };
                format!("{mark}{:.1}", 100.0 * join(&values))
            }
        }
    };
    std::iter::once(name.to_owned()).chain(selector_names().map(cell)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn remark(device: &DeviceEvaluation) -> String {
    let features = device.device_features.get(device.auto_is).map(|features| features.join(", "));
    let is_selected = device.auto_is.ends_with(DeviceFeatures::CrossValidation.name());
    let features = match features {
        Some(features) if is_selected && !features.is_empty() => format!(" ({features})"),
        _ => String::new(),
    };
    let left_out = match device.left_out {
        0 => String::new(),
        count => format!(" [{count} test inputs left out]"),
    };
    features + &left_out
}
