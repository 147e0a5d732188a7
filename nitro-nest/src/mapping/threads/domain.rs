//! The domain of a statement: which of its instances there are, and for which values of some iterators there is one.
//!
//! Projection is Fourier and Motzkin's elimination. It is exact for integers where one of each pair of bounds has
//! the coefficient 1 (Pugh, "The Omega test", 1991); elsewhere what comes out may hold for values without an
//! instance.

use crate::kernel::Extent;
use crate::mapping::bounds::{not_negative, within};
use crate::nest::affine::{Affine, Variable};
use crate::nest::{Condition, Range};

/// As many constraints as elimination goes on with: their number may square with each iterator.
const MOST_CONSTRAINTS: usize = 64;

/// Loops and conditions around a statement, as far as some part of a walk goes through them.
#[derive(Clone, Debug, Default)]
pub struct Domain {
    /// The iterators of the loops.
    pub iterators: Vec<usize>,
    /// The conditions for an instance: bounds of the loops too.
    pub conditions: Vec<Condition>,
    /// Whether a loop leaves out values between its bounds.
    pub has_steps: bool,
}

impl Domain {
    /// Goes into a loop.
    pub fn enter(&mut self, range: &Range) {
        self.iterators.push(range.iterator);
        self.conditions.extend(within(range, |_, _| true));
        self.has_steps |= range.step != 1;
    }
}

/// The values of the other iterators for which there is an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    /// What is not negative then.
    pub constraints: Vec<Affine>,
    /// Whether there is an instance wherever that is so.
    pub is_exact: bool,
}

/// Eliminates iterators from constraints, each of which is a value that is not negative. What is `known` is not
/// negative anyway: combinations of that alone are known too.
pub fn project(constraints: Vec<Affine>, known: &[Affine], iterators: &[Variable]) -> Projection {
    let mut known = known.to_vec();
    let mut found = Projection { constraints: Vec::new(), is_exact: true };
    constraints.into_iter().for_each(|one| add(&mut found.constraints, one, &known));
    for iterator in iterators {
        let of_iterator = |one: &Affine| one.mentions(*iterator);
        let (mentioning, others): (Vec<Affine>, Vec<Affine>) =
            found.constraints.into_iter().partition(of_iterator);
        let (bounding, mut rest): (Vec<Affine>, Vec<Affine>) = known.into_iter().partition(of_iterator);
        found.constraints = others;
        // Nothing that mentions the iterator goes on from here, also of what is known.
        for (combined, _) in combinations(*iterator, &bounding, &bounding) {
            if !is_implied(&combined, &rest) {
                rest.push(combined);
            }
        }
        known = rest;
        let with_known = combinations(*iterator, &mentioning, &bounding);
        let from_known = combinations(*iterator, &bounding, &mentioning);
        let own = combinations(*iterator, &mentioning, &mentioning);
        for (combined, is_exact) in with_known.into_iter().chain(from_known).chain(own) {
            found.is_exact &= is_exact;
            add(&mut found.constraints, combined, &known);
        }
        if found.constraints.len().max(known.len()) > MOST_CONSTRAINTS {
            let is_free = |one: &Affine| !iterators.iter().any(|iterator| one.mentions(*iterator));
            found.constraints.retain(is_free);
            return Projection { is_exact: false, ..found };
        }
    }
    found
}

/// What lower bounds of an iterator among some constraints and upper bounds among others say without it, each with
/// whether there is an integer between them wherever that is so.
fn combinations(iterator: Variable, lower: &[Affine], upper: &[Affine]) -> Vec<(Affine, bool)> {
    let lower = lower.iter().filter(|bound| bound.coefficient(iterator) > 0);
    let pairs = lower.flat_map(|low| {
        upper.iter().filter(|bound| bound.coefficient(iterator) < 0).map(move |high| (low, high))
    });
    let combined = |(low, high): (&Affine, &Affine)| {
        let [of_low, of_high] = [low, high].map(|bound| bound.coefficient(iterator).abs());
        (low.clone() * of_high + high.clone() * of_low, of_low == 1 || of_high == 1)
    };
    pairs.map(combined).collect()
}

/// Adds a constraint that the others do not imply, instead of those that it implies.
fn add(constraints: &mut Vec<Affine>, constraint: Affine, known: &[Affine]) {
    let constraint = tightened(&constraint);
    let is_plain = constraint.terms().is_empty() && constraint.constant() >= 0;
    if !is_plain && !is_implied(&constraint, constraints) && !is_implied(&constraint, known) {
        constraints.retain(|other| !is_implied(other, std::slice::from_ref(&constraint)));
        constraints.push(constraint);
    }
}

/// Whether one of the others says as much by itself.
pub fn is_implied(constraint: &Affine, by: &[Affine]) -> bool {
    by.iter().any(|one| one.terms() == constraint.terms() && one.constant() <= constraint.constant())
}

/// The same for integers, with coefficients that have no common divisor.
fn tightened(constraint: &Affine) -> Affine {
    let divisor = constraint.terms().iter().fold(0, |divisor, (_, factor)| gcd(divisor, factor.abs()));
    if divisor <= 1 {
        return constraint.clone();
    }
    let add = |sum: Affine, (variable, factor): &(Variable, i64)| sum + *variable * (factor / divisor);
    constraint.terms().iter().fold(Affine::from(constraint.constant().div_euclid(divisor)), add)
}

fn gcd(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// That a value is in a box, as values that are not negative.
pub fn in_extent(iterator: usize, extent: &Extent) -> Vec<Affine> {
    let range = Range {
        iterator,
        lower: extent.lower.clone(),
        upper: extent.upper.clone(),
        step: 1,
        is_reversed: false,
    };
    within(&range, |_, _| true).iter().flat_map(not_negative).collect()
}
