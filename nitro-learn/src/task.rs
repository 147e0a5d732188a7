//! One learning task: which inputs, which source devices, and everything computed once for them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use nitro_core::MAX_FEATURES;
use nitro_core::model::{Ranked, Way, counted_ns, net_share, walk_ns};
use nitro_store::recordings::Recordings;

use super::costs::FeatureCosts;
use super::error::LearnError;
use super::objective::{Objective, Weights};
use super::performance::{PerformanceTable, share_of_choice};
use super::scaling::{distinct_singles, is_constant, is_in_range, is_same, origin_of, scale_of};
use super::space::{DeviceSpace, InputSpace};

/// Training inputs of one function with what all fits on them share: performance of every variant, scaled features,
/// distances. Devices stay open: a held-out device is left out by not naming it.
#[derive(Clone)]
pub struct Task<'a> {
    /// All that was measured.
    pub recordings: &'a Recordings,
    /// The performance of every variant, as far as that is certain.
    pub performance: Cow<'a, PerformanceTable>,
    /// Positions of the training inputs in the recordings.
    pub inputs: Vec<usize>,
    /// Positions in the recordings of the input features that are learned from. There may be more than a model has;
    /// a study of some sources takes those that matter most on them.
    pub columns: Vec<usize>,
    /// Their values, scaled.
    pub space: Arc<InputSpace>,
    /// The weight of each input.
    pub weights: Arc<Weights>,
    /// The times of features, where they were measured.
    pub costs: Option<Arc<FeatureCosts>>,
    /// The input features that were left out, one sentence each.
    pub notes: Vec<String>,
    /// Seed of everything random.
    pub seed: u64,
}

/// Fewer source devices than this say nothing about device features: scaled to [-1, 1], one device has no distance.
pub const MIN_SOURCES: usize = 3;

/// The most training inputs that are used: the distances between them are kept in memory, 144 MB for this many.
pub const MAX_TRAINING_INPUTS: usize = 6000;

impl<'a> Task<'a> {
    /// Takes the input features that say something, and the training inputs for which all of those are finite; of
    /// more than `MAX_TRAINING_INPUTS` a seeded sample.
    pub fn new(
        recordings: &'a Recordings,
        performance: &'a PerformanceTable,
        inputs: &[usize],
        seed: u64,
    ) -> Self {
        let mut inputs: BTreeSet<usize> = inputs.iter().copied().collect();
        let known = mostly_known(recordings, &inputs);
        inputs.retain(|&input| {
            let features = &recordings.inputs[input].features;
            known.iter().all(|&column| features[column].is_finite())
        });
        let inputs = inputs.into_iter().collect();
        let inputs = super::folds::sample(inputs, MAX_TRAINING_INPUTS, seed);
        let (columns, notes) = informative(recordings, &inputs, &known);
        let space = Arc::new(space(recordings, &inputs, &columns));
        let performance = performance.by_certainty(recordings);
        let costs = FeatureCosts::of(recordings).map(Arc::new);
        let weights = Arc::new(weights(&Objective::MeanRatio, recordings, &performance));
        Self { recordings, performance, inputs, columns, space, weights, costs, notes, seed }
    }

    /// The task with another objective than the mean ratio.
    pub fn with_objective(self, objective: &Objective) -> Self {
        let weights = weights(objective, self.recordings, &self.performance);
        Self { weights: Arc::new(weights), ..self }
    }

    /// Returns the weight of a training input (a position in [`Task::inputs`]) on a device.
    pub fn weight(&self, device: usize, input: usize) -> f64 {
        self.weights.get(device, self.inputs[input])
    }

    /// The task with these of its input features alone (positions in [`Task::columns`]).
    pub fn with_columns(&self, columns: &[usize]) -> Self {
        let (inputs, columns) =
            (self.inputs.clone(), columns.iter().map(|&at| self.columns[at]).collect::<Vec<_>>());
        let space = Arc::new(space(self.recordings, &inputs, &columns));
        Self { inputs, columns, space, ..self.clone() }
    }

    /// The task with these of its input features alone, because they tell most.
    pub fn with_telling_columns(&self, columns: &[usize]) -> Self {
        let task = self.with_columns(columns);
        let left_out = self.columns.iter().filter(|column| !task.columns.contains(column));
        let names =
            left_out.map(|&column| format!("`{}`", self.recordings.features[column])).collect::<Vec<_>>();
        let mut notes = self.notes.clone();
        notes.push(format!(
            "features that are not used because a model has at most {MAX_FEATURES} and the others tell more of what \
             variants cost: {}",
            shortened(&names)
        ));
        Self { notes, ..task }
    }

