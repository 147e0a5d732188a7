//! How close selectors come to exhaustive search on devices they were not trained on.
//!
//! Leave-one-device-out: each device in turn is held out, selectors are fitted on the others from training inputs, and
//! judged on the held-out device by test inputs. A figure is (time of the best variant of that input on that device) /
//! (time of the chosen one), 1.0 = exhaustive search; a chosen variant that failed or answered wrong counts as 0; an
//! inadmissible one is passed over for the next in the ranking, as at run time.

mod benefit;
mod chooser;
mod error;
mod figures;
mod overhead;
mod pairs;
mod split;
mod statistics;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use nitro_core::model::Model;
use rayon::prelude::*;
use serde::Serialize;

pub use benefit::feature_benefits;
pub use chooser::Chooser;
pub use error::EvaluateError;
pub use figures::{Figures, Selectors, quantile, selector_names};
pub use pairs::{PairTable, Pairs};
pub use split::Split;
pub use statistics::{Sensitivity, VariantStatistics, best_variant_shares, sensitivity};

use crate::learn::study::{Study, StudyOptions};
use crate::learn::{
    DeviceFeatures, PerformanceTable, Strategy, Task, check_samples, resolve_sources,
    share_of_first_admissible,
};
use crate::recordings::Recordings;

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
    /// How much the best variant depends on the device, over the test inputs.
    #[serde(skip)]
    pub sensitivity: Sensitivity,
    /// The devices two by two.
    #[serde(skip)]
    pub pairs: Pairs,
}

/// What every selector achieved on one held-out device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceEvaluation {
    /// The device.
    pub held_out: String,
    /// The devices that were learned from.
    pub sources: Vec<String>,
    /// Figures; a selector that does not apply is absent.
    pub selectors: Selectors,
    /// Device features that a selector used.
    pub device_features: BTreeMap<&'static str, Vec<String>>,
    /// The strategy that `auto` is here.
    pub auto_is: &'static str,
    /// What the figures summarise: the share of each test input, in the order of the inputs.
    #[serde(skip)]
    pub shares: Shares,
    /// The model that `auto` is here.
    #[serde(skip)]
    pub auto_model: Model,
    /// Test inputs that the figures leave out: not measured completely on this device, or without any success.
    #[serde(skip)]
    pub left_out: usize,
}

/// By selector the share of exhaustive search on each test input.
pub type Shares = BTreeMap<&'static str, Vec<f64>>;

/// How to evaluate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluateOptions {
    /// What the search for C and γ and the selection of device features try.
    pub study: StudyOptions,
    /// Seed of everything random.
    pub seed: u64,
}

/// Holds out each device in turn.
///
/// # Errors
///
/// When fewer than two devices are recorded, when one side of the split is empty, or when there is nothing to learn
/// from.
pub fn evaluate(
    recordings: &Recordings,
    split: &Split,
    options: &EvaluateOptions,
) -> Result<Evaluation, EvaluateError> {
    evaluate_with(recordings, split, options, |_| ())
}

/// As [`evaluate`], and tells of each held-out device as soon as it is judged.
///
/// # Errors
///
/// As [`evaluate`].
pub fn evaluate_with(
    recordings: &Recordings,
    split: &Split,
    options: &EvaluateOptions,
    judged: impl Fn(&DeviceEvaluation),
) -> Result<Evaluation, EvaluateError> {
    split.check(recordings)?;
    if recordings.devices.len() < 2 {
        return Err(EvaluateError::TooFewDevices {
            function: recordings.function.clone(),
            devices: recordings.devices.len(),
        });
    }
    let performance = PerformanceTable::new(recordings)?;
    let task = Task::new(recordings, &performance, &split.train, options.seed);
    let bench = Bench::new(&task, &split.test, options);
    let devices = (0..recordings.devices.len())
        .filter(|&device| bench.has_tests(device))
        .map(|device| {
            let sources = (0..recordings.devices.len()).filter(|&other| other != device).collect();
            bench.hold_out(device, sources, None).inspect(|evaluation| judged(evaluation))
        })
        .collect::<Result<_, _>>()?;
    Ok(Evaluation {
        function: recordings.function.clone(),
        variants: recordings.variants.clone(),
        train_inputs: split.train.len(),
        test_inputs: split.test.len(),
        devices,
        sensitivity: sensitivity(recordings, &performance, &split.test),
        pairs: bench.pairs()?,
    })
}

