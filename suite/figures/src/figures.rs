//! The form of `guide/figures.json`.
//!
//! Figures are in percent, rounded to three decimals, so that what is printed with one does not hang on the machine
//! that computed it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Error, root};

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// What this command computes.
    pub remade: Remade,
    /// What takes a clock or a GPU: who remakes it edits it here, and the command puts it into the documents.
    pub measured: Vec<Measured>,
}

/// What is computed from the recordings that ship.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remade {
    /// By function, [`GINKGO`](crate::recordings::GINKGO) among them, how good selectors are.
    pub functions: BTreeMap<String, OfFunction>,
    /// By function, of those that CUB or cuSPARSE have too.
    pub vendor: BTreeMap<String, Vendor>,
    /// What the shipped model of `cuda_spmv` gains by choosing otherwise on a slice.
    pub slice: Slice,
    /// What the margin and the distance of a choice tell, by held-out GPU of [`GINKGO`](crate::recordings::GINKGO).
    pub trust: BTreeMap<String, Trust>,
    /// Where most of what is missing to 100 % there is lost.
    pub lost: Lost,
    /// Mean shares on random splits of the matrices of [`GINKGO`](crate::recordings::GINKGO) by group, by strategy.
    pub splits: BTreeMap<String, Vec<f64>>,
    /// By GPU function what P-DFS finds.
    pub profiles: BTreeMap<String, Profiled>,
    /// By function what captured calls bring a calibration.
    pub captured: BTreeMap<String, OfCaptured>,
    /// How far the repeats of a host measurement lie apart.
    pub spread: Spread,
    /// By function of others, choices on devices that are like no source.
    pub foreign: BTreeMap<String, Foreign>,
    /// By function and device that was left out, with its machine where there is another one, the distance of the
    /// device from those that are learned from, in units of what is near.
    pub distances: BTreeMap<String, BTreeMap<String, f64>>,
}

/// Choices on devices that are like no source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Foreign {
    /// Number of training inputs.
    pub train_inputs: usize,
    /// Number of test inputs.
    pub test_inputs: usize,
    /// By device its distance from the nearest device of another machine, in logarithms of features.
    pub nearest: BTreeMap<String, f64>,
    /// Each device left out with all others of its machine.
    pub left_out: Mode,
    /// Means by number of training inputs.
    pub by_training: BTreeMap<usize, ByDevice>,
    /// Means by number of machines that are sources, over all combinations.
    pub by_sources: BTreeMap<usize, ByDevice>,
}

/// By device that was left out, and by strategy, the mean.
pub type ByDevice = BTreeMap<String, BTreeMap<String, f64>>;

/// The evaluation of one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OfFunction {
    /// Number of training inputs.
    pub train_inputs: usize,
    /// Number of test inputs.
    pub test_inputs: usize,
    /// Test inputs that lie next to a training input ([`nearness`](crate::compute::nearness)).
    pub near_training: usize,
    /// The mean of `auto` without these, each device left out by itself.
    pub auto_without_near: f64,
    /// On how many of the test inputs the best variant is not the same on all devices.
    pub best_differs: f64,
    /// On how many no variant is within 5 % of the best on all devices.
    pub none_is_near: f64,
    /// Each device left out by itself.
    pub device: Mode,
    /// Each device left out with all others of its machine; none where no device shares a machine.
    pub machine: Option<Mode>,
}

/// Each device left out in turn, in one of two ways.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mode {
    /// One entry a held-out device.
    pub devices: Vec<HeldOut>,
}

/// One held-out device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The device.
    pub device: String,
    /// The number of devices that were learned from.
    pub sources: usize,
    /// The strategy that `auto` is.
    pub auto_is: String,
    /// The worst choice of `auto`.
    pub auto_worst: f64,
    /// By selector the mean.
    pub means: BTreeMap<String, f64>,
    /// The mean of `auto` by number of training inputs that were measured on the device.
    pub calibrated: BTreeMap<usize, f64>,
    /// The same by number of seconds of measuring there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calibrated_seconds: BTreeMap<usize, f64>,
}

/// A function that a vendor's library has too, on the whole H200.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vendor {
    /// The mean of `auto`, each device left out, with the library's variants.
    pub auto: f64,
    /// The inputs that the library could run, training inputs among them.
    pub inputs: usize,
    /// The time of the best own variant over that of the best of the library: geometric mean over all inputs.
    pub time_ratio: f64,
    /// The same over the 20 largest inputs.
    pub largest: f64,
    /// The same over all inputs of a kind.
    pub by_kind: BTreeMap<String, f64>,
}

/// Choices for the whole H200 and for 16 of its multiprocessors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Test matrices.
    pub matrices: usize,
    /// Those where the two choices differ.
    pub differ: usize,
    /// On the whole GPU the time of the other's choice over that of its own: geometric mean over those that differ.
    pub whole: f64,
    /// The same on the slice.
    pub slice: f64,
}

/// Shares of the choices of `auto` on a held-out GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trust {
    /// All of them.
    pub all: f64,
    /// The quarter with the largest margins.
    pub large_margin: f64,
    /// Those for inputs that are far from the training inputs.
    pub far: f64,
    /// Their number.
    pub far_inputs: usize,
}

