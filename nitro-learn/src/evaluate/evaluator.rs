//! Every selector fitted on some devices, and judged on one that is held out.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use nitro_core::DeviceId;
use nitro_core::model::{Calibration, Model};
use nitro_store::recordings::{DeviceRecord, Recordings};

use super::baselines;
use super::chooser::{net_shares_of_model, shares_of_model};
use super::error::EvaluateError;
use super::evaluation::{ByEffort, DeviceEvaluation, Shares};
use super::figures::{Figures, Selectors};
use super::stability::{Resampled, choices, ties};
use crate::calibration::{Calibrator, MOST_MEASURED};
use crate::comparison::{Comparison, compare_all};
use crate::learners::CALIBRATED;
use crate::paying::Shipped;
use crate::study::Study;
use crate::task::Task;
use crate::{DeviceFeatures, Objective, Strategy, StudyOptions};

/// Options of an evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluateOptions {
    /// Options of the selection of device features.
    pub study: StudyOptions,
    /// The order among selectors where one is chosen: for `auto`.
    pub objective: Objective,
    /// The group that is left out: every device by itself, or with all others of its machine or in its regime.
    pub leave_out: LeaveOut,
    /// Numbers of measured training inputs with which the shipped model is calibrated for the held-out device.
    pub calibration: Vec<usize>,
    /// Numbers of seconds of measuring with which it is calibrated.
    pub calibration_seconds: Vec<usize>,
    /// Number of times that everything is learned anew from other draws of the recorded times, to see which choices
    /// change.
    pub draws: usize,
    /// Recordings of the same inputs from another time, each learned from in the place of a draw.
    pub recorded_again: Vec<Recordings>,
    /// Seed of everything random.
    pub seed: u64,
}

/// The group that is held out at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeaveOut {
    /// One device.
    #[default]
    Device,
    /// All devices of one machine: they share its chip.
    Machine,
    /// All devices in one regime.
    Regime,
}

impl LeaveOut {
    /// The devices that are learned from where one is held out, as positions among all of them.
    ///
    /// ```
    /// use nitro_learn::evaluate::LeaveOut;
    /// use nitro_store::recordings::DeviceRecord;
    ///
    /// let devices = ["host:1@a", "host:4@a", "host:4@b", "host:4+cold@b"];
    /// let devices = devices.map(|id| DeviceRecord { id: id.into(), features: Default::default() });
    /// assert_eq!(LeaveOut::Device.sources(&devices, 0), [1, 2, 3]);
    /// assert_eq!(LeaveOut::Machine.sources(&devices, 0), [2, 3]);
    /// assert_eq!(LeaveOut::Regime.sources(&devices, 0), [3]);
    /// ```
    ///
    /// # Panics
    /// When there is no such device.
    pub fn sources(self, devices: &[DeviceRecord], held_out: usize) -> Vec<usize> {
        let own = DeviceId::new(&devices[held_out].id);
        let mut sources: Vec<usize> = (0..devices.len()).filter(|&other| other != held_out).collect();
        sources.retain(|&other| {
            let other = DeviceId::new(&devices[other].id);
            match self {
                Self::Device => true,
                Self::Machine => other.machine().is_none() || other.machine() != own.machine(),
                Self::Regime => other.regime() != own.regime(),
            }
        });
        sources
    }
}

/// Everything that is learned from some sources for a device that is held out.
pub(super) struct Learned<'a> {
    /// The device features that the device knows.
    known: BTreeSet<String>,
    study: Study<'a>,
    models: BTreeMap<Strategy, Model>,
    /// The reference with one device feature each.
    singles: Vec<(String, Model)>,
    comparison: Comparison,
    /// What `fit` would ship.
    shipped: Shipped<'a>,
    auto: Model,
}

