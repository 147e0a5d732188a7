//! Results of an evaluation.

use std::collections::BTreeMap;

use nitro_core::model::Model;
use serde::Serialize;

use super::figures::{Figures, Selectors};
use super::statistics::Sensitivity;
use super::worst::WorstInput;

/// The leave-one-device-out table of one function, in the form of `evaluate --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// The function.
    pub function: String,
    /// Its variants.
    pub variants: Vec<String>,
    /// Number of training inputs.
    pub train_inputs: usize,
    /// Number of test inputs.
    pub test_inputs: usize,
    /// One entry a held-out device.
    pub devices: Vec<DeviceEvaluation>,
    /// The test inputs on which `auto` lost most, at most five, worst first.
    #[serde(skip)]
    pub worst: Vec<WorstInput>,
    /// The sensitivity of the best variant to the device, over the test inputs.
    #[serde(skip)]
    pub sensitivity: Sensitivity,
    /// The devices two by two.
    #[serde(skip)]
    pub pairs: Pairs,
}

/// The results of every selector on one held-out device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceEvaluation {
    /// The device.
    pub held_out: String,
    /// The machine or the model of the device; the device itself where it is named without.
    pub machine: String,
    /// The devices that were learned from.
    pub sources: Vec<String>,
    /// Figures; a selector that does not apply is absent.
    pub selectors: Selectors,
    /// A draw among the variants that succeed on the input, in the mean; none where that is what `random` says. The
    /// selector `random` draws among all that are admissible, and a failure counts as 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random_successful: Option<Figures>,
    /// As [`selectors`](Self::selectors) with the time for choosing counted, that of the features and that of the
    /// selector: time of the best variant over the time for choosing and running the chosen one. Where it is not
    /// known what features take, nothing.
    #[serde(skip_serializing_if = "Selectors::is_empty")]
    pub with_features: Selectors,
    /// The results of `auto` after calibration, by number of measured training inputs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calibrated: ByEffort,
    /// The results of `auto` after calibration, by number of seconds of measuring.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calibrated_seconds: ByEffort,
    /// The share of test inputs on which the choice of `auto` cannot be told apart from another variant by the spread
    /// of their times; none where no spread is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ties: Option<f64>,
    /// The share of test inputs that change their choice when the model is learned from times that were drawn anew
    /// from their spreads; none where no spread is known, or nothing was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flips: Option<f64>,
    /// The share of exhaustive search that is lost by these changes, in the mean over all test inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flips_regret: Option<f64>,
    /// Device features that a selector used.
    pub device_features: BTreeMap<&'static str, Vec<String>>,
    /// The strategy that `auto` is here.
    pub auto_is: &'static str,
    /// The share of each test input, in the order of the inputs, which the figures summarise.
    #[serde(skip)]
    pub shares: Shares,
    /// The share of each test input, in the order of the inputs, which the figures summarise.
    #[serde(skip)]
    pub net_shares: Shares,
    /// The model that `auto` is here.
    #[serde(skip)]
    pub auto_model: Model,
    /// Test inputs that the figures leave out: not measured completely on this device, or without any success.
    #[serde(skip)]
    pub left_out: usize,
}

/// What was achieved by so many measured inputs, or seconds.
pub type ByEffort = BTreeMap<usize, Figures>;

/// The share of exhaustive search on each test input, by selector.
pub type Shares = BTreeMap<&'static str, Vec<f64>>;

/// One row and one column a device, in the order of the recordings; a cell is `None` where nothing can be compared.
pub type PairTable = Vec<Vec<Option<f64>>>;

/// Two figures for every pair of devices, over the test inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// The devices of rows and columns.
    pub devices: Vec<String>,
    /// Mean share of exhaustive search on the device of the column, of what `fit` would ship of the measurements of
    /// the device of the row alone (Muralidharan et al., ASPLOS 2016, Figure 1). The diagonal is `target-trained`.
    pub trained_on_run_on: PairTable,
    /// Share of the inputs whose best variant on the two devices is not the same (ibid., Figure 5).
    pub best_differs: PairTable,
}
