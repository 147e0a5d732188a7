//! Spaces as partial implementations: every choice keeps the values that are still open, and rules take away what cannot be any more.
//!
//! - A [`Problem`] is data: choices with named values ([`Universe`]), and [`Rule`]s over them that can be read and printed.
//! - A [`Partial`] is a state of it: what each choice may still be. Restricting a choice propagates to the greatest fixed point of all rules, and
//!   [`Partial::explain`] says by which decisions and rules a value went.
//! - [`BranchAndBound`] finds the fastest of what is inside, with a [`LowerBound`], and proves it; [`Partial::count`] and [`Partial::estimate`] say how much that is.
//! - A [`Kernel`] describes statements and the loops around them; its [`Nesting`] is the problem of how to nest these and what becomes of each.
//!
//! ```
//! use std::sync::Arc;
//! use nitro_search::partial::{Factor, Partial, Problem, Rule, Values};
//!
//! let mut problem = Problem::default();
//! let x = problem.numbers("threads along x", [1, 32, 64, 1024])?;
//! let y = problem.numbers("threads along y", [1, 2, 32])?;
//! let threads = Rule::Product { of: vec![Factor::choice(x), Factor::choice(y)], at_least: 1, at_most: 1024 };
//! problem.rule("threads of a block", threads)?;
//! let mut partial = Partial::new(Arc::new(problem))?;
//! partial.restrict(x, Values::of([2, 3]))?; // 64 or 1024
//! assert_eq!(partial.values(y), Values::of([0, 1])); // 64 * 32 are too many
//! assert!(partial.explain(y, 2).unwrap().to_string().contains("threads of a block"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bound;
mod branch;
#[cfg(test)]
mod branch_tests;
mod count;
mod explain;
mod filter;
mod nesting;
mod node;
mod problem;
mod relation;
mod rule;
mod show;
mod state;
#[cfg(test)]
mod tests;
mod time;
mod values;

pub use self::bound::{BoundError, BranchPlan, Leaf, LowerBound};
pub use self::branch::BranchAndBound;
pub use self::count::Estimate;
pub use self::explain::{Explanation, Reason, Removed};
pub use self::nesting::{
    Access, Array, Dependence, Dimension, Kernel, LAYOUTS, LOADINGS, Limits, Loading, NestLoop, Nesting,
    Operation, Outer, PADDING, Passing, Statement,
};
pub use self::node::{Counts, Statistics};
pub use self::problem::{ChoiceId, Problem, ProblemError, RuleId, Universe};
pub use self::relation::Relation;
pub use self::rule::{Factor, Rule, Size, Term, Within};
pub use self::state::{Conflict, ExtendError, Partial};
pub use self::time::{Rates, RatesError, Reasons, TimeBound, TimeTerm, TimeTerms};
pub use self::values::Values;
