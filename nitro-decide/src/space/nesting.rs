//! The search space of a kernel: how its loops nest, and what becomes of each.

use std::collections::BTreeSet;

use super::kernel::{Dimension, Kernel, Outer, Statement};
use super::{KINDS, ORDERS};
use crate::candidate::{Candidate, ChoiceId, Factor, Problem, ProblemError, Rule, Values, Within};

/// The choices of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Nesting {
    /// Choices and rules.
    pub problem: Problem,
    /// The loops: of each dimension from the outside in.
    pub loops: Vec<NestLoop>,
    /// The memory of each array of the kernel, `global` or `shared`.
    pub memory: Vec<ChoiceId>,
    /// For each array that is passed on ([`Passing::Array`](crate::Passing::Array)), the threads that load it: the
    /// `same` as those that need it, or its `own`.
    pub threads: Vec<Option<ChoiceId>>,
    /// For each array that is passed on, how its tile lies in shared memory: one of [`LAYOUTS`](super::LAYOUTS).
    pub layouts: Vec<Option<ChoiceId>>,
    /// When tiles are loaded; none where no plain loop has one after the other.
    pub loading: Option<Loading>,
    /// For each dimension whose outermost loops are its own, too.
    pub(super) outer: Vec<Option<Outer>>,
    /// The order of two objects, the first position less than the second: loops come first, then statements.
    pub(super) orders: Vec<Vec<ChoiceId>>,
}

/// When the tiles of a [`Nesting`] are loaded, all of those that are staged alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loading {
    /// One of [`LOADINGS`](super::LOADINGS).
    pub choice: ChoiceId,
    /// Position of the loop of which each iteration has tiles of its own.
    pub along: usize,
}

/// A loop of a [`Nesting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NestLoop {
    /// Position of its dimension.
    pub dimension: usize,
    /// 0 is the outermost of its dimension, or of the one whose outermost loops are its own, too.
    pub level: usize,
    /// Its number of iterations.
    pub size: ChoiceId,
    /// `plain`, `unrolled`, `vector`, `block` or `thread`.
    pub kind: ChoiceId,
}

/// Kinds of loops whose order among each other seldom matters.
const MINOR: [&[&str]; 2] = [&["unrolled", "vector"], &["thread"]];
/// Positions of [`LAYOUTS`](super::LAYOUTS) that differ by padding alone.
const ALIKE: [[usize; 2]; 2] = [[0, 1], [2, 3]];

impl Nesting {
    /// "The first object lies so to the second": loops are counted first, then statements.
    ///
    /// # Errors
    /// When there is no such order.
    ///
    /// # Panics
    /// If both are the same, or one is not there.
    pub fn order(&self, one: usize, other: usize, orders: &[&str]) -> Result<Within, ProblemError> {
        if one < other {
            return self.problem.named(self.orders[one][other - one - 1], orders);
        }
        let orders: Vec<&str> = orders.iter().map(|order| flipped(order)).collect();
        self.problem.named(self.orders[other][one - other - 1], &orders)
    }

    /// Divides the open values of a choice into parts within which it seldom matters which one is taken.
    ///
    /// These are layouts of a tile with and without padding, and all orders of two loops that may both be unrolled, or
    /// both spread over threads. Once kinds are decided it is no "may" any more.
    #[must_use]
    pub fn parts(&self, candidate: &Candidate, choice: ChoiceId) -> Vec<Values> {
        let open = candidate.values(choice);
        if self.layouts.contains(&Some(choice)) {
            let parts = ALIKE.map(|alike| open.and(Values::of(alike)));
            return parts.into_iter().filter(|part| !part.is_empty()).collect();
        }
        let loops = self.ordered_loops(choice);
        match loops.is_some_and(|loops| may_be_alike(&loops.map(|at| self.kinds(candidate, at)))) {
            true => vec![open],
            false => open.each().collect(),
        }
    }

    /// Returns the loops whose order a choice is; none where it is something else.
    fn ordered_loops(&self, choice: ChoiceId) -> Option<[usize; 2]> {
        (0..self.loops.len()).find_map(|one| {
            let mut others = self.orders[one].iter().take(self.loops.len() - one - 1);
            others.position(|&order| order == choice).map(|other| [one, one + 1 + other])
        })
    }

