//! The evaluation as plain text.

use std::collections::BTreeSet;
use std::fmt;

use nitro_stats::statistics::mean;

use super::evaluation::{ByEffort, DeviceEvaluation, Evaluation};
use super::figures::{Figures, selector_names};
use super::same_learner;
use crate::plain_table::{Sentence, Table};
use crate::{DeviceFeatures, Strategy};

/// The head of the column in which features count.
const WITH_FEATURES: &str = "auto+features";
/// The cell of a selector that applies to no device.
const NOT_APPLICABLE: &str = "-";
/// The mark of a figure over some devices only.
const PARTIAL: &str = "*";

/// A column head, short enough for a terminal.
fn head(selector: &'static str) -> &'static str {
    match selector {
        "best-single-feature" => "single",
        "nitro-2014" => "nitro",
        "target-trained" => "target",
        _ => selector.parse().map_or(selector, Strategy::short_name),
    }
}

/// The results of a device after one kind of calibration.
type OfCalibration = fn(&DeviceEvaluation) -> &ByEffort;

impl fmt::Display for Evaluation {
    /// One row a held-out device with the mean of each selector in percent of exhaustive search, what would ship
    /// first, then over all devices the mean, the mean 5th percentile and the worst; those of a selector that does not
    /// apply to some devices are marked. Below stands what each learner achieves with each set of device features.
    /// A width, as in `{evaluation:80}`, is the most columns that a line may take.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, train_inputs, test_inputs, .. } = self;
        let title = format!(
            "{function}: % of exhaustive search, {train_inputs} training and {test_inputs} test inputs"
        );
        say(f, &title)?;
        fmt::Display::fmt(&self.table().without_columns_of(NOT_APPLICABLE), f)?;
        if selector_names().any(|selector| self.is_partial(selector)) {
            say(f, &format!("{PARTIAL} over the devices that the selector applies to"))?;
        }
        if let Some([random, successful]) = self.random_with_failures() {
            say(
                f,
                &format!(
                    "random: a variant that failed counts as 0, which makes {random:.1} of {successful:.1} for those \
                     that succeed"
                ),
            )?;
        }
        if self.has_times() {
            say(
                f,
                &format!("{WITH_FEATURES}: auto, with the time for its features and for choosing counted"),
            )?;
        }
        if !self.calibrations().is_empty() {
            say(
                f,
                "cal-N, cal-Ns: auto, calibrated with N training inputs, or N seconds, measured on the held-out device",
            )?;
        }
        if let Some([changed, lost]) = self.flips() {
            say(
                f,
                &format!(
                    "learned from what was recorded again, {changed:.1} % of the choices change, which loses \
                     {lost:.2} points"
                ),
            )?;
        }
        same_learner::write(f, self)?;
        say(f, &self.sensitivity.to_string())?;
        self.worst.iter().try_for_each(|worst| say(f, &worst.to_string()))
    }
}

/// Writes sentences, each on lines of its own that are as long as the formatter's width at most.
fn say(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for line in text.lines() {
        fmt::Display::fmt(&Sentence(line), f)?;
        writeln!(f)?;
    }
    Ok(())
}

/// Selectors in the order of their columns: what ships, what it is held against, and the others.
fn columns() -> impl Iterator<Item = &'static str> {
    const FIRST: [&str; 5] = ["auto", "static", "majority", "target-trained", "random"];
    FIRST.into_iter().chain(selector_names().filter(|name| !FIRST.contains(name)))
}

impl Evaluation {
    /// The table of all selectors.
    fn table(&self) -> Table {
        let with_features = self.has_times().then(|| WITH_FEATURES.to_owned());
        let calibrated =
            self.calibrations().into_iter().map(|(effort, unit, _)| format!("cal-{effort}{unit}"));
        let mut heads = columns().map(|name| head(name).to_owned());
        let auto = heads.next();
        let first = ["held-out device".to_owned()].into_iter().chain(auto).chain(["auto is".to_owned()]);
        let mut table = Table::new(first.chain(with_features).chain(calibrated).chain(heads)).with_text(2);
        for device in &self.devices {
            let of_device = std::slice::from_ref(device);
            let auto_is = format!("{}{}", device.auto_is, remark(device));
            table.row(self.row(&device.held_out, &auto_is, of_device, |figures| figures.mean, mean_of));
        }
        table.row(self.row("mean", "", &self.devices, |figures| figures.mean, mean_of));
        table.row(self.row("mean of 5th pct", "", &self.devices, |figures| figures.p05, mean_of));
        table.row(self.row("worst", "", &self.devices, |figures| figures.worst, least));
        table
    }