/// Holds out one device, for which `shipped` was fitted on the named ones: `auto` is that very model, the other selectors are
/// fitted here.
///
/// # Errors
///
/// When the model is of other recordings, when a device is not in the recordings, when one side of the split is empty, or when there is nothing to learn from or
/// to test on.
pub fn evaluate_on(
    recordings: &Recordings,
    split: &Split,
    held_out: &str,
    sources: &[String],
    shipped: &Model,
    options: &EvaluateOptions,
) -> Result<DeviceEvaluation, EvaluateError> {
    split.check(recordings)?;
    let device = resolve_sources(recordings, &[held_out.to_owned()])?[0];
    let sources = resolve_sources(recordings, sources)?;
    let performance = PerformanceTable::new(recordings)?;
    let task = Task::new(recordings, &performance, &split.train, options.seed);
    let bench = Bench::new(&task, &split.test, options);
    if !bench.has_tests(device) {
        return Err(EvaluateError::NoTests {
            function: recordings.function.clone(),
            device: held_out.to_owned(),
        });
    }
    bench.hold_out(device, sources, Some(shipped))
}

/// The share of exhaustive search that a model achieves on each of some inputs of one recorded device; inputs without any
/// success there are left out. Positions refer to the recordings.
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
    let chooser = Chooser::new(recordings, model, device)?;
    let share = |&input: &usize| {
        let shares = performance.shares(device, input)?;
        Some(share_of_first_admissible(shares, chooser.ranking(input)))
    };
    Ok(inputs.par_iter().filter_map(share).collect())
}

/// One evaluation under way.
struct Bench<'a> {
    task: &'a Task<'a>,
    test: &'a [usize],
    options: &'a EvaluateOptions,
    /// A machine trained on one device alone, where it has training samples: what a majority is made of.
    local: Vec<Option<Model>>,
    /// What `fit` would ship of one device's own measurements, each fitted when it is first asked for.
    alone: Vec<OnceLock<Option<Model>>>,
}

impl<'a> Bench<'a> {
    fn new(task: &'a Task<'a>, test: &'a [usize], options: &'a EvaluateOptions) -> Self {
        let local = |device: usize| {
            check_samples(task, &[device]).ok()?;
            let study = Study::new(task, vec![device], None, &options.study);
            Some(study.fit(Strategy::SVM_NONE).model)
        };
        let devices = 0..task.recordings.devices.len();
        let alone = devices.clone().map(|_| OnceLock::new()).collect();
        Self { task, test, options, local: devices.map(local).collect(), alone }
    }

    fn has_tests(&self, device: usize) -> bool {
        self.test.iter().any(|&input| self.task.performance.shares(device, input).is_some())
    }

    /// `auto` is `shipped`, or without one what `fit` would ship.
    fn hold_out(
        &self,
        device: usize,
        sources: Vec<usize>,
        shipped: Option<&Model>,
    ) -> Result<DeviceEvaluation, EvaluateError> {
        let recordings = self.task.recordings;
        check_samples(self.task, &sources)?;
        let known: BTreeSet<String> = recordings.devices[device].features.keys().cloned().collect();
        let study = Study::new(self.task, sources.clone(), Some(&known), &self.options.study);
        let mut models = fit_all(&study);
        let features_of = |(strategy, model): (&Strategy, &Model)| {
            let uses_any = strategy.device_features != DeviceFeatures::None;
            uses_any.then(|| (strategy.name(), model.device_features.clone()))
        };
        let mut device_features: BTreeMap<_, _> = models.iter().filter_map(features_of).collect();
        let mut shares = self.shares(device, &sources, &models)?;
        if let Some((feature, best)) = self.best_single_feature(device, &study)? {
            device_features.insert("best-single-feature", vec![feature]);
            shares.insert("best-single-feature", best);
        }
        let auto_model = match shipped {
            Some(model) => model.clone(),
            None => models.remove(&study.auto()).expect("what is compared is fitted"),
        };
        let auto: Strategy = auto_model.provenance.strategy.parse()?;
        shares.insert("auto", self.shares_of(&auto_model, device)?);
        let measured = |input: &&usize| self.task.performance.shares(device, **input).is_some();
        Ok(DeviceEvaluation {
            held_out: recordings.devices[device].id.clone(),
            sources: sources.iter().map(|&source| recordings.devices[source].id.clone()).collect(),
            selectors: Selectors::of(&shares),
            shares,
            device_features,
            auto_is: auto.name(),
            auto_model,
            left_out: self.test.len() - self.test.iter().filter(measured).count(),
        })
    }

