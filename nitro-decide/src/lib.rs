//! Spaces of decisions after Telamon (Beaugnou and others, CC 2017): kernels of which some choices are still open.
//!
//! - A [`Problem`] is data: choices with named values ([`Universe`]), and [`Rule`]s over them that can be read and
//!   printed.
//! - A [`Candidate`] is a state of a problem: what each choice may still be. Restricting a choice propagates
//!   to the greatest fixed point of all rules, and [`Candidate::explain`] says by which decisions and rules a value
//!   went.
//! - [`BranchAndBound`] finds the fastest of what is inside a state, with a [`LowerBound`], and proves it;
//!   [`Candidate::count`] and [`Candidate::estimate`] say how much is inside.
//! - A [`Kernel`] describes statements and the loops around them. Its [`Nesting`] is the search space: the problem
//!   of how to nest these loops and what becomes of each.
//! - A [`TimeBound`] is the performance model: the least time of everything inside a state, from the [`Rates`] of a
//!   device.
//!   [`Rates::floor`] is that of all code of a nest, whatever was decided.
//! - A [`DecidedSpace`] generates code: each decided point is a [`nitro_nest::Program`]. A trainer proves with it by
//!   [`Generator::prover`](nitro_search::Generator::prover).
//!
//! The crate runs nothing: it knows no device, no trainer, and no dependences of loops as they are written.
//!
//! ```
//! use std::sync::Arc;
//! use nitro_decide::{Factor, Candidate, Problem, Rule, Values};
//!
//! let mut problem = Problem::default();
//! let x = problem.numbers("threads along x", [1, 32, 64, 1024])?;
//! let y = problem.numbers("threads along y", [1, 2, 32])?;
//! let threads = Rule::Product { of: vec![Factor::choice(x), Factor::choice(y)], at_least: 1, at_most: 1024 };
//! problem.rule("threads of a block", threads)?;
//! let mut candidate = Candidate::new(Arc::new(problem))?;
//! candidate.restrict(x, Values::of([2, 3]))?; // 64 or 1024
//! assert_eq!(candidate.values(y), Values::of([0, 1])); // 64 * 32 are too many
//! assert!(candidate.explain(y, 2).unwrap().to_string().contains("threads of a block"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod branch;
mod candidate;
mod generate;
mod model;
#[cfg(feature = "show")]
mod page;
mod space;

pub use self::branch::{BranchAndBound, BranchPlan, ClassPlan, Counts, LowerBound, Statistics};
pub use self::candidate::{
    Candidate, ChoiceId, Conflict, Estimate, Explanation, Factor, Problem, ProblemError, Reason, Relation,
    Removal, Rule, RuleId, Size, Term, Universe, Values, Within,
};
pub use self::generate::{DecidedError, DecidedSpace, OpenChoices, TileSizes};
pub use self::model::{Rates, Reasons, TimeBound, TimeTerm, TimeTerms};
#[cfg(feature = "show")]
pub use self::page::{Ablation, PointTime, SearchView};
pub use self::space::{
    Access, Array, Dependence, Dimension, Kernel, LAYOUTS, LOADINGS, Limits, Loading, NestLoop, Nesting,
    Operation, Outer, PADDING, Passing, Statement,
};
pub use nitro_search::RatesError;
