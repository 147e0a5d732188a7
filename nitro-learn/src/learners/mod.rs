//! The kinds of selectors, each behind one trait. A new one is a file here and an entry in [`LEARNERS`];
//! strategies, `auto`, the command line and the columns of an evaluation follow from that list. One in
//! [`ON_REQUEST`] is a strategy too, which `fit --selector` names.

mod constant;
pub mod forest;
mod learner;
pub mod svm;
#[cfg(test)]
mod tests;
mod training;
pub mod transfer;
mod tree;

pub use learner::Learner;
pub use training::{Hyperparameters, TrainingResult, TrainingSet};

/// The learners that `auto` chooses among and an evaluation compares, simpler ones first, which settles ties.
pub const LEARNERS: &[&dyn Learner] = &[
    &constant::Constant,
    &svm::SVM,
    &svm::WEIGHTED_SVM,
    &forest::Forests,
    #[cfg(test)]
    &tests::Always,
];

/// The learners for who asks for them by name. `auto` does not try them, since that would change which
/// models ship.
pub const ON_REQUEST: &[&dyn Learner] = &[&tree::TREE, &tree::TREE_LMS];

/// The learner that `auto` takes unless measurements speak clearly for another: the best of all on everything that was
/// ever recorded.
pub const ASSUMED: &dyn Learner = &forest::Forests;

/// The learner that others are compared with: the paper's, of which a majority and the oracle of one device feature are
/// made.
pub const REFERENCE: &dyn Learner = &svm::SVM;

/// The learner that calibration starts from and ends as: it estimates what every class costs, and its selectors are
/// what they were trained on alone.
pub const CALIBRATED: &dyn Learner = &forest::Forests;

/// The learner that is trained anew after every few measurements: nothing has to be tuned, and its confidence says
/// where to measure next.
pub const INCREMENTAL: &dyn Learner = &forest::Forests;
