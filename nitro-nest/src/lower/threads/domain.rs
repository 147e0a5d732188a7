//! The domain of a statement: its instances, and for which values of some iterators there is one.
//!
//! Projection is Fourier and Motzkin's elimination. It is exact for integers where one of each pair of bounds has
//! the coefficient 1 (Pugh, "The Omega test", 1991); elsewhere what comes out may hold for values without an
//! instance.

use crate::lower::bounds::within;
use crate::nest::affine::{Affine, Variable};
use crate::nest::{Condition, Range};

/// The constraints with which elimination goes on: their number may square with each iterator.
const MOST_CONSTRAINTS: usize = 64;

/// Loops and conditions around a statement, from the code that is being written inwards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Domain {
    /// The iterators of the loops.
    pub(crate) iterators: Vec<usize>,
    /// The conditions for an instance: bounds of the loops too.
    pub(crate) conditions: Vec<Condition>,
    /// A loop leaves out values between its bounds.
    pub(crate) has_steps: bool,
}

impl Domain {
    /// Goes into a loop.
    pub(crate) fn enter(&mut self, range: &Range) {
        self.iterators.push(range.iterator);
        self.conditions.extend(within(range, |_, _| true));
        self.has_steps |= range.step != 1;
    }
}

/// The values of the other iterators for which there is an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Projection {
    /// Values that are not negative then.
    pub(crate) constraints: Vec<Affine>,
    /// There is an instance wherever that is so.
    pub(crate) is_exact: bool,
}

/// Eliminates iterators from constraints, each of which is a value that is not negative.
///
/// What is `known` is not negative anyway: combinations of that alone are known too.
pub(super) fn project(constraints: Vec<Affine>, known: &[Affine], iterators: &[Variable]) -> Projection {
    let mut known = known.to_vec();
    let mut found = Projection { constraints: Vec::new(), is_exact: true };
    constraints.into_iter().for_each(|one| add(&mut found.constraints, one, &known));
    for iterator in iterators {
        // Every lower bound of the iterator is at most every upper bound: that is what is left without it.
        let (mentioning, others): (Vec<Affine>, Vec<Affine>) =
            found.constraints.into_iter().partition(|one| one.mentions(*iterator));
        let (bounding, mut rest): (Vec<Affine>, Vec<Affine>) =
            known.into_iter().partition(|one| one.mentions(*iterator));
        found.constraints = others;
        // Nothing that mentions the iterator goes on from here, also of what is known.
        for (combined, _) in combinations(*iterator, &bounding, &bounding) {
            if !is_implied(&combined, &rest) {
                rest.push(combined);
            }
        }
        known = rest;
        let pairs = [(&mentioning, &bounding), (&bounding, &mentioning), (&mentioning, &mentioning)];
        for (combined, is_exact) in
            pairs.into_iter().flat_map(|(lower, upper)| combinations(*iterator, lower, upper))
        {
            found.is_exact &= is_exact;
            add(&mut found.constraints, combined, &known);
        }
        // What is left of too many constraints is not exact, but it holds.
        if found.constraints.len().max(known.len()) > MOST_CONSTRAINTS {
            found.constraints.retain(|one| !iterators.iter().any(|iterator| one.mentions(*iterator)));
            return Projection { is_exact: false, ..found };
        }
    }
    found
}

/// Combines lower bounds of an iterator among some constraints with upper bounds among others, without it.
///
/// With each comes `true` if there is an integer between them wherever it holds.
fn combinations(iterator: Variable, lower: &[Affine], upper: &[Affine]) -> Vec<(Affine, bool)> {
    let mut found = Vec::new();
    for low in lower.iter().filter(|bound| bound.coefficient(iterator) > 0) {
        for high in upper.iter().filter(|bound| bound.coefficient(iterator) < 0) {
            let [of_low, of_high] = [low, high].map(|bound| bound.coefficient(iterator).abs());
            let combined = low.clone() * of_high + high.clone() * of_low;
            found.push((combined, of_low == 1 || of_high == 1));
        }
    }
    found
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

/// Returns `true` if one of the others says as much by itself.
pub(super) fn is_implied(constraint: &Affine, by: &[Affine]) -> bool {
    by.iter().any(|one| one.terms() == constraint.terms() && one.constant() <= constraint.constant())
}

/// Returns the same constraint for integers, with coefficients that have no common divisor.
fn tightened(constraint: &Affine) -> Affine {
    let divisor = constraint.terms().iter().fold(0, |divisor, (_, factor)| gcd(divisor, factor.abs()));
    if divisor <= 1 {
        return constraint.clone();
    }
    let mut tightened = Affine::from(constraint.constant().div_euclid(divisor));
    for (variable, factor) in constraint.terms() {
        tightened = tightened + *variable * (factor / divisor);
    }
    tightened
}

fn gcd(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { gcd(other, one % other) }
}
