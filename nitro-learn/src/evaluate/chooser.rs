//! The choices of a model for recorded inputs on a recorded device.

use nitro_core::model::{Model, OnDevice, counted_ns, net_share, walk_ns};
use nitro_store::recordings::Recordings;
use rayon::prelude::*;

use super::error::EvaluateError;
use crate::classes::Classes;
use crate::costs::{FeatureCosts, GATE_NS};
use crate::performance::{PerformanceTable, share_of_choice};
use crate::selection::choose;
use crate::task::Task;

/// A model joined with recordings by names, for one device.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::evaluate::Chooser;
/// use nitro_learn::{FitOptions, fit};
///
/// let options = FitOptions { strategies: vec!["svm-none".parse()?], ..FitOptions::default() };
/// let model = fit(&recordings, &options)?.model;
/// let chooser = Chooser::new(&recordings, &model, 0)?;
/// let [few, many] = ["train/1", "train/29"].map(|name| recordings.input_index(name).expect("it was recorded"));
/// let chosen = |input, may_run: &dyn Fn(usize) -> bool| Some(&*recordings.variants[chooser.choose(input, may_run)?]);
/// assert_eq!((chosen(few, &|_| true), chosen(many, &|_| true)), (Some("stable"), Some("unstable")));
/// assert_eq!(chosen(many, &|class| class == 0), Some("stable"), "nothing else may run");
/// assert!(chooser.margin(many) > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Chooser<'a> {
    recordings: &'a Recordings,
    /// The model's selector on the device; none where a device feature is not a finite number.
    selector: Option<OnDevice>,
    /// The classes of the recordings in the order in which they run where nothing better may.
    fallback: Vec<usize>,
    /// The time for choosing without features, in nanoseconds: at the gate, if there is one, and in the selector.
    gate_ns: f64,
    selection_ns: f64,
    /// True if nothing is asked for.
    is_constant: bool,
    /// The recordings' class for each of the model's.
    classes: Vec<usize>,
    /// The recordings' feature for each of the model's.
    features: Vec<usize>,
}

impl<'a> Chooser<'a> {
    /// Finds the model's names in the recordings.
    ///
    /// # Errors
    ///
    /// When one is missing there.
    pub fn new(recordings: &'a Recordings, model: &Model, device: usize) -> Result<Self, EvaluateError> {
        Self::of_classes(recordings, &Classes::of(recordings), model, device)
    }

    /// As [`new`](Self::new), with the classes of the recordings, which take a look at every measurement to find.
    pub(super) fn of_classes(
        recordings: &'a Recordings,
        own: &Classes,
        model: &Model,
        device: usize,
    ) -> Result<Self, EvaluateError> {
        let known = &recordings.devices[device];
        let id = &known.id;
        let needed = model.needed_on(id);
        let device_features = find(recordings, "device feature", needed, |name| known.feature(name))?;
        let finite = device_features.iter().all(|value| value.is_finite());
        let features = find(recordings, "feature", &model.features, |name| recordings.feature_index(name))?;
        let selector = model.calibration(id).map_or(&model.selector, |calibration| &calibration.selector);
        Ok(Self {
            recordings,
            gate_ns: if model.gate.is_some() { GATE_NS } else { 0.0 },
            selection_ns: selector.selection_ns(),
            is_constant: selector.is_constant(),
            selector: finite.then(|| model.on_device(id, &device_features)),
            classes: find(recordings, "choice", &model.choices, |name| own.index(name))?,
            features,
            fallback: own.fallback().collect(),
        })
    }

    /// Chooses for a recorded input among the classes (of the recordings) that may run. The first of the model's
    /// ranking wins, else the default, else any. A feature that is not a finite number leaves only the last two, as at
    /// run time.
    pub fn choose(&self, input: usize, may_run: impl Fn(usize) -> bool) -> Option<usize> {
        choose(self.ranking_of(&self.features(input)), self.fallback.iter().copied(), may_run)
    }

    /// The share of exhaustive search of what would run for values of the model's features, where the classes have
    /// these shares.
    pub(super) fn share(&self, features: &[f64], shares: &[Option<f64>]) -> f64 {
        share_of_choice(shares, self.ranking_of(features), self.fallback.iter().copied())
    }

