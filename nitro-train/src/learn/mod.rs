//! From measurements on source devices to a selector for devices that nobody measured.
//!
//! - [`learners`]: the kinds of selectors behind one trait; a [`Strategy`] is one of them with a set of device features.
//! - [`PerformanceTable`]: what every variant achieved, as a share of the best one.
//! - [`Task`]: training inputs with scaled features and the distances between them.
//! - [`smo`]: two-class C-SVC; [`svm`]: several classes, one against one, in LIBSVM's layout.
//! - [`grid`]: C and γ by cross-validation over inputs.
//! - [`transfer`]: each source in turn as temporary target, for every subset of device features;
//!   [`device_features`]: CV-DFS selects from it.
//! - [`auto`]: what each strategy achieves on held-out sources and inputs, and which one to ship.
//! - [`coverage`](coverage()): what counts as far from the training inputs and the source devices.
//! - [`next`]: which unmeasured device to measure next.
//! - [`fit`](fit()): all of it in one call.
//!
//! Everything is deterministic: randomness is seeded, work is shared out in independent pieces whose results are
//! joined in a fixed order, so the number of threads does not show.

pub mod auto;
mod coverage;
pub mod device_features;
mod error;
mod fit;
pub mod folds;
pub mod grid;
pub mod learners;
#[cfg(feature = "linfa")]
pub mod linfa;
pub mod next;
mod performance;
pub mod profile;
pub mod random;
pub mod scaling;
pub mod smo;
pub mod space;
mod spread;
mod strategy;
pub mod study;
pub mod svm;
mod task;
pub mod transfer;

pub use coverage::coverage;
pub use error::LearnError;
pub use fit::{FitOptions, Fitted, check_samples, fit, resolve_sources};
pub use performance::{PerformanceTable, share_of_first_admissible};
pub use strategy::{DeviceFeatures, Strategy};
pub use task::{MAX_TRAINING_INPUTS, Task};
