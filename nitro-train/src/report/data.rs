//! The data of the page: names and numbers, of whatever origin. Shares are of exhaustive search, 1.0 = always the best
//! variant.

use std::collections::BTreeMap;

use nitro_learn::Approximation;
use nitro_search::UnderFloor;

use super::space_data::{EmittedChoices, SpaceReport};
pub(super) use nitro_learn::evaluate::WorstInput;

/// The data of the whole page.
#[derive(Clone, Debug, Default)]
pub struct ReportData {
    /// The heading of the page.
    pub(crate) title: String,
    /// A sentence or two below the heading.
    pub(crate) about: String,
    /// The machine or device that was measured.
    pub(crate) machine: String,
    /// The features of the machine.
    pub(crate) machine_features: Vec<Quantity>,
    /// The devices that were recorded, those that are described alike together.
    pub(crate) devices: Vec<DeviceTable>,
    /// The selectors on the page, each with a few words on what it is.
    pub(crate) glossary: Vec<(String, String)>,
    /// The functions, a section each.
    pub(crate) functions: Vec<FunctionReport>,
    /// The last line, such as when and by which version the page was made.
    pub(crate) footer: String,
}

/// Devices that are described by the same features.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceTable {
    /// The devices.
    pub devices: Vec<String>,
    /// The features, each with a value a device; a value that is no number is not known.
    pub features: Vec<(Quantity, Vec<f64>)>,
    /// Distances by those features: root mean square difference, each feature scaled to 2 between its extremes.
    pub distances: Matrix,
}

/// A number of a machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quantity {
    /// The measured thing, such as `L2 cache`.
    pub name: String,
    /// The amount.
    pub value: f64,
    /// The unit; empty for a mere count.
    pub unit: String,
}

/// The results of one function. What is empty or absent takes no room on the page.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionReport {
    /// The function's name.
    pub name: String,
    /// Number of inputs that selectors learned from.
    pub training_inputs: usize,
    /// Number of inputs that they were judged on.
    pub test_inputs: usize,
    /// Number of doubtful times: others used the processors meanwhile.
    pub doubtful_times: usize,
    /// The results of the selectors on this machine, in the order to show them.
    pub scores: Vec<Score>,
    /// The leave-one-device-out table, where several devices are recorded.
    pub held_out: Option<HeldOut>,
    /// The selectors' choices one by one.
    pub curves: Vec<Curve>,
    /// The mean share on the column's device of a selector trained on the row's device alone.
    pub trained_on_run_on: Matrix,
    /// The dependence of the best variant on the device.
    pub sensitivity: Option<DeviceSensitivity>,
    /// The inputs on which the selector that would be shipped lost most, worst first.
    pub worst: Vec<WorstInput>,
    /// The gain from measuring a few inputs on a device left out.
    pub calibration: Option<CalibrationCurve>,
    /// The loss from learning on one device fewer.
    pub one_fewer: Option<OneFewerTable>,
    /// The best variants on the test inputs.
    pub winners: Winners,
    /// The variants whose results may be off, where the code is at hand.
    pub approximate: Vec<ApproximateVariant>,
    /// How near the best times are to their floors, by device, where the code says floors.
    pub floors: Vec<DeviceFloors>,
    /// The selector that `fit` would ship, its device features, and how long it took to find them.
    pub selection: Option<Selection>,
    /// The cost of the selector that `fit` would ship, and the benefit of its features.
    pub overhead: Option<Overhead>,
    /// The result that fewer measured inputs would have given.
    pub learning_curve: Option<LearningCurve>,
    /// The measurements of the variants with tuning parameters.
    pub spaces: Vec<SpaceReport>,
    /// The configurations among which `fit` lets a model choose, where variants have several.
    pub emitted: Option<EmittedChoices>,
}

/// How near the best times of a device's inputs are to their floors.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceFloors {
    /// The device.
    pub device: String,
    /// The share of its floor's speed that the best time of each input has, ascending.
    pub shares: Vec<f64>,
    /// What allows no less, with the number of inputs for which it is that.
    pub limits: BTreeMap<String, usize>,
    /// A time under its floor: one of both is wrong.
    pub wrong: Option<UnderFloor>,
}

/// A variant that runs only in calls whose tolerance accepts its error.
#[derive(Clone, Debug)]
pub(crate) struct ApproximateVariant {
    /// The name of the variant.
    pub variant: String,
    /// The bound on the error of its results.
    pub approximation: Approximation,
    /// The share of the test inputs on which it may run, mean over the devices. Its constraint and the recorded call's
    /// tolerance decide.
    pub may_run: Option<f64>,
}

/// The shares of a selector of one device after some of its training inputs were measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct LearningCurve {
    /// The device.
    pub device: String,
    /// Numbers of measured inputs, ascending.
    pub sizes: Vec<usize>,
    /// The mean share at each size, for each named order of measuring.
    pub lines: Vec<(String, Vec<f64>)>,
}

/// The result of one selector on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Score {
    /// The name of the selector.
    pub selector: String,
    /// A few words on what it knows.
    pub description: String,
    /// The mean over the test inputs.
    pub mean: f64,
    /// The 5th percentile over the test inputs.
    pub p05: f64,
    /// The worst test input.
    pub worst: f64,
    /// True for the selector that the page is about.
    pub highlighted: bool,
}

/// The results of selectors on devices that they were not trained on.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldOut {
    /// The columns.
    pub selectors: Vec<String>,
    /// The rows.
    pub devices: Vec<HeldOutDevice>,
}

