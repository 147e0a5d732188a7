//! Support-vector machines, one against one.

use nitro_core::model::Selector;

use super::{Learner, Lesson, Trained};
use crate::learn::grid::{Grid, search};
use crate::learn::smo::Stop;
use crate::learn::space::Sample;
use crate::learn::svm::{Hyperparameters, TrainingSet};
use crate::learn::task::search_stop;

/// C-SVC with the radial basis function kernel.
pub struct Svms {
    /// Whether an error is weighted by what it loses, so that machines do not spend their support vectors on inputs for which two variants
    /// are equally good. (The weight of a sample is its cost of confusion, as in Lin, "Reduction from cost-sensitive multiclass
    /// classification to one-versus-one binary classification", 2014; here over the samples whose best variant is one of the pair.)
    pub by_regret: bool,
}

impl Svms {
    /// The lesson's samples, grouped by class and weighted.
    pub fn training_set(&self, lesson: &Lesson<'_>) -> TrainingSet {
        let set = TrainingSet::new(lesson.task.samples(lesson.sources, lesson.inputs));
        if !self.by_regret {
            return set;
        }
        set.with_losses(|Sample { input, device, .. }, variant| {
            let input = lesson.task.inputs[input];
            let shares = lesson.task.performance.shares(lesson.sources[device], input)?;
            shares[variant].map(|share| 1.0 - share)
        })
    }
}

impl Learner for Svms {
    fn name(&self) -> &'static str {
        if self.by_regret { "svm-weighted" } else { "svm" }
    }

    fn tune(&self, lesson: &Lesson<'_>, grid: &Grid) -> Option<Hyperparameters> {
        Some(search(self, lesson, grid).hyperparameters)
    }

    fn train(&self, lesson: &Lesson<'_>, hyperparameters: Option<Hyperparameters>) -> Trained {
        let Hyperparameters { cost, gamma } = hyperparameters.expect("C and γ were searched for");
        let task = lesson.task;
        let set = self.training_set(lesson);
        let space = task.device_space(lesson.sources, lesson.device_features);
        let stop = if lesson.is_final { Stop::default() } else { search_stop(set.samples().len()) };
        let machine = set.train(task.solver, stop, &task.space, &space, gamma, &[cost]).remove(0);
        let svm = machine.to_svm(&set, &task.space, &space, gamma);
        Trained { selector: Selector::Svm(svm), converged: machine.converged() }
    }
}
