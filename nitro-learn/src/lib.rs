//! From measurements on source devices to a selector for devices that nobody measured: [`fit`](fit()).
//!
//! In the order in which data goes:
//!
//! - `classes`: what is told apart; `performance`: what each achieved, as a share of the best.
//! - `task`: training inputs with scaled features and the distances between them (`space`).
//! - `learners`: the kinds of selectors behind one trait; a [`Strategy`] is one of them with a set of device features.
//! - `device_features`: which there are, and which to learn from.
//! - `study`: what is found out about one set of sources, each part when first asked for.
//! - `validation`: what strategies achieve on held-out sources and inputs; `comparison`: which one to ship.
//! - `caution`: what runs where a selector is unsure.
//! - `objective`: what makes one selector better than another.
//! - `costs`: what features and selectors take; `gate`: for which inputs that is not worth it; `paying`: which features
//!   are.
//! - `calibration`: what a few measurements on the device of use change.
//! - `coverage`: what counts as far from the training inputs and the source devices.
//! - `next_device`: which unmeasured device to measure next; [`active`]: which inputs to measure first.
//! - [`evaluate`]: how close selectors come to exhaustive search; [`explain`]: why one choice was made.
//! - [`check`]: whether a model may be shipped.
//!
//! SVMs, joined device features, P-DFS and CV-DFS are those of Muralidharan et al., "Architecture-Adaptive Code
//! Variant Tuning", ASPLOS 2016; everything in which they depart from it is listed, with its reason, in the guide
//! (`guide/src/paper.md`).
//!
//! Everything is deterministic: randomness is seeded, work is shared out in independent pieces whose results are
//! joined in a fixed order, so the number of threads does not show.
//!
//! The crate must not know how measurements are made, where they are kept, or commands.

pub mod active;
mod approximation;
pub mod calibration;
mod caution;
pub mod check;
mod classes;
mod comparison;
pub mod configurations;
mod costs;
mod coverage;
pub mod device_features;
mod error;
pub mod evaluate;
pub mod explain;
mod fit;
mod folds;
mod gate;
pub mod greedy;
pub mod learners;
pub mod next_device;
mod objective;
mod paying;
pub mod performance;
pub mod plain_table;
pub mod pruning;
pub mod scaling;
mod selection;
pub mod space;
mod spread;
mod strategy;
pub mod study;
pub mod task;
mod training_inputs;
mod validation;

pub use approximation::Approximation;
pub use caution::WhenUnsure;
pub use error::LearnError;
pub use fit::{FitOptions, Fitted, fit, resolve_sources};
pub use objective::Objective;
pub use paying::FeatureWorth;
pub use strategy::{DeviceFeatures, Strategy};
pub use study::StudyOptions;
