//! Everything that is found out about one set of source devices, each part when first asked for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use nitro_core::MAX_FEATURES;
use nitro_core::model::{Coverage, Model, Provenance};

use super::device_features::Candidates;
use super::learners::transfer::{Transfer, TransferPlan};
use super::learners::{Hyperparameters, Learner, TrainingSet, forest};
use super::pruning::prune;
use super::strategy::{DeviceFeatures, Strategy};
use super::task::{MIN_SOURCES, Task};

/// Options of the selection of device features by cross-validation (CV-DFS).
#[derive(Clone, Debug, PartialEq)]
pub struct StudyOptions {
    /// The largest subset of device features that CV-DFS tries, at least 1.
    pub subset_size: usize,
    /// Number of the winning subsets that are used together, the most frequent first, at least 1. The paper's k is
    /// another number: it counts features, of which its 1 keeps a single one.
    pub keep: usize,
}

impl Default for StudyOptions {
    /// Subsets of at most three, as in the paper, and of those that win the most frequent, with all of its features.
    fn default() -> Self {
        Self { subset_size: 3, keep: 1 }
    }
}

/// The key of hyperparameters: the name of a learner and the device features.
type Tuned = (&'static str, Vec<String>);

/// One set of source devices and what is learned from it.
pub struct Study<'a> {
    whole: &'a Task<'a>,
    /// The task with as many input features and choices as a model may have, where the whole one has more.
    narrowed: Option<Task<'a>>,
    sources: Vec<usize>,
    candidates: Candidates,
    options: &'a StudyOptions,
    tuned: RefCell<BTreeMap<Tuned, Hyperparameters>>,
    /// By learner.
    transfers: RefCell<BTreeMap<&'static str, Rc<Transfer>>>,
}

/// A fitted model and the hyperparameters it was fitted with.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedModel {
    /// The model.
    pub model: Model,
    /// The hyperparameters that its learner has found.
    pub hyperparameters: Hyperparameters,
    /// True if every solver reached its tolerance.
    pub converged: bool,
}

impl<'a> Study<'a> {
    /// Begins a study of these sources.
    pub fn new(
        task: &'a Task<'a>,
        sources: Vec<usize>,
        known_on_target: Option<&BTreeSet<String>>,
        options: &'a StudyOptions,
    ) -> Self {
        let narrowed = narrowed(task, &sources);
        Self { narrowed, ..Self::of_task(task, sources, known_on_target, options) }
    }

    /// Creates a study as [`new`](Self::new) does, with the input features and choices that the task has, which a model
    /// may have.
    pub fn of_task(
        task: &'a Task<'a>,
        sources: Vec<usize>,
        known_on_target: Option<&BTreeSet<String>>,
        options: &'a StudyOptions,
    ) -> Self {
        let candidates = Candidates::new(task, &sources, known_on_target);
        let (tuned, transfers) = Default::default();
        Self { whole: task, narrowed: None, sources, candidates, options, tuned, transfers }
    }

    /// The study with these of its input features alone (positions in [`Task::columns`]). Device features and
    /// hyperparameters that were found stay.
    pub fn with_columns(&self, columns: &[usize]) -> Self {
        let narrowed = Some(self.task().with_columns(columns));
        let (sources, candidates) = (self.sources.clone(), self.candidates.clone());
        let (tuned, transfers) = (self.tuned.clone(), self.transfers.clone());
        Self { whole: self.whole, narrowed, sources, candidates, options: self.options, tuned, transfers }
    }