    /// Returns the kinds that are open for a loop.
    fn kinds(&self, candidate: &Candidate, at: usize) -> Vec<&'static str> {
        candidate.values(self.loops[at].kind).iter().map(|kind| KINDS[kind]).collect()
    }

    /// Returns the position of a statement among the objects.
    #[must_use]
    pub fn object(&self, statement: usize) -> usize {
        self.loops.len() + statement
    }

    /// Returns the positions of the loops around a statement from the start, those that it shares too.
    #[must_use]
    pub fn own(&self, statement: &Statement) -> Vec<usize> {
        let mut own = Vec::new();
        for at in 0..self.loops.len() {
            let is_of_it = statement.dimensions.iter().any(|&of| self.level(of, at).is_some());
            if is_of_it || self.is_repeated(statement, at) {
                own.push(at);
            }
        }
        own
    }

    /// Returns true if a loop is around a statement that does not depend on it.
    #[must_use]
    pub fn is_repeated(&self, statement: &Statement, at: usize) -> bool {
        let own = self.loops[at];
        statement.around.iter().any(|outer| outer.dimension == own.dimension && own.level < outer.levels)
    }

    /// Returns the positions of the loops of a dimension, from the outside in.
    #[must_use]
    pub fn loops_of(&self, dimension: usize) -> Vec<usize> {
        (0..self.loops.len()).filter(|&at| self.level(dimension, at).is_some()).collect()
    }

    /// Returns the level of a loop in a dimension, whose own it is or that shares it.
    #[must_use]
    pub fn level(&self, dimension: usize, at: usize) -> Option<usize> {
        let own = self.loops[at];
        let shared = self.outer[dimension]
            .is_some_and(|outer| outer.dimension == own.dimension && own.level < outer.levels);
        (own.dimension == dimension || shared).then_some(own.level)
    }

    pub(super) fn kind(&self, at: usize, kinds: &[&str]) -> Result<Within, ProblemError> {
        self.problem.named(self.loops[at].kind, kinds)
    }

    /// Returns the iterations of a loop as a factor that counts where it is of one of these kinds.
    pub(super) fn iterations(&self, at: usize, kinds: &[&str]) -> Result<Factor, ProblemError> {
        Ok(Factor { when: Some(self.kind(at, kinds)?), ..Factor::choice(self.loops[at].size) })
    }

    /// Returns true if a loop is one of the outermost that others share from the start.
    #[must_use]
    pub fn is_shared(&self, kernel: &Kernel, at: usize) -> bool {
        let own = self.loops[at];
        let around = kernel.statements.iter().flat_map(|statement| &statement.around);
        let mut outer =
            kernel.dimensions.iter().filter_map(|dimension| dimension.outer.as_ref()).chain(around);
        outer.any(|outer| outer.dimension == own.dimension && own.level < outer.levels)
    }

    /// Adds a size for each level; what tiles leave of the dimension is the size of the outermost loop.
    pub(super) fn add_loops(&mut self, position: usize, dimension: &Dimension) -> Result<(), ProblemError> {
        let (name, size) = (&dimension.name, dimension.size);
        self.outer.push(dimension.outer);
        let shared = self.loops_of(position); // what is its own is not there yet
        let mut factors: Vec<Factor> = shared.iter().map(|&at| Factor::choice(self.loops[at].size)).collect();
        // All products of one tile of each level that divide the dimension.
        let mut products = BTreeSet::from([1_u64]);
        for tiles in &dimension.tiles {
            let pairs =
                products.iter().flat_map(|product| tiles.iter().map(|tile| product.saturating_mul(*tile)));
            products = pairs.filter(|&product| product > 0 && size.is_multiple_of(product)).collect();
        }
        let rests: BTreeSet<u64> = products.iter().map(|product| size / product).collect();
        let outermost = shared.is_empty().then(|| rests.into_iter().collect());
        let levels = outermost.into_iter().chain(dimension.tiles.clone());
        for (level, sizes) in (shared.len()..).zip(levels) {
            let size = self.problem.numbers(format!("size of {name}{level}"), sizes)?;
            let kind = self.problem.labels(format!("kind of {name}{level}"), KINDS)?;
            self.loops.push(NestLoop { dimension: position, level, size, kind });
            factors.push(Factor::choice(size));
        }
        let tiles = Rule::Divides { product: factors[1..].to_vec(), size };
        self.problem.rule(format!("tiles divide {name}"), tiles)?;
        let all = Rule::Product { of: factors, at_least: size.into(), at_most: size.into() };
        self.problem.rule(format!("loops make up {name}"), all)?;
        Ok(())
    }

    pub(super) fn add_orders(&mut self, kernel: &Kernel) -> Result<(), ProblemError> {
        let loops =
            self.loops.iter().map(|own| format!("{}{}", kernel.dimensions[own.dimension].name, own.level));
        let names: Vec<String> = loops.chain(kernel.statements.iter().map(|own| own.name.clone())).collect();
        for (at, one) in names.iter().enumerate() {
            let pairs = names[at + 1..].iter().map(|other| format!("order of {one} and {other}"));
            let row = pairs.map(|name| self.problem.labels(name, ORDERS)).collect::<Result<_, _>>()?;
            self.orders.push(row);
        }
        Ok(())
    }

    pub(super) fn is(&mut self, name: &str, then: Within) -> Result<(), ProblemError> {
        self.follows(name, vec![], then)
    }

    pub(super) fn follows(
        &mut self,
        name: &str,
        when: Vec<Within>,
        then: Within,
    ) -> Result<(), ProblemError> {
        self.problem.rule(name, Rule::Clause { when, then }).map(|_| ())
    }

    /// Returns all values but these.
    pub(super) fn not(&self, within: Within) -> Within {
        Within { values: self.problem.all(within.choice).without(within.values), ..within }
    }

    pub(super) fn values(&self, choice: ChoiceId, keep: impl Fn(u64) -> bool) -> Values {
        let all = self.problem.all(choice).iter();
        Values::of(all.filter(|&value| self.problem.number(choice, value).is_some_and(&keep)))
    }
}

/// Returns an order as the second object sees it.
fn flipped(order: &str) -> &'static str {
    match order {
        "before" => "after",
        "after" => "before",
        "inner" => "outer",
        "outer" => "inner",
        _ => "merged",
    }
}

/// Returns true if two loops may be of kinds whose order seldom matters.
fn may_be_alike(kinds: &[Vec<&str>; 2]) -> bool {
    MINOR.iter().any(|minor| kinds.iter().all(|open| open.iter().any(|kind| minor.contains(kind))))
}
