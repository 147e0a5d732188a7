//! Everything that is found out about one set of source devices, each part when first asked for.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use nitro_core::model::{Model, Provenance, Selector};

use super::device_features::Candidates;
use super::grid::{Grid, GridOptimum, search};
use super::smo::Stop;
use super::strategy::Strategy;
use super::svm::{Hyperparameters, TrainingSet};
use super::task::Task;
use super::transfer::{MIN_SOURCES, Transfer, TransferPlan, best_on_average, transfer};

/// One set of source devices and what is learned from it.
pub struct Study<'a> {
    task: &'a Task<'a>,
    sources: Vec<usize>,
    candidates: Candidates,
    grid: &'a Grid,
    keep: usize,
    plain: OnceCell<GridOptimum>,
    joined: OnceCell<GridOptimum>,
    transfer: OnceCell<Transfer>,
}

/// A fitted model and the hyperparameters it was fitted with.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedModel {
    /// The model.
    pub model: Model,
    /// C and γ; none for a constant selector.
    pub hyperparameters: Option<Hyperparameters>,
    /// Whether every solver reached its tolerance.
    pub converged: bool,
}

impl<'a> Study<'a> {
    /// Begins a study of these sources. `keep` is the number of frequent winners that CV-DFS keeps.
    pub fn new(
        task: &'a Task<'a>,
        sources: Vec<usize>,
        known_on_target: Option<&BTreeSet<String>>,
        grid: &'a Grid,
        keep: usize,
    ) -> Self {
        let candidates = Candidates::new(task, &sources, known_on_target);
        let (plain, joined, transfer) = Default::default();
        Self { task, sources, candidates, grid, keep, plain, joined, transfer }
    }

    /// Candidate device features.
    pub fn candidates(&self) -> &Candidates {
        &self.candidates
    }

    /// Fits one strategy on all sources.
    pub fn fit(&self, strategy: Strategy) -> FittedModel {
        match strategy {
            Strategy::Static => self.fit_constant(),
            Strategy::SvmNone => self.fit_svm(strategy.name(), &[], self.plain().hyperparameters),
            Strategy::SvmAll => {
                self.fit_svm(strategy.name(), &self.candidates.usable, self.joined().hyperparameters)
            }
            Strategy::SvmCrossValidation => {
                let features = self.transfer().selected(self.keep);
                let optimum = self.optimum(&features);
                self.fit_svm(strategy.name(), &features, optimum.hyperparameters)
            }
        }
    }

    /// Fits an SVM over input features and these device features, named as given in the model's provenance.
    pub fn fit_with(&self, name: &str, features: &[String]) -> FittedModel {
        self.fit_svm(name, features, self.joined().hyperparameters)
    }

    /// The strategy that does best on the sources alone, with what each achieves there: mean share over the temporary
    /// targets, best first.
    ///
    /// One source leaves nothing to try on, so it is `svm-none`; two leave one to learn from, which says nothing about
    /// device features, so only the strategies without them compete.
    pub fn auto(&self) -> Vec<(Strategy, Option<f64>)> {
        if self.sources.len() < 2 {
            return vec![(Strategy::SvmNone, None)];
        }
        let transfer = self.transfer();
        let none: Vec<f64> = transfer.scores.iter().map(|row| row[0]).collect();
        let mut scores = vec![(Strategy::Static, mean(&transfer.constant)), (Strategy::SvmNone, mean(&none))];
        if self.has_transfer() {
            scores.push((Strategy::SvmCrossValidation, mean(&transfer.selected_scores())));
            scores.push((Strategy::SvmAll, mean(&transfer.all)));
        }
        scores.sort_by(|a, b| b.1.total_cmp(&a.1)); // stable: ties go to the simpler
        scores.into_iter().map(|(strategy, score)| (strategy, Some(score))).collect()
    }

    /// Whether the sources can tell device features apart at all.
    pub fn has_transfer(&self) -> bool {
        self.sources.len() >= MIN_SOURCES && !self.candidates.usable.is_empty()
    }

    /// The table that CV-DFS and `auto` decide on.
    pub fn transfer(&self) -> &Transfer {
        self.transfer.get_or_init(|| {
            let (plain, joined) = (self.plain().hyperparameters, self.joined().hyperparameters);
            let Candidates { usable, distinct } = &self.candidates;
            let plan =
                TransferPlan { sources: &self.sources, candidates: distinct, all: usable, plain, joined };
            transfer(self.task, &plan)
        })
    }

    /// Hyperparameters for machines without device features.
    fn plain(&self) -> GridOptimum {
        *self.plain.get_or_init(|| self.optimum(&[]))
    }

    /// Hyperparameters for machines with all device features, also used wherever many subsets are tried.
    fn joined(&self) -> GridOptimum {
        *self.joined.get_or_init(|| match self.candidates.usable.as_slice() {
            [] => self.plain(),
            usable => self.optimum(usable),
        })
    }

    fn optimum(&self, features: &[String]) -> GridOptimum {
        search(self.task, &self.sources, features, self.grid)
    }

    fn fit_constant(&self) -> FittedModel {
        let variant = best_on_average(self.task, &self.sources, &self.task.all_inputs());
        let model = self.model(Strategy::Static.name(), &[], Selector::Constant { variant });
        FittedModel { model, hyperparameters: None, converged: true }
    }

    fn fit_svm(&self, name: &str, features: &[String], hyperparameters: Hyperparameters) -> FittedModel {
        let (task, gamma) = (self.task, hyperparameters.gamma);
        let set = TrainingSet::new(task.samples(&self.sources, &task.all_inputs()));
        let space = task.device_space(&self.sources, features);
        let costs = [hyperparameters.cost];
        let machine = set.train(task.solver, Stop::default(), &task.space, &space, gamma, &costs).remove(0);
        let svm = machine.to_svm(&set, &task.space, &space, gamma);
        let model = self.model(name, features, Selector::Svm(svm));
        FittedModel { model, hyperparameters: Some(hyperparameters), converged: machine.converged() }
    }

    fn model(&self, strategy: &str, device_features: &[String], selector: Selector) -> Model {
        let recordings = self.task.recordings;
        let provenance = Provenance {
            strategy: strategy.into(),
            sources: self.sources.iter().map(|&source| recordings.devices[source].id.clone()).collect(),
            training_inputs: self.task.inputs.len(),
            seed: self.task.seed,
            ..Provenance::default()
        };
        Model {
            function: recordings.function.clone(),
            variants: recordings.variants.clone(),
            features: recordings.features.clone(),
            device_features: device_features.to_vec(),
            selector,
            provenance,
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