    /// Returns the time for choosing for a recorded input on a device, in nanoseconds, with its features; 0 where
    /// nothing is known of those.
    pub fn taken_ns(&self, task: &Task<'_>, device: usize, input: usize) -> f64 {
        task.costs.as_ref().map_or(0.0, |costs| self.taken_ns_by(costs, device, input))
    }

    /// As [`taken_ns`](Self::taken_ns), with these times of features.
    fn taken_ns_by(&self, costs: &FeatureCosts, device: usize, input: usize) -> f64 {
        if self.is_constant {
            return 0.0;
        }
        let Some(way) = self.selector.as_ref().and_then(|selector| selector.way(&self.features(input)))
        else {
            return self.gate_ns + self.selection_ns + costs.sum_ns(device, input, &self.features);
        };
        let seen = self.features.iter().enumerate().filter(|(feature, _)| way.has_seen(*feature));
        let seen: Vec<usize> = seen.map(|(_, &feature)| feature).collect();
        walk_ns(way.comparisons) + costs.sum_ns(device, input, &seen)
    }

    /// The values of the model's features for a recorded input.
    pub(super) fn features(&self, input: usize) -> Vec<f64> {
        let row = &self.recordings.inputs[input].features;
        self.features.iter().map(|&feature| row[feature]).collect()
    }

    /// The model's own first choice for values of its features.
    pub(super) fn first(&self, features: &[f64]) -> Option<usize> {
        self.selector.as_ref()?.first(features)
    }

    /// Returns the lead of the model's first choice for a recorded input over its second, 0 to 1; 1 where it knows one
    /// only.
    pub fn margin(&self, input: usize) -> f64 {
        let ranked = self.selector.as_ref().map(|selector| selector.rank(&self.features(input)));
        match ranked.as_deref() {
            Some([first, second, ..]) => first.confidence - second.confidence,
            _ => 1.0,
        }
    }

    /// The model's ranking for values of its features.
    fn ranking_of(&self, features: &[f64]) -> impl Iterator<Item = usize> {
        let finite = features.iter().all(|value| value.is_finite());
        let ranking = self.selector.as_ref().filter(|_| finite).map(|selector| selector.rank(features));
        ranking.into_iter().flatten().map(|ranked| self.classes[ranked.choice])
    }
}

/// The share of exhaustive search that a model achieves on each of some inputs of one recorded device; inputs
/// without any success there are left out. Positions refer to the recordings.
///
/// # Errors
///
/// When the model's features, device features or variants are not those of the recordings.
pub fn shares_of_model(
    recordings: &Recordings,
    performance: &PerformanceTable,
    model: &Model,
    device: usize,
    inputs: &[usize],
) -> Result<Vec<f64>, EvaluateError> {
    let chooser = Chooser::of_classes(recordings, performance.classes(), model, device)?;
    let shares = inputs.par_iter().filter_map(|&input| {
        let shares = performance.shares(device, input)?;
        Some(chooser.share(&chooser.features(input), shares))
    });
    Ok(shares.collect())
}

/// Returns the [`shares_of_model`] of these inputs with the time for choosing counted, as a fit counts it.
pub(crate) fn net_shares_of_model(
    recordings: &Recordings,
    (performance, costs): (&PerformanceTable, &FeatureCosts),
    model: &Model,
    device: usize,
    (inputs, shares): (&[usize], &[f64]),
) -> Result<Vec<f64>, EvaluateError> {
    let chooser = Chooser::of_classes(recordings, performance.classes(), model, device)?;
    let judged = inputs.iter().filter(|&&input| performance.shares(device, input).is_some());
    let mut net = Vec::with_capacity(shares.len());
    for (&input, &share) in judged.zip(shares) {
        let best_ns = counted_ns(performance.best_ns(device, input));
        net.push(net_share(share, best_ns, chooser.taken_ns_by(costs, device, input)));
    }
    Ok(net)
}

/// Finds each name of a model in the recordings.
fn find<T>(
    recordings: &Recordings,
    kind: &'static str,
    names: &[String],
    value: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, EvaluateError> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        found.push(value(name).ok_or_else(|| EvaluateError::ForeignModel {
            function: recordings.function.clone(),
            kind,
            name: name.clone(),
        })?);
    }
    Ok(found)
}
