//! Candidates: problems of choices and rules, and states of them that are propagated.

mod count;
mod explain;
mod filter;
mod ids;
mod problem;
mod relation;
mod rule;
mod show;
mod state;
#[cfg(test)]
pub(crate) mod tests;
mod values;

pub use self::count::Estimate;
pub use self::explain::{Explanation, Reason, Removal};
pub use self::ids::{ChoiceId, RuleId};
pub use self::problem::{Problem, ProblemError, Universe};
pub use self::relation::Relation;
pub use self::rule::{Factor, Rule, Size, Term, Within};
pub use self::state::{Candidate, Conflict};
pub use self::values::Values;
