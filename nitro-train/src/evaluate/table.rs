//! The evaluation as plain text.

use std::fmt;

use super::figures::{Figures, selector_names};
use super::{DeviceEvaluation, Evaluation};
use crate::learn::DeviceFeatures;

/// Width of a column.
const WIDTH: usize = 10;
/// Before a figure over some devices only.
const PARTIAL: &str = "*";

/// A column head, short enough for a terminal.
fn head(selector: &str) -> String {
    let short = [
        ("cross-validation", "cv"),
        ("weighted", "w"),
        ("best-single-feature", "single"),
        ("target-trained", "target"),
    ];
    short.iter().fold(selector.to_owned(), |head, (long, short)| head.replace(long, short))
}

impl fmt::Display for Evaluation {
    /// One row a held-out device with the mean of each selector in percent of exhaustive search, then over all devices
    /// the mean, the mean 5th percentile and the worst; those of a selector that does not apply to some devices are marked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, train_inputs, test_inputs, .. } = self;
        writeln!(
            f,
            "{function}: % of exhaustive search, {train_inputs} training and {test_inputs} test inputs"
        )?;
        let names = self.devices.iter().map(|device| device.held_out.chars().count());
        let width = names.chain(["held-out device".len()]).max().unwrap_or(0);
        write!(f, "{:width$}", "held-out device")?;
        selector_names().try_for_each(|selector| write!(f, " {:>WIDTH$}", head(selector)))?;
        writeln!(f, "  auto is")?;
        for device in &self.devices {
            self.row(f, width, &device.held_out, std::slice::from_ref(device), |figures| figures.mean, mean)?;
            writeln!(f, "  {}{}", device.auto_is, remark(device))?;
        }
        self.row(f, width, "mean", &self.devices, |figures| figures.mean, mean)?;
        writeln!(f)?;
        self.row(f, width, "mean of 5th pct", &self.devices, |figures| figures.p05, mean)?;
        writeln!(f)?;
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        self.row(f, width, "worst", &self.devices, |figures| figures.worst, least)?;
        writeln!(f)?;
        if selector_names().any(|selector| self.is_partial(selector)) {
            writeln!(f, "{PARTIAL} over the devices that the selector applies to")?;
        }
        writeln!(f, "{}", self.sensitivity)
    }
}

impl Evaluation {
    fn row(
        &self,
        f: &mut fmt::Formatter<'_>,
        width: usize,
        name: &str,
        devices: &[DeviceEvaluation],
        value: fn(&Figures) -> f64,
        join: fn(&[f64]) -> f64,
    ) -> fmt::Result {
        write!(f, "{name:width$}")?;
        for selector in selector_names() {
            let figures = devices.iter().filter_map(|device| device.selectors.get(selector));
            let values: Vec<f64> = figures.map(|figures| value(&figures)).collect();
            match values.as_slice() {
                [] => write!(f, " {:>WIDTH$}", "-")?,
                values => {
                    let mark = if values.len() < devices.len() { PARTIAL } else { "" };
                    write!(f, " {:>WIDTH$}", format!("{mark}{:.1}", 100.0 * join(values)))?;
                }
            }
        }
        Ok(())
    }

    /// Whether the selector applies to some devices and not to others.
    fn is_partial(&self, selector: &str) -> bool {
        let applies = |device: &DeviceEvaluation| device.selectors.get(selector).is_some();
        self.devices.iter().any(applies) && !self.devices.iter().all(applies)
    }
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
