//! Comparisons of integers that hold at a place of the function, and what follows from them.

use std::collections::{BTreeMap, BTreeSet};

use syn::ext::IdentExt;
use syn::{BinOp, Expr, ExprBinary, ExprUnary, UnOp};

use super::integers::{quasi, relation};
use super::ir::{Affine, Condition};
use super::quotients::Quotients;
use super::scope::{Scope, bare};

/// The most comparisons at once: beyond that nothing is said to follow.
const MOST: usize = 400;

/// A sum that is not negative.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fact {
    terms: BTreeMap<String, i128>,
    constant: i128,
}

impl Fact {
    fn of(affine: &Affine) -> Fact {
        let mut fact = Fact { terms: BTreeMap::new(), constant: affine.constant.into() };
        for (name, coefficient) in &affine.terms {
            *fact.terms.entry(name.unraw().to_string()).or_default() += i128::from(*coefficient);
        }
        fact.terms.retain(|_, coefficient| *coefficient != 0);
        fact
    }

    /// The sum of multiples of two, where it fits.
    fn sum(one: (&Fact, i128), other: (&Fact, i128)) -> Option<Fact> {
        let mut sum = Fact::default();
        for (fact, times) in [one, other] {
            for (name, coefficient) in &fact.terms {
                let own = sum.terms.entry(name.clone()).or_default();
                *own = own.checked_add(coefficient.checked_mul(times)?)?;
            }
            sum.constant = sum.constant.checked_add(fact.constant.checked_mul(times)?)?;
        }
        sum.terms.retain(|_, coefficient| *coefficient != 0);
        Some(sum)
    }

    /// The same of whole numbers: divided by what all coefficients are multiples of.
    fn tightened(mut self) -> Fact {
        let divisor = self.terms.values().fold(0, |all, coefficient| common_divisor(all, coefficient.abs()));
        if divisor > 1 {
            self.terms.values_mut().for_each(|coefficient| *coefficient /= divisor);
            self.constant = self.constant.div_euclid(divisor);
        }
        self
    }

    fn coefficient(&self, name: &str) -> i128 {
        self.terms.get(name).copied().unwrap_or(0)
    }
}

fn common_divisor(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

/// What is known of sizes and iterators.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    all: Vec<Fact>,
    /// The quotients that they may name.
    pub quotients: Quotients,
}

impl Facts {
    /// Counts them, for [`truncate`](Self::truncate).
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Forgets those that came after.
    pub fn truncate(&mut self, length: usize) {
        self.all.truncate(length);
    }

    /// Lets everything follow: after a mistake nothing more is said.
    pub fn suppose_anything(&mut self) {
        self.all.push(Fact { terms: BTreeMap::new(), constant: -1 });
    }

    /// Adds that so many times one sum, and another one, and a number are together not negative.
    pub fn note(&mut self, [one, other]: [&Affine; 2], times: i128, number: i128) {
        if let Some(mut fact) = Fact::sum((&Fact::of(one), times), (&Fact::of(other), -times)) {
            fact.constant += number;
            self.all.push(fact.tightened());
        }
    }

    /// Adds that the first integer is so many steps behind the second.
    pub fn note_steps(&mut self, [one, other]: [&Affine; 2], step: i64) {
        // No variable is called so.
        let steps = Fact { terms: BTreeMap::from([(format!("steps {}", self.all.len()), 1)]), constant: 0 };
        self.all.push(steps.clone());
        for sign in [1, -1] {
            let distance = Fact::sum((&Fact::of(one), sign), (&Fact::of(other), -sign));
            self.all
                .extend(distance.and_then(|own| Fact::sum((&own, 1), (&steps, -sign * i128::from(step)))));
        }
    }

    /// Adds a comparison.
    fn compare(&mut self, relation: &str, sides: [&Affine; 2]) {
        match relation {
            "Less" => self.note(sides, -1, -1),
            "LessOrEqual" => self.note(sides, -1, 0),
            "Greater" => self.note(sides, 1, -1),
            "GreaterOrEqual" => self.note(sides, 1, 0),
            "Equal" => [1, -1].into_iter().for_each(|sign| self.note(sides, sign, 0)),
            // What is not equal is further off on the side on which it is.
            _ => {
                for sign in [1, -1] {
                    let difference = Fact::sum((&Fact::of(sides[0]), sign), (&Fact::of(sides[1]), -sign));
                    if difference.is_some_and(|difference| self.follows(difference)) {
                        self.note(sides, sign, -1);
                    }
                }
            }
        }
    }