    /// The task in which these classes alone are told apart, because they are enough.
    pub fn with_classes(&self, classes: &[usize]) -> Self {
        Self { performance: Cow::Owned(self.performance.only(classes)), ..self.clone() }
    }

    /// Raw input features of a training input (a position in [`Task::inputs`]).
    pub fn input_row(&self, input: usize) -> Vec<f64> {
        let row = &self.recordings.inputs[self.inputs[input]].features;
        self.columns.iter().map(|&column| row[column]).collect()
    }

    /// Names of the input features that are learned from.
    pub fn features(&self) -> Vec<String> {
        self.columns.iter().map(|&column| self.recordings.features[column].clone()).collect()
    }

    /// One sample for each training input (positions in [`Task::inputs`]) and source device on which a variant
    /// succeeded.
    pub fn samples(&self, sources: &[usize], inputs: &[usize]) -> Vec<Sample> {
        let mut samples = Vec::with_capacity(inputs.len() * sources.len());
        for &input in inputs {
            for (device, &source) in sources.iter().enumerate() {
                let best = self.performance.best(source, self.inputs[input]);
                samples.extend(best.map(|class| Sample { input, device, class }));
            }
        }
        samples
    }

    /// Positions of all training inputs in [`Task::inputs`].
    pub fn all_inputs(&self) -> Vec<usize> {
        (0..self.inputs.len()).collect()
    }

    /// Cuts training inputs (positions in [`Task::inputs`]) into parts for cross-validation; cut otherwise each
    /// time it is repeated.
    pub fn folds(&self, inputs: &[usize], folds: usize, repeat: usize) -> Vec<Vec<usize>> {
        let names: Vec<&str> =
            inputs.iter().map(|&input| self.recordings.inputs[self.inputs[input]].name.as_str()).collect();
        let parts = super::folds::folds(&names, folds, self.seed ^ ((repeat as u64) << 32));
        parts.into_iter().map(|part| part.into_iter().map(|at| inputs[at]).collect()).collect()
    }

    /// The value of a device feature, not a number where the device does not know it.
    pub fn device_feature(&self, device: usize, feature: &str) -> f64 {
        self.recordings.devices[device].feature(feature).unwrap_or(f64::NAN)
    }

    /// Raw device features of one device.
    pub fn device_row(&self, device: usize, features: &[String]) -> Vec<f64> {
        features.iter().map(|feature| self.device_feature(device, feature)).collect()
    }

    /// The sources in the space of these device features.
    pub fn device_space(&self, sources: &[usize], features: &[String]) -> DeviceSpace {
        if features.is_empty() {
            return DeviceSpace::none(sources.len());
        }
        DeviceSpace::new(&sources.iter().map(|&device| self.device_row(device, features)).collect::<Vec<_>>())
    }

    /// The share that the choice by a ranking achieves on a training input; `None` where nothing can be achieved.
    pub fn share(&self, device: usize, input: usize, ranking: Vec<usize>) -> Option<f64> {
        let shares = self.performance.shares(device, self.inputs[input])?;
        Some(share_of_choice(shares, ranking, []))
    }

    /// As [`share`](Self::share), by the ranking of a selector.
    pub fn share_of(&self, device: usize, input: usize, ranked: Vec<Ranked>) -> Option<f64> {
        self.share(device, input, ranked.into_iter().map(|ranked| ranked.choice).collect())
    }

    /// Returns the time of some features (positions in [`Task::columns`]) of a training input on a device, in
    /// nanoseconds; 0 where nothing is known.
    pub fn features_ns(&self, device: usize, input: usize, columns: &[usize]) -> f64 {
        let Some(costs) = &self.costs else { return 0.0 };
        let features: Vec<usize> = columns.iter().map(|&column| self.columns[column]).collect();
        costs.sum_ns(device, self.inputs[input], &features)
    }

    /// Returns the time of a walk to a decision for a training input, in nanoseconds; without one, of all features.
    pub fn way_ns(&self, device: usize, input: usize, way: Option<Way>) -> f64 {
        let mut columns = (0..self.columns.len()).collect::<Vec<_>>();
        columns.retain(|&column| way.is_none_or(|way| way.has_seen(column)));
        self.features_ns(device, input, &columns) + way.map_or(0.0, |way| walk_ns(way.comparisons))
    }

    /// The share of speed that is left once the time for choosing is counted. Where nothing is known of features,
    /// nothing is counted. Of a call of nanoseconds it is counted as if it took `LEAST_CALL_NS`.
    pub fn net(&self, device: usize, input: usize, share: f64, choosing_ns: f64) -> f64 {
        net_share(share, self.counted_ns(device, input), choosing_ns)
    }

