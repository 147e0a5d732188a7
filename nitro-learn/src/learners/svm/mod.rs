//! Support-vector machines, one against one.

mod grid;
mod kernel;
#[cfg(feature = "linfa")]
mod linfa;
mod machine;
mod samples;
mod smo;

use nitro_core::model::{Selector, svm_ns};

use self::grid::Grid;
#[cfg(feature = "linfa")]
pub use self::linfa::LinfaSvm;
pub use self::machine::{Machine, Parameters};
use self::samples::FINAL_EFFORT;
pub use self::samples::{SEARCH_EFFORT, SamplesByClass};
pub use self::smo::{BinarySolver, Smo, Stop};
use super::{Hyperparameters, Learner, TrainingResult, TrainingSet};
use crate::learners::transfer::{Transfer, TransferPlan, by_machines};
use crate::task::Task;

/// So many support vectors a machine has that is shipped, as a rule.
const USUAL_SUPPORT: usize = 300;

/// Every error is equally bad.
pub const SVM: Svms = Svms { name: "svm", short_name: "svm", description: "SVM", by_regret: false };

/// An error is weighted by what it loses.
pub const WEIGHTED_SVM: Svms = Svms {
    name: "svm-weighted",
    short_name: "svm-w",
    description: "SVM, inputs weighted by what a wrong choice costs",
    by_regret: true,
};

/// C-SVC with the radial basis function kernel.
pub struct Svms {
    name: &'static str,
    short_name: &'static str,
    description: &'static str,
    /// True if an error is weighted by what it loses, so that machines do not spend their support vectors on inputs for
    /// which two variants are equally good. (The weight of a sample is its cost of confusion, as in Lin, "Reduction
    /// from cost-sensitive multiclass classification to one-versus-one binary classification", 2014; here over the
    /// samples whose best class is one of the pair.)
    by_regret: bool,
}

impl Learner for Svms {
    fn name(&self) -> &'static str {
        self.name
    }

    fn short_name(&self) -> &'static str {
        self.short_name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn selection_ns(&self) -> f64 {
        svm_ns(USUAL_SUPPORT)
    }

    fn tune(&self, set: &TrainingSet<'_>) -> Hyperparameters {
        grid::search(set, self.by_regret, &Grid::default()).into()
    }

    fn train(&self, set: &TrainingSet<'_>, hyperparameters: &Hyperparameters) -> TrainingResult {
        let Parameters { cost, gamma } = hyperparameters.into();
        let inputs = &set.task.space;
        let devices = set.task.device_space(set.sources, set.device_features);
        let samples =
            SamplesByClass::of(set, self.by_regret, if set.is_final { FINAL_EFFORT } else { SEARCH_EFFORT });
        let stop = if set.is_final { Stop::default() } else { Stop::of_search(samples.samples().len()) };
        let machine = samples.train(&Smo, stop, inputs, &devices, gamma, &[cost]).remove(0);
        let svm = machine.to_svm(&samples, inputs, &devices, gamma);
        TrainingResult { selector: Selector::Svm(svm), converged: machine.converged() }
    }

    /// Weighted machines were tried with tables of their own: 97.84 instead of 97.83 % of exhaustive search with a
    /// device left out, 96.64 instead of 96.89 with a machine left out, and as much time again.
    fn selects_by(&self) -> Option<&'static dyn Learner> {
        self.by_regret.then_some(&SVM)
    }

    fn transfer(&self, task: &Task<'_>, plan: &TransferPlan<'_>) -> Transfer {
        by_machines(task, plan, self.by_regret)
    }
}

#[cfg(test)]
mod tests;