/// One evaluation under way.
pub(super) struct Evaluator<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) test: &'a [usize],
    options: &'a EvaluateOptions,
    resampled: Resampled,
    /// The reference trained on one device alone, where it has training samples: what a majority is made of, and on
    /// the held-out device Nitro of 2014.
    local: Vec<Option<Model>>,
    /// The model that `fit` would ship of one device's own measurements, each fitted when it is first asked for.
    alone: Vec<OnceLock<Option<Model>>>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(
        task: &'a Task<'a>,
        test: &'a [usize],
        options: &'a EvaluateOptions,
    ) -> Result<Self, EvaluateError> {
        let devices = 0..task.recordings.devices.len();
        let alone = devices.clone().map(|_| OnceLock::new()).collect();
        let local = devices.map(|device| baselines::reference_of(task, device, &options.study)).collect();
        let resampled = Resampled::new(task.recordings, options)?;
        Ok(Self { task, test, options, resampled, local, alone })
    }

    pub(super) fn has_tests(&self, device: usize) -> bool {
        self.test.iter().any(|&input| self.task.performance.shares(device, input).is_some())
    }

    /// Learns from these sources what is judged on a device that is held out. Of `last`, what was learned for another
    /// device, everything is taken over where that device had the same sources and device features.
    pub(super) fn learn(
        &self,
        device: usize,
        sources: Vec<usize>,
        last: Option<Learned<'a>>,
    ) -> Result<Learned<'a>, EvaluateError> {
        let recordings = self.task.recordings;
        if sources.is_empty() {
            let function = recordings.function.clone();
            return Err(match self.options.leave_out {
                LeaveOut::Regime => {
                    EvaluateError::TooFewRegimes { function, regime: recordings.devices[device].regime() }
                }
                LeaveOut::Device | LeaveOut::Machine => EvaluateError::TooFewMachines { function },
            });
        }
        self.task.check_samples(&sources)?;
        let known = recordings.devices[device].known_features();
        if let Some(last) = last.filter(|last| last.known == known && last.study.sources() == sources) {
            return Ok(last);
        }
        let study = Study::new(self.task, sources, Some(&known), &self.options.study);
        let models = fit_all(&study);
        let (singles, comparison) = (baselines::single_features(&study), compare_all(&study));
        let shipped = Shipped::of(&study, &comparison, comparison.choice());
        let auto = match &shipped.narrowed {
            Some((study, comparison)) => comparison.fit(study, shipped.strategy).model,
            None => comparison.equipped(shipped.strategy, models[&shipped.strategy].clone()),
        };
        Ok(Learned { known, study, models, singles, comparison, shipped, auto })
    }

    /// Judges what was learned for a device on it. `auto` is `given`, or without one what `fit` would ship.
    pub(super) fn hold_out(
        &self,
        device: usize,
        learned: &Learned<'a>,
        given: Option<&Model>,
    ) -> Result<DeviceEvaluation, EvaluateError> {
        let recordings = self.task.recordings;
        let Learned { study, models, singles, comparison, auto, .. } = learned;
        let sources = study.sources();
        let mut device_features = BTreeMap::new();
        for (strategy, model) in models {
            if strategy.device_features != DeviceFeatures::None {
                device_features.insert(strategy.name(), model.device_features.clone());
            }
        }
        let mut shares = self.shares(device, sources, models)?;
        let mut net_shares = self.net_shares(device, models, &shares)?;
        let oracle = baselines::best_single_feature(singles, |model| self.shares_of(model, device))?;
        if let Some((feature, best)) = oracle {
            device_features.insert("best-single-feature", vec![feature]);
            shares.insert("best-single-feature", best);
        }
        let auto_model = given.unwrap_or(auto).clone();
        let estimating = comparison.choice_of_learner(CALIBRATED);
        let calibrated =
            estimating.map(|strategy| self.calibrated(learned, device, strategy, &auto_model)).transpose()?;
        let [calibrated, calibrated_seconds] = calibrated.unwrap_or_default();
        let auto: Strategy = auto_model.provenance.strategy.parse()?;
        shares.insert("auto", self.shares_of(&auto_model, device)?);
        net_shares.extend(self.net_shares_of("auto", &auto_model, device, &shares)?);
        let performance = &self.task.performance;
        let left_out = self.test.iter().filter(|&&input| performance.shares(device, input).is_none()).count();
        let random_successful = baselines::random_successful(performance, device, self.test);
        let some_failed = random_successful != shares["random"];
        let chosen = choices(self.task, &auto_model, device, self.test)?;
        let judged = (device, self.test, chosen.as_slice());
        let flips = self.resampled.flips(self.task, self.options, (sources, &auto_model), judged)?;
        Ok(DeviceEvaluation {
            held_out: recordings.devices[device].id.clone(),
            machine: recordings.devices[device].machine().to_owned(),
            sources: sources.iter().map(|&source| recordings.devices[source].id.clone()).collect(),
            selectors: Selectors::of(&shares),
            random_successful: Figures::new(random_successful).filter(|_| some_failed),
            with_features: Selectors::of(&net_shares),
            calibrated,
            calibrated_seconds,
            ties: ties(self.task, judged),
            flips: flips.as_ref().map(|flips| flips.inputs),
            flips_regret: flips.map(|flips| flips.regret),
            shares,
            net_shares,
            device_features,
            auto_is: auto.name(),
            auto_model,
            left_out,
        })
    }

    /// Returns what these models and the selectors to compare them with achieve on the test inputs.
    fn shares(
        &self,
        device: usize,
        sources: &[usize],
        models: &BTreeMap<Strategy, Model>,
    ) -> Result<Shares, EvaluateError> {
        let mut shares = Shares::new();
        for (strategy, model) in models {
            shares.insert(strategy.name(), self.shares_of(model, device)?);
        }
        shares.insert("random", baselines::random(&self.task.performance, device, self.test));
        let local: Vec<&Model> = sources.iter().filter_map(|&source| self.local[source].as_ref()).collect();
        shares.insert("majority", baselines::majority(self.task, &local, device, self.test)?);
        if let Some(model) = &self.local[device] {
            shares.insert("nitro-2014", self.shares_of(model, device)?);
        }
        if let Some(model) = self.target_trained(device) {
            shares.insert("target-trained", self.shares_of(model, device)?);
        }
        Ok(shares)
    }

    /// As [`shares`](Self::shares) with the time for choosing counted, of the models alone.
    fn net_shares(
        &self,
        device: usize,
        models: &BTreeMap<Strategy, Model>,
        shares: &Shares,
    ) -> Result<Shares, EvaluateError> {
        let named = models.iter().map(|(strategy, model)| (strategy.name(), model));
        let nitro = self.local[device].as_ref().map(|model| ("nitro-2014", model));
        let alone = self.target_trained(device).map(|model| ("target-trained", model));
        named
            .chain(nitro)
            .chain(alone)
            .filter_map(|(name, model)| self.net_shares_of(name, model, device, shares).transpose())
            .collect()
    }

    fn net_shares_of(
        &self,
        name: &'static str,
        model: &Model,
        device: usize,
        shares: &Shares,
    ) -> Result<Option<(&'static str, Vec<f64>)>, EvaluateError> {
        let Some(costs) = &self.task.costs else { return Ok(None) };
        let (recordings, judged) = (self.task.recordings, (self.test, shares[name].as_slice()));
        let net = net_shares_of_model(recordings, (&self.task.performance, costs), model, device, judged)?;
        Ok(Some((name, net)))
    }

    /// Returns what the shipped model achieves once so many training inputs were measured on the device, and once was
    /// measured for so many seconds.
    fn calibrated(
        &self,
        learned: &Learned<'a>,
        device: usize,
        estimating: Strategy,
        shipped: &Model,
    ) -> Result<[ByEffort; 2], EvaluateError> {
        let EvaluateOptions { calibration, calibration_seconds, .. } = self.options;
        let mut by_effort = [ByEffort::new(), ByEffort::new()];
        if calibration.is_empty() && calibration_seconds.is_empty() {
            return Ok(by_effort);
        }
        let Learned { study, models, shipped: of_study, .. } = learned;
        let (study, estimating) = match &of_study.narrowed {
            Some((narrowed, _)) => (narrowed, Cow::Owned(narrowed.fit(estimating).model)),
            None => (study, Cow::Borrowed(&models[&estimating])),
        };
        // A model from elsewhere may know other choices and features than would be told apart here.
        if (&estimating.choices, &estimating.features) != (&shipped.choices, &shipped.features) {
            return Ok(by_effort);
        }
        let calibrator = Calibrator::new(study, &estimating, device);
        let within_seconds = if calibration_seconds.is_empty() { 0 } else { MOST_MEASURED };
        let most = calibration.iter().copied().chain([within_seconds]).max().unwrap_or(0);
        let order = calibrator.inputs(most, calibrator.measured(), &[]);
        let achieved = |calibration: Option<Calibration>| -> Result<Option<Figures>, EvaluateError> {
            let calibrations = calibration.into_iter().collect();
            Ok(Figures::new(self.shares_of(&Model { calibrations, ..shipped.clone() }, device)?))
        };
        for &count in calibration {
            let fitted = calibrator.fit(&order[..count.min(order.len())], shipped);
            by_effort[0].extend(achieved(fitted)?.map(|figures| (count, figures)));
        }
        let probes = calibrator.probes(&order[..within_seconds.min(order.len())]);
        for &seconds in calibration_seconds {
            let fitted = calibrator.fit_within(&probes, 1e9 * seconds as f64, shipped);
            by_effort[1].extend(achieved(fitted)?.map(|figures| (seconds, figures)));
        }
        Ok(by_effort)
    }

    pub(super) fn shares_of(&self, model: &Model, device: usize) -> Result<Vec<f64>, EvaluateError> {
        shares_of_model(self.task.recordings, &self.task.performance, model, device, self.test)
    }

    /// The ceiling: what `fit` would ship of the device's own measurements, where it has training samples.
    pub(super) fn target_trained(&self, device: usize) -> Option<&Model> {
        self.alone[device].get_or_init(|| self.fit_on(device)).as_ref()
    }

    /// The model that `fit` would ship of one device's own measurements.
    fn fit_on(&self, device: usize) -> Option<Model> {
        self.task.check_samples(&[device]).ok()?;
        let study = Study::new(self.task, vec![device], None, &self.options.study);
        let comparison = compare_all(&study);
        Some(Shipped::of(&study, &comparison, comparison.choice()).fit(&study, &comparison).model)
    }
}

/// A model of every strategy that applies.
fn fit_all(study: &Study<'_>) -> BTreeMap<Strategy, Model> {
    let without_device_features = study.candidates().usable.is_empty();
    let mut models = BTreeMap::new();
    for strategy in Strategy::all().filter(|&strategy| study.applies(strategy)) {
        if strategy.device_features != DeviceFeatures::All || !without_device_features {
            models.insert(strategy, study.fit(strategy).model);
        }
    }
    models
}