    /// Returns the time of the best choice on a training input, in nanoseconds, as it counts against the time for
    /// choosing; infinite where that does not count.
    pub fn counted_ns(&self, device: usize, input: usize) -> f64 {
        match self.costs.is_some() {
            true => counted_ns(self.performance.best_ns(device, self.inputs[input])),
            false => f64::INFINITY,
        }
    }

    /// Checks that there is anything to learn from.
    ///
    /// # Errors
    ///
    /// When no variant succeeded on any training input.
    pub fn check_samples(&self, sources: &[usize]) -> Result<(), LearnError> {
        if !self.samples(sources, &self.all_inputs()).is_empty() {
            return Ok(());
        }
        Err(LearnError::NoSamples {
            function: self.recordings.function.clone(),
            inputs: self.inputs.len(),
            sources: sources.iter().map(|&source| self.recordings.devices[source].id.clone()).collect(),
        })
    }
}

/// One training point: an input, a source device, and the best class there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Position in the [`InputSpace`].
    pub input: usize,
    /// Position in the list of source devices.
    pub device: usize,
    /// The best class.
    pub class: usize,
}

fn weights(objective: &Objective, recordings: &Recordings, performance: &PerformanceTable) -> Weights {
    Weights::of(objective, performance, recordings.devices.len(), recordings.inputs.len())
}

/// The inputs in the space of these features.
fn space(recordings: &Recordings, inputs: &[usize], columns: &[usize]) -> InputSpace {
    let mut raw: Vec<Vec<f64>> = Vec::with_capacity(inputs.len());
    for &input in inputs {
        let values = &recordings.inputs[input].features;
        raw.push(columns.iter().map(|&column| values[column]).collect());
    }
    InputSpace::new(&raw.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// A list of which the end is only counted where it is long.
pub(super) fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 32;
    let (shown, rest) = names.split_at(names.len().min(SHOWN));
    let rest = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    shown.join(", ") + &rest
}

/// Input features that at least half of the inputs know: one that few know would leave few inputs to learn from.
fn mostly_known(recordings: &Recordings, inputs: &BTreeSet<usize>) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..recordings.features.len()).collect();
    columns.retain(|&column| {
        let finite = inputs.iter().filter(|&&input| recordings.inputs[input].features[column].is_finite());
        2 * finite.count() >= inputs.len()
    });
    columns
}

/// Returns the known input features that differ between the inputs and do not repeat another one, and what is said of
/// the rest.
fn informative(recordings: &Recordings, inputs: &[usize], known: &[usize]) -> (Vec<usize>, Vec<String>) {
    let (mut columns, mut notes): (Vec<usize>, Vec<String>) = Default::default();
    let mut scaled: Vec<Vec<f64>> = Vec::new();
    for (column, name) in recordings.features.iter().enumerate() {
        let values: Vec<f64> =
            inputs.iter().map(|&input| recordings.inputs[input].features[column]).collect();
        let scale = scale_of(&values);
        let own: Vec<f64> = values.iter().map(|&value| scale.apply(value)).collect();
        if !known.contains(&column) {
            notes.push(format!("feature `{name}` is not known of most inputs: it is not used"));
        } else if !is_in_range(&values) {
            notes.push(format!("feature `{name}` has values beyond ±{:.1e}: it is not used", f32::MAX));
        } else if is_constant(&scale) {
            let beside = if values.iter().any(|&value| value != values[0]) { " up to rounding" } else { "" };
            notes.push(format!("feature `{name}` is the same for all inputs{beside}: it is not used"));
        } else if let Some(same) = scaled.iter().position(|other| is_same(other, &own)) {
            let same = &recordings.features[columns[same]];
            notes.push(format!("feature `{name}` says the same as `{same}`: it is not used"));
        } else {
            notes.extend(coarse_in_trees(name, &values));
            columns.push(column);
            scaled.push(own);
        }
    }
    (columns, notes)
}

/// Says of a feature that trees tell fewer than half of its values apart, where that is so.
fn coarse_in_trees(name: &str, values: &[f64]) -> Option<String> {
    let mut distinct = values.to_vec();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    let told_apart = distinct_singles(&distinct, origin_of(values));
    (2 * told_apart < distinct.len()).then(|| {
        let all = distinct.len();
        format!("feature `{name}`: forests and trees compare in single precision, which tells {told_apart} of its \
                 {all} values apart")
    })
}
