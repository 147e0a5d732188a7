//! Search over the configurations of tuning parameters: finds a fast one of thousands for few evaluations.
//!
//! - An [`Engine`] is asked what to evaluate and told what that gave. It keeps budget and log, and restores a search
//!   that was killed from what was observed. A strategy behind it is a [`Proposer`].
//! - A [`Space`] has the configurations that exist, from constraints ([`Constraint`]) or from a list; each is a
//!   [`Candidate`]. [`Strategy::over`] begins a search of them.
//! - [`Sources`] are the measurements of other devices: [`Strategy::Transfer`] begins where they were fast.
//! - Where the decisions depend on what was decided before, the space is one of [`Decisions`], and [`Paths`] through
//!   it are proposed by an ant colony ([`AntColony`]), by a genetic algorithm or at random.
//! - A [`Generator`] writes the texts, such as kernels, that decisions lead to.
//! - [`evolve`]: edits of what runs already, by time and error at once.
//! - A [`Floor`] is a time that nothing takes less than; by [`Until`] a search stops near it.
//! - A [`Replay`] searches a space that is measured already, and rates strategies.
//!
//! The crate runs nothing and knows no device: whoever asks evaluates. [`Engine`] has an example.

mod engine;
pub mod evolve;
mod floor;
mod generator;
mod learn;
mod memory_rates;
mod outcome;
mod parameter;
mod paths;
mod replay;
mod sources;
mod space;
mod strategy;
#[doc(hidden)] // for the evolution of compiled kernels, whose checks are independent
pub mod threads;

use nitro_stats::random;

pub use self::engine::{
    Ask, Budget, ClassCounts, Engine, Measurement, Observation, Outcome, Proposer, StopReason, TellError,
    Tree, TreeLevel, gap,
};
pub use self::floor::{Floor, UnderFloor, Until};
pub use self::generator::{BoxError, Description, Generator, PathBound, ProofPlan, Prover, Target};
pub use self::memory_rates::{DeviceFigures, MemoryRates, RatesError};
pub use self::outcome::{Candidate, Evaluation, Failure};
pub use self::parameter::{Parameter, Scale};
pub use self::paths::{
    AntColony, Ants, Attributes, Crossing, Decision, Decisions, GeneticPaths, Metrics, NodeKey, Part,
    PartReport, Path, PathStrategy, Paths, RandomPaths, Report, Step, WalkError, complete,
};
pub use self::replay::{Figures, Replay};
pub use self::sources::{Source, Sources};
pub use self::space::{Conflict, Constraint, Domains, Space, SpaceError, propagate};
pub use self::strategy::{ListProposer, Strategy, UnknownStrategy};