    /// Returns true if the selector applies to some devices and not to others.
    fn is_partial(&self, selector: &str) -> bool {
        let applies = self.devices.iter().filter(|device| device.selectors.get(selector).is_some()).count();
        applies > 0 && applies < self.devices.len()
    }

    /// Means of `random` with failures and without, in percent; none where no variant failed.
    fn random_with_failures(&self) -> Option<[f64; 2]> {
        let (mut random, mut successful) = (Vec::new(), Vec::new());
        for device in &self.devices {
            let own = device.selectors.get("random");
            random.extend(own.map(|figures| figures.mean));
            successful.extend(device.random_successful.or(own).map(|figures| figures.mean));
        }
        let means = [random, successful].map(|means| 100.0 * mean(means).unwrap_or(f64::NAN));
        (means[1] > means[0]).then_some(means)
    }

    /// The choices that change when other times are learned from, and what that loses, in percent and points; none
    /// where there are no other times.
    fn flips(&self) -> Option<[f64; 2]> {
        let changed = mean(self.devices.iter().filter_map(|device| device.flips))?;
        let lost = mean(self.devices.iter().filter_map(|device| device.flips_regret))?;
        Some([100.0 * changed, 100.0 * lost])
    }

    /// Returns true if the times of features are known.
    fn has_times(&self) -> bool {
        self.devices.iter().any(|device| !device.with_features.is_empty())
    }

    /// The efforts that `auto` was calibrated with, each with its unit and where its figures are.
    fn calibrations(&self) -> Vec<(usize, &'static str, OfCalibration)> {
        let units: [(&str, OfCalibration); 2] =
            [("", |device| &device.calibrated), ("s", |device| &device.calibrated_seconds)];
        let mut all = Vec::new();
        for (unit, of) in units {
            let efforts: BTreeSet<usize> =
                self.devices.iter().flat_map(|device| of(device).keys().copied()).collect();
            all.extend(efforts.into_iter().map(|effort| (effort, unit, of)));
        }
        all
    }

    /// The name, what `auto` is, and for each selector and calibration its figures on the devices joined, in percent.
    fn row(
        &self,
        name: &str,
        auto_is: &str,
        devices: &[DeviceEvaluation],
        value: fn(&Figures) -> f64,
        join: fn(&[f64]) -> Option<f64>,
    ) -> Vec<String> {
        let mut of_columns: Vec<Vec<Figures>> = Vec::new();
        for selector in columns() {
            of_columns.push(devices.iter().filter_map(|device| device.selectors.get(selector)).collect());
        }
        // Behind the first selector, `auto`: its figures with features counted, and after calibration.
        let mut of_auto: Vec<Vec<Figures>> = Vec::new();
        if self.has_times() {
            of_auto.push(devices.iter().filter_map(|device| device.with_features.get("auto")).collect());
        }
        for (effort, _, of) in self.calibrations() {
            let calibrated = devices.iter().filter_map(|device| of(device).get(&effort));
            of_auto.push(calibrated.copied().collect());
        }
        let others = of_columns.split_off(of_columns.len().min(1));
        let mut row = vec![name.to_owned()];
        row.extend(of_columns.iter().map(|figures| cell(figures, devices.len(), value, join)));
        row.push(auto_is.to_owned());
        row.extend(of_auto.iter().chain(&others).map(|figures| cell(figures, devices.len(), value, join)));
        row
    }
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

/// The figures of a selector joined, in percent; marked where it applies to some of the devices alone.
fn cell(
    figures: &[Figures],
    devices: usize,
    value: fn(&Figures) -> f64,
    join: fn(&[f64]) -> Option<f64>,
) -> String {
    let values: Vec<f64> = figures.iter().map(value).collect();
    let mark = if values.len() < devices { PARTIAL } else { "" };
    join(&values).map_or(NOT_APPLICABLE.to_owned(), |joined| format!("{mark}{:.1}", 100.0 * joined))
}

fn mean_of(values: &[f64]) -> Option<f64> {
    mean(values.iter().copied())
}

fn least(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}
