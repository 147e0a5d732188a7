//! Decisions that come one after the other, where what comes next depends on what was chosen: the graph of "Coding
//! Ants" (section 5), which nobody builds.
//!
//! A space of this kind ([`Decisions`]) tells what comes after a path. What is chosen next is a *node*, known by
//! its [`NodeKey`]; paths that come to the same key share the node and all that was learned there, whatever they
//! chose before. So of two independent kernels each has one subgraph, in whichever order they run, and the graph
//! has cycles. What follows from what was chosen (which statements remain, at which level: the *semantic edges* of
//! the paper) the space follows by itself, until there is something to choose.

mod ants;
mod decisions;
mod genetic;
mod key;
mod random;
mod report;
mod strategy;
mod walk;

pub use self::ants::{AntColony, Ants};
pub use self::decisions::{Attributes, Crossing, Decision, Decisions, Path, Step};
pub use self::genetic::GeneticPaths;
pub use self::key::{NodeKey, Part};
pub use self::random::RandomPaths;
pub use self::report::{Metrics, PartReport, Report};
pub use self::strategy::{PathStrategy, Paths};
pub(crate) use self::walk::{Follow, Guide, Walks};
pub use self::walk::{WalkError, complete};

#[cfg(test)]
mod tests;