    /// The inputs, features and measurements that are studied; no more input features and choices than a model may
    /// have.
    pub fn task(&self) -> &Task<'a> {
        self.narrowed.as_ref().unwrap_or(self.whole)
    }

    /// The source devices, as positions in the recordings.
    pub fn sources(&self) -> &[usize] {
        &self.sources
    }

    /// Candidate device features.
    pub fn candidates(&self) -> &Candidates {
        &self.candidates
    }

    /// The device features that a strategy would use.
    pub fn device_features(&self, strategy: Strategy) -> Vec<String> {
        match strategy.device_features {
            DeviceFeatures::None => Vec::new(),
            DeviceFeatures::Profile => self.candidates.relevant.clone().unwrap_or_default(),
            DeviceFeatures::CrossValidation => self.transfer(strategy).selected(self.options.keep),
            DeviceFeatures::All => self.candidates.usable.clone(),
        }
    }

    /// The device features that a strategy would use for one of the sources (a position in [`Study::sources`]) if
    /// that one were not a source.
    pub fn device_features_without(&self, strategy: Strategy, source: usize) -> Vec<String> {
        match strategy.device_features {
            DeviceFeatures::CrossValidation => {
                self.transfer(strategy).selected_without(source, self.options.keep)
            }
            DeviceFeatures::Profile => {
                let (left, right) = (&self.sources[..source], &self.sources[source + 1..]);
                Candidates::new(self.whole, &[left, right].concat(), None).relevant.unwrap_or_default()
            }
            DeviceFeatures::None | DeviceFeatures::All => self.device_features(strategy),
        }
    }

    /// Returns true if there is what the strategy learns from: P-DFS takes profiles that were made on a source.
    pub fn applies(&self, strategy: Strategy) -> bool {
        strategy.device_features != DeviceFeatures::Profile || self.candidates.relevant.is_some()
    }

    /// Fits one strategy on all sources.
    pub fn fit(&self, strategy: Strategy) -> FittedModel {
        let features = self.device_features(strategy);
        let hyperparameters = self.tuned(strategy.learner(), &features);
        self.train(strategy.name(), strategy.learner(), &features, hyperparameters)
    }

    /// Fits a strategy's learner with these device features instead of the strategy's, named as given in the
    /// model's provenance.
    pub fn fit_with(&self, name: &str, strategy: Strategy, features: &[String]) -> FittedModel {
        let hyperparameters = self.tuned(strategy.learner(), &self.candidates.usable);
        self.train(name, strategy.learner(), features, hyperparameters)
    }

    /// Returns true if the sources can tell device features apart at all.
    pub fn has_transfer(&self) -> bool {
        self.sources.len() >= MIN_SOURCES && !self.candidates.usable.is_empty()
    }

    /// The table that CV-DFS decides on for a strategy: what it compares are selectors of the strategy's own learner.
    pub fn transfer(&self, strategy: Strategy) -> Rc<Transfer> {
        let learner = strategy.learner();
        let learner = learner.selects_by().unwrap_or(learner);
        if let Some(known) = self.transfers.borrow().get(learner.name()) {
            return known.clone();
        }
        let plan = TransferPlan {
            sources: &self.sources,
            candidates: &self.candidates.distinct,
            plain: self.tuned(learner, &[]),
            joined: self.tuned(learner, &self.candidates.usable),
            subset_size: self.options.subset_size.max(1),
        };
        let filled = Rc::new(learner.transfer(self.task(), &plan));
        self.transfers.borrow_mut().insert(learner.name(), filled.clone());
        filled
    }

    /// The hyperparameters that do best on these sources.
    pub(super) fn tuned(&self, learner: &dyn Learner, features: &[String]) -> Hyperparameters {
        let key = (learner.name(), features.to_vec());
        if let Some(known) = self.tuned.borrow().get(&key) {
            return known.clone();
        }
        let inputs = self.task().all_inputs();
        let found = learner.tune(&self.training_set(&inputs, features));
        self.tuned.borrow_mut().insert(key, found.clone());
        found
    }

    fn training_set<'b>(&'b self, inputs: &'b [usize], device_features: &'b [String]) -> TrainingSet<'b> {
        TrainingSet { task: self.task(), sources: &self.sources, inputs, device_features, is_final: true }
    }

    fn train(
        &self,
        name: &str,
        learner: &dyn Learner,
        features: &[String],
        hyperparameters: Hyperparameters,
    ) -> FittedModel {
        let inputs = self.task().all_inputs();
        let trained = learner.train(&self.training_set(&inputs, features), &hyperparameters);
        let (recordings, classes) = (self.task().recordings, self.task().performance.classes().names());
        let provenance = Provenance {
            strategy: name.into(),
            sources: self.sources.iter().map(|&source| recordings.devices[source].id.clone()).collect(),
            training_inputs: self.task().inputs.len(),
            seed: self.task().seed,
            ..Provenance::default()
        };
        let model = Model {
            function: recordings.function.clone(),
            choices: classes.to_vec(),
            feature_digests: recordings.meanings.digests_of(&self.task().features()),
            features: self.task().features(),
            device_features: features.to_vec(),
            selector: trained.selector,
            gate: None,
            caution: None,
            is_distilled: false,
            training_inputs: Default::default(),
            artifacts: classes.iter().filter_map(|choice| recordings.artifact(choice)).collect(),
            calibrations: Vec::new(),
            coverage: Coverage::default(),
            provenance,
        };
        FittedModel { model, hyperparameters, converged: trained.converged }
    }
}

/// The task with as many choices and input features as a model may have, those that matter most on these sources;
/// none where there are no more than that.
fn narrowed<'a>(task: &Task<'a>, sources: &[usize]) -> Option<Task<'a>> {
    let classes = prune(&task.performance, sources, &task.inputs);
    let of_classes =
        (classes.len() < task.performance.classes().count()).then(|| task.with_classes(&classes));
    let task = of_classes.as_ref().unwrap_or(task);
    let many = task.columns.len() > MAX_FEATURES;
    let of_columns = many.then(|| task.with_telling_columns(&forest::important(task, sources, MAX_FEATURES)));
    of_columns.or(of_classes)
}