/// A row of [`HeldOut`].
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldOutDevice {
    /// The device that was left out.
    pub device: String,
    /// The mean share of each of [`HeldOut::selectors`]; `None` where one does not apply.
    pub means: Vec<Option<f64>>,
    /// Selectors that choose among device features, each with those that it took without knowing this device.
    pub chosen: Vec<(String, Vec<String>)>,
    /// The selector that `auto` is without this device.
    pub auto_is: String,
}

/// A square table over devices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matrix {
    /// The devices of rows and columns.
    pub devices: Vec<String>,
    /// The rows, one a device; `None` where there is nothing to compare.
    pub cells: Vec<Vec<Option<f64>>>,
}

/// The result of the shipped selector once inputs were measured on a device that was left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct CalibrationCurve {
    /// Numbers of measured inputs, ascending; the first is 0.
    pub counts: Vec<usize>,
    /// The devices that were left out, with their mean share at each count; `None` without measured inputs.
    pub devices: Vec<(String, Vec<Option<f64>>)>,
}

/// The results on a device left out when one more device is taken from the sources.
#[derive(Clone, Debug, Default)]
pub(crate) struct OneFewerTable {
    /// The selector that would be shipped: rows are the device removed, columns the device left out.
    pub auto: Matrix,
    /// The majority of the other devices.
    pub majority: Matrix,
}

/// The result of `fit` on all recorded devices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// The strategy that it ships.
    pub strategy: String,
    /// The device features in the model it ships.
    pub device_features: Vec<String>,
    /// The application proxies that variants resemble, with the number of those variants; none without profiles.
    pub proxies: Option<Vec<(String, usize)>>,
    /// The device features that those proxies point to (P-DFS).
    pub profiled_features: Vec<String>,
    /// The most device features in a subset that CV-DFS tries.
    pub subset_size: usize,
    /// Number of the winning subsets that CV-DFS takes together.
    pub keep: usize,
    /// The learner that CV-DFS compares them with: that of what is shipped.
    pub selected_with: &'static str,
    /// The device features that CV-DFS takes.
    pub selected_features: Vec<String>,
    /// The subsets that carried over best from device to device, best first, with their mean share. The empty one is
    /// among them.
    pub subsets: Vec<(Vec<String>, f64)>,
    /// The times of the selection.
    pub seconds: SelectionSeconds,
}

/// The times of selecting device features and fitting on the machine that made the page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SelectionSeconds {
    /// The time of P-DFS; not a number without profiles.
    pub profile_based: f64,
    /// The time of CV-DFS.
    pub cross_validation: f64,
    /// The time of all that `fit` does, with CV-DFS and the choice of a strategy.
    pub fit: f64,
}

/// The dependence of the best variant on the device, over the test inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceSensitivity {
    /// Number of test inputs that every device was measured on.
    pub inputs: usize,
    /// The share of these inputs whose best variant is not the same everywhere.
    pub best_differs: f64,
    /// The share of these inputs for which no variant is within 5 % of the best everywhere.
    pub none_is_near: f64,
    /// The share of the inputs whose best variant differs between two devices.
    pub pairs: Matrix,
    /// The mean share on the column's device of what is best on the row's device.
    pub best_of_another: Matrix,
    /// Machines with several devices, each with how many, and the shares `best_differs` and `none_is_near` among
    /// these alone.
    pub machines: Vec<(String, usize, f64, f64)>,
}

/// The share of the test inputs on which each variant was best.
#[derive(Clone, Debug, Default)]
pub(crate) struct Winners {
    /// The variants.
    pub variants: Vec<String>,
    /// The devices, with the share of each of `variants`.
    pub devices: Vec<(String, Vec<f64>)>,
    /// The mean share over the devices that the others reach without each of `variants`.
    pub without: Vec<f64>,
    /// The mean share over the devices of each of `variants` alone, on the inputs that it may run on.
    pub alone: Vec<f64>,
    /// The share of the inputs on which each of `variants` may run, mean over the devices.
    pub may_run: Vec<f64>,
}

/// A selector's share on every test input, in any order.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    /// The name of the selector.
    pub selector: String,
    /// The time of the best variant over that of the chosen one, 0 for a failed one.
    pub shares: Vec<f64>,
}

/// Costs of the selector that `fit` would ship, medians over the devices left out, and what its input features bring.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overhead {
    /// The size of the model file.
    pub model_bytes: f64,
    /// Number of support vectors or of tree nodes; none for a selector without.
    pub parts: Option<f64>,
    /// The time of one choice on the machine that made the page, with features given.
    pub choosing_ns: f64,
    /// The time of the best variant, median over test inputs and devices.
    pub best_variant_ns: f64,
    /// The time of choosing with the features, where that is known of them.
    pub with_features: Option<WithFeatures>,
    /// The input features.
    pub benefits: Vec<Benefit>,
}

/// The times of features and selector on a call that is like none before, beside the chosen variant's. Over test inputs
/// and devices left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct WithFeatures {
    /// The time of features and selector, in nanoseconds.
    pub choosing_ns: MedianAndP90,
    /// The time of the chosen variant, in nanoseconds.
    pub chosen_ns: MedianAndP90,
    /// The one over the other, input by input.
    pub ratio: MedianAndP90,
}

/// The usual value, and the one that nine of ten do not exceed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MedianAndP90 {
    /// The median.
    pub median: f64,
    /// The 90th percentile.
    pub p90: f64,
}

/// The benefit of an input feature.
#[derive(Clone, Debug)]
pub(crate) struct Benefit {
    /// The feature.
    pub feature: String,
    /// The drop of the mean share when its values are shuffled.
    pub drop: f64,
}
