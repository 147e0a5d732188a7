//! Search over the configurations of tuning parameters: which of thousands is fastest, for as few evaluations as
//! possible.
//!
//! - A [`Space`] has the configurations that exist, from constraints ([`Constraint`]) or from a list; each is a
//!   [`Candidate`].
//! - A [`Search`] is asked what to evaluate and told what that gave; a [`Strategy`] decides, for what its [`Plan`]
//!   allows.
//! - Of a search that was killed, [`Search::restore`] makes one that goes on as if it had not been, from the
//!   outcomes that were kept.
//! - [`Sources`] are what other devices measured: with them [`Strategy::Transfer`] begins where they were fast.
//! - Where what there is to decide depends on what was decided, the space is one of [`Decisions`], and a
//!   [`PathSearch`] proposes paths through it, by an ant colony ([`Ants`]), by a genetic algorithm or at random.
//! - A [`Generator`] writes the texts, such as kernels, that decisions lead to.
//! - [`evolve`]: edits of what runs already, by time and error at once.
//! - A [`Replay`] searches a space that is measured already, and says how good a strategy would have been.
//!
//! The crate runs nothing and knows no device: whoever asks evaluates. [`Search`] has an example.

mod ask;
mod course;
pub mod evolve;
mod generator;
mod learn;
mod outcome;
mod parameter;
mod paths;
mod replay;
mod search;
mod sources;
mod space;
mod strategy;
#[doc(hidden)] // for the evolution of compiled kernels, whose checks are independent
pub mod threads;

use nitro_stats::random;

pub use self::ask::{Ask, Budget, Ended, TellError};
pub use self::generator::{BoxError, Description, Generator, Target};
pub use self::outcome::{Candidate, Evaluation, Failure, Outcome};
pub use self::parameter::{Parameter, Scale};
pub use self::paths::ants::Ants;
pub use self::paths::{
    Attributes, Crossing, Decision, Decisions, Metrics, NodeKey, Part, PartReport, PathId, PathOutcome,
    PathPlan, PathSearch, PathStrategy, Proposal, Report, RestoreError, Step, WalkError, complete,
};
pub use self::replay::{Figures, Replay};
pub use self::search::{Plan, Search};
pub use self::sources::{Source, Sources};
pub use self::space::{Conflict, Constraint, Domains, Space, SpaceError, propagate};
pub use self::strategy::{Strategy, UnknownStrategy};