    /// What these models and the selectors to compare them with achieve on the test inputs.
    fn shares(
        &self,
        device: usize,
        sources: &[usize],
        models: &BTreeMap<Strategy, Model>,
    ) -> Result<Shares, EvaluateError> {
        let of_model =
            |(strategy, model): (&Strategy, &Model)| Ok((strategy.name(), self.shares_of(model, device)?));
        let mut shares: Shares = models.iter().map(of_model).collect::<Result<_, EvaluateError>>()?;
        shares.insert("random", self.random(device));
        shares.insert("majority", self.majority(device, sources)?);
        if let Some(model) = self.target_trained(device) {
            shares.insert("target-trained", self.shares_of(model, device)?);
        }
        Ok(shares)
    }

    fn shares_of(&self, model: &Model, device: usize) -> Result<Vec<f64>, EvaluateError> {
        shares_of_model(self.task.recordings, self.task.performance, model, device, self.test)
    }

    /// The ceiling: what `fit` would ship of the device's own measurements, where it has training samples.
    fn target_trained(&self, device: usize) -> Option<&Model> {
        let fit = || {
            check_samples(self.task, &[device]).ok()?;
            let study = Study::new(self.task, vec![device], None, &self.options.study);
            Some(study.fit(study.auto()).model)
        };
        self.alone[device].get_or_init(fit).as_ref()
    }

    /// An oracle: of the machines with one device feature the one that does best on the test inputs themselves.
    fn best_single_feature(
        &self,
        device: usize,
        study: &Study<'_>,
    ) -> Result<Option<(String, Vec<f64>)>, EvaluateError> {
        let mut best: Option<(String, Vec<f64>)> = None;
        for feature in &study.candidates().usable {
            let features = std::slice::from_ref(feature);
            let model = study.fit_with("best-single-feature", Strategy::SVM_NONE, features).model;
            let shares = self.shares_of(&model, device)?;
            let sum = |shares: &[f64]| shares.iter().sum::<f64>();
            if best.as_ref().is_none_or(|(_, best)| sum(&shares) > sum(best)) {
                best = Some((feature.clone(), shares));
            }
        }
        Ok(best)
    }

    /// A variant drawn from the admissible ones, on average.
    fn random(&self, device: usize) -> Vec<f64> {
        let mean = |&input: &usize| {
            let shares = self.task.performance.shares(device, input)?;
            let admissible: Vec<f64> = shares.iter().flatten().copied().collect();
            Some(admissible.iter().sum::<f64>() / admissible.len() as f64)
        };
        self.test.iter().filter_map(mean).collect()
    }

    /// One model a source, each with one vote for the first variant of its ranking that is admissible; of equals the
    /// first variant.
    fn majority(&self, device: usize, sources: &[usize]) -> Result<Vec<f64>, EvaluateError> {
        let recordings = self.task.recordings;
        let models = sources.iter().filter_map(|&source| self.local[source].as_ref());
        let choosers: Vec<Chooser<'_>> =
            models.map(|model| Chooser::new(recordings, model, device)).collect::<Result<_, _>>()?;
        let share = |&input: &usize| {
            let shares = self.task.performance.shares(device, input)?;
            let mut votes = vec![0_usize; recordings.variants.len()];
            for chooser in &choosers {
                if let Some(variant) = chooser.ranking(input).find(|&variant| shares[variant].is_some()) {
                    votes[variant] += 1;
                }
            }
            let most = votes.iter().max()?;
            let winner = votes.iter().position(|count| count == most)?;
            shares[winner]
        };
        Ok(self.test.par_iter().filter_map(share).collect())
    }
}

/// A model of every strategy that applies.
fn fit_all(study: &Study<'_>) -> BTreeMap<Strategy, Model> {
    let without_device_features = study.candidates().usable.is_empty();
    let applies = |strategy: &Strategy| {
        let is_all = strategy.device_features == DeviceFeatures::All;
        study.applies(*strategy) && !(is_all && without_device_features)
    };
    Strategy::all().filter(applies).map(|strategy| (strategy, study.fit(strategy).model)).collect()
}

#[cfg(test)]
mod tests;