    /// Adds what a condition says, or its opposite. What says nothing of integers adds nothing.
    pub fn suppose(&mut self, condition: &Expr, holds: bool, scope: &Scope) {
        match bare(condition) {
            Expr::Unary(ExprUnary { op: UnOp::Not(_), expr, .. }) => self.suppose(expr, !holds, scope),
            Expr::Binary(ExprBinary { left, op, right, .. }) => match op {
                BinOp::And(_) | BinOp::Or(_) => {
                    if matches!(op, BinOp::And(_)) == holds {
                        self.suppose(left, holds, scope);
                        self.suppose(right, holds, &scope.supposing(left, holds));
                    }
                }
                _ => {
                    let relation = if matches!(op, BinOp::Ne(_)) { Ok("Unequal") } else { relation(op) };
                    let (Ok(relation), Ok(left), Ok(right)) =
                        (relation, quasi(left, scope), quasi(right, scope))
                    else {
                        return;
                    };
                    self.compare(if holds { relation } else { opposite(relation) }, [&left, &right]);
                }
            },
            _ => {}
        }
    }

    /// Adds comparisons.
    pub fn suppose_all(&mut self, all: &[Condition]) {
        all.iter().for_each(|Condition { relation, left, right }| self.compare(relation, [left, right]));
    }

    /// Returns true where these comparisons cannot all hold.
    pub fn exclude(&self, all: &[Condition]) -> bool {
        let mut facts = self.clone();
        facts.suppose_all(all);
        facts.follows(Fact { terms: BTreeMap::new(), constant: -1 })
    }

    /// Returns true where it follows that this is not negative.
    pub fn prove(&self, sum: &Affine) -> bool {
        self.follows(Fact::of(sum))
    }

    /// Eliminates one variable after the other from what is known and the opposite (Fourier and Motzkin): it follows
    /// where a contradiction is left.
    fn follows(&self, goal: Fact) -> bool {
        let opposite = Fact::sum((&goal, -1), (&Fact::default(), 0)).map(|mut opposite| {
            opposite.constant -= 1;
            opposite
        });
        let Some(opposite) = opposite else { return false };
        let mut facts: Vec<Fact> = self.all.iter().cloned().chain([opposite.tightened()]).collect();
        let names = facts.iter().flat_map(|fact| fact.terms.keys().cloned()).collect();
        self.quotients.for_each_fact(names, &mut |sum| facts.push(Fact::of(&sum).tightened()));
        while !facts.iter().any(|fact| fact.terms.is_empty() && fact.constant < 0) {
            match without_one(&facts) {
                Some(fewer) if fewer.len() <= MOST => facts = fewer,
                _ => return false,
            }
        }
        true
    }
}

/// Eliminates a variable; none: there is no variable, or a number does not fit.
///
/// It is one that loses nothing of whole numbers if there is one, and of those the one that leaves the fewest facts.
fn without_one(facts: &[Fact]) -> Option<Vec<Fact>> {
    let names: BTreeSet<&String> = facts.iter().flat_map(|fact| fact.terms.keys()).collect();
    let cost = |name: &String| {
        let numbers = || facts.iter().map(|fact| fact.coefficient(name));
        let [above, below] = [1, -1].map(|sign| numbers().filter(|number| number.signum() == sign).count());
        let is_exact = [1, -1].iter().any(|sign| numbers().all(|number| number * sign <= 1));
        (!is_exact, above * below)
    };
    let name = names.into_iter().min_by_key(|name| cost(name))?;
    let mut left = Vec::new();
    for fact in facts {
        match fact.coefficient(name) {
            0 => left.push(fact.clone()),
            above if above > 0 => {
                for other in facts.iter().filter(|other| other.coefficient(name) < 0) {
                    let below = -other.coefficient(name);
                    left.push(Fact::sum((fact, below), (other, above))?.tightened());
                }
            }
            _ => {}
        }
    }
    // Of those with the same variables the first says most.
    left.sort();
    left.dedup_by(|next, first| next.terms == first.terms);
    Some(left)
}

fn opposite(relation: &str) -> &'static str {
    match relation {
        "Less" => "GreaterOrEqual",
        "LessOrEqual" => "Greater",
        "Greater" => "LessOrEqual",
        "GreaterOrEqual" => "Less",
        "Equal" => "Unequal",
        _ => "Equal",
    }
}
