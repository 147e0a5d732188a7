//! One variant for everything.

use nitro_core::model::Selector;

use super::{Learner, Lesson, Trained};
use crate::learn::svm::Hyperparameters;
use crate::learn::transfer::best_on_average;

/// The variant that is best on average on the sources.
pub struct Constant;

impl Learner for Constant {
    fn name(&self) -> &'static str {
        "static"
    }

    fn uses_features(&self) -> bool {
        false
    }

    fn train(&self, lesson: &Lesson<'_>, _: Option<Hyperparameters>) -> Trained {
        let variant = best_on_average(lesson.task, lesson.sources, lesson.inputs);
        Trained { selector: Selector::Constant { variant }, converged: true }
    }
}