/// The group of matrices that loses most.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lost {
    /// The group.
    pub group: String,
    /// Its test matrices.
    pub matrices: usize,
    /// Its part of all that is lost, over all GPUs.
    pub part: f64,
    /// The mean over the GPUs without the group.
    pub mean_without: f64,
}

/// What P-DFS finds for a function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profiled {
    /// By proxy the number of variants that resemble it.
    pub proxies: BTreeMap<String, usize>,
    /// The device features that follow.
    pub device_features: Vec<String>,
}

/// What captured calls bring a calibration, in both ways of leaving out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OfCaptured {
    /// Each device left out by itself.
    pub device: Captured,
    /// Each device left out with all others of its machine; none where no device shares a machine.
    pub machine: Option<Captured>,
}

/// Means over the held-out devices and over programs that call one kind of input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Captured {
    /// On test inputs like the program's, before a calibration.
    pub before: f64,
    /// There, by number of measured inputs, chosen without captured calls.
    pub without: BTreeMap<usize, f64>,
    /// There, chosen by captured calls.
    pub with: BTreeMap<usize, f64>,
    /// On all test inputs, chosen without.
    pub all_without: BTreeMap<usize, f64>,
    /// On all test inputs, chosen by captured calls.
    pub all_with: BTreeMap<usize, f64>,
}

/// Interquartile range of a measurement in percent of its median.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Of half of the measurements it is less.
    pub median: f64,
    /// Of nine in ten it is less.
    pub p90: f64,
}

/// Figures that one command measured on one machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The command that remakes them, there.
    pub command: String,
    /// What it ran on.
    pub machine: String,
    /// When it was run.
    pub date: String,
    /// The figures as they are printed.
    pub values: BTreeMap<String, String>,
}

impl Figures {
    /// Where the file is.
    #[must_use]
    pub fn path() -> PathBuf {
        root().join("guide/figures.json")
    }

    /// Reads the file.
    ///
    /// # Errors
    /// When it cannot be read or has another form.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    /// The file's text.
    #[must_use]
    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    /// A measured figure.
    ///
    /// # Errors
    /// When there is none of the name.
    pub fn measured(&self, name: &str) -> Result<&str, Error> {
        let found = self.measured.iter().find_map(|source| source.values.get(name));
        Ok(found.ok_or_else(|| format!("figures.json has no measured figure `{name}`"))?)
    }

    /// A function's figures.
    ///
    /// # Errors
    /// When there are none.
    pub fn function(&self, name: &str) -> Result<&OfFunction, Error> {
        Ok(self.remade.functions.get(name).ok_or_else(|| format!("figures.json has no function `{name}`"))?)
    }
}

/// By how much a figure may differ when it is computed on another machine, whose mathematical library may round
/// otherwise.
const TOLERANCE: f64 = 0.05;

/// What differs between two of the same kind, one line each.
///
/// # Panics
/// Never: both are plain data.
pub fn differences(kept: &impl Serialize, remade: &impl Serialize) -> Vec<String> {
    let mut found = Vec::new();
    let [kept, remade] =
        [serde_json::to_value(kept), serde_json::to_value(remade)].map(|one| one.expect("plain data"));
    compare("", &kept, &remade, &mut found);
    found
}

fn compare(path: &str, kept: &Value, remade: &Value, found: &mut Vec<String>) {
    match (kept, remade) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                let of =
                    |object: &serde_json::Map<String, Value>| object.get(name).cloned().unwrap_or_default();
                compare(&format!("{path}/{name}"), &of(a), &of(b), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            (0..a.len()).for_each(|at| compare(&format!("{path}/{at}"), &a[at], &b[at], found));
        }
        (Value::Number(a), Value::Number(b)) if is_near(a.as_f64(), b.as_f64()) => {}
        (a, b) if a == b => {}
        (a, b) => found.push(format!("{path}: {a} is kept, and it is {b}")),
    }
}

fn is_near(a: Option<f64>, b: Option<f64>) -> bool {
    a.zip(b).is_some_and(|(a, b)| (a - b).abs() <= TOLERANCE)
}

/// A share in percent, as it is kept.
#[must_use]
pub fn percent(share: f64) -> f64 {
    rounded(100.0 * share)
}

/// A number, as it is kept.
#[must_use]
pub fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_alike_does_not_differ_and_the_rest_is_named() {
        let spread = |median| Spread { median, p90: 2.0 };
        assert!(differences(&spread(1.0), &spread(1.049)).is_empty());
        let found = differences(&spread(1.0), &spread(1.1));
        assert_eq!(found, ["/median: 1.0 is kept, and it is 1.1"]);
        let [one, none] = [vec![Measured::default()], Vec::new()];
        assert_eq!(differences(&one, &none).len(), 1);
        let lost = |group: &str| Lost { group: group.into(), ..Lost::default() };
        assert_eq!(differences(&lost("a"), &lost("b")), ["/group: \"a\" is kept, and it is \"b\""]);
    }
}
