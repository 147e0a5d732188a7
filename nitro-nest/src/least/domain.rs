//! Counts of the instances of a statement, and of the elements that they touch.

use std::collections::BTreeSet;

use crate::interpreter::value;
use crate::nest::Range;
use crate::nest::affine::{Affine, Variable};
use crate::nest::statement::Statement;

/// The most values of a subscript that are looked at one by one.
const MOST_VALUES: f64 = 1e6;

/// The instances of a statement at known sizes.
pub(super) struct Domain<'s, 'a> {
    statement: &'s Statement<'a>,
    parameters: &'s [i64],
    /// False where a condition on sizes fails, or one is on iterators.
    is_known: bool,
    /// As many values as the nest has iterators.
    iterators: usize,
}

impl<'s, 'a> Domain<'s, 'a> {
    pub(super) fn new(statement: &'s Statement<'a>, parameters: &'s [i64]) -> Self {
        let of_sizes = |variable| value(parameters, &[], variable);
        let holds = |own: &&crate::nest::Condition| {
            own.left.is_of_sizes() && own.right.is_of_sizes() && own.holds(&of_sizes)
        };
        let is_known = statement.conditions.iter().all(holds);
        let iterators = statement.loops.iter().map(|own| own.iterator + 1).max().unwrap_or(0);
        Self { statement, parameters, is_known, iterators }
    }

    /// Counts the instances, where the iterators that are not free have their first value.
    pub(super) fn instances(&self, free: &BTreeSet<usize>) -> f64 {
        if self.is_known { self.points(0, free, &mut vec![0; self.iterators]) } else { 0.0 }
    }

    fn points(&self, level: usize, free: &BTreeSet<usize>, at: &mut Vec<i64>) -> f64 {
        let Some(range) = self.statement.loops.get(level) else { return 1.0 };
        let mut values = self.values(range, at);
        let Some(first) = values.next() else { return 0.0 };
        at[range.iterator] = first;
        let of_first = self.points(level + 1, free, at);
        if !free.contains(&range.iterator) {
            return of_first;
        }
        if !self.statement.loops[level + 1..].iter().any(|inner| mentions(inner, range.iterator)) {
            return of_first * (1 + values.count()) as f64;
        }
        let mut sum = of_first;
        for next in values {
            at[range.iterator] = next;
            sum += self.points(level + 1, free, at);
        }
        sum
    }

    fn values(&self, range: &Range, at: &[i64]) -> impl Iterator<Item = i64> + use<> {
        range.values(&|variable| value(self.parameters, at, variable))
    }

    /// Counts different elements of an array that these subscripts are of, at least.
    pub(super) fn elements(&self, subscripts: &[Affine]) -> f64 {
        let apart = self.instances(&self.determined(subscripts));
        self.box_elements(subscripts).unwrap_or(0.0).max(apart)
    }

    /// Returns iterators that an element determines where all others have their first value.
    ///
    /// Each is alone in a subscript with others whose first value is the same everywhere. Of several in one subscript
    /// the one with most values is taken.
    pub(super) fn determined(&self, subscripts: &[Affine]) -> BTreeSet<usize> {
        let (mut free, mut held) = (BTreeSet::new(), BTreeSet::new());
        for subscript in subscripts {
            let own: Vec<usize> = iterators_of(subscript).collect();
            if !own.iter().any(|iterator| free.contains(iterator)) {
                let open = own.iter().copied().filter(|iterator| !held.contains(iterator));
                let alone = open.filter(|one| own.iter().all(|other| other == one || self.is_box(*other)));
                free.extend(alone.max_by(|one, other| self.extent(*one).total_cmp(&self.extent(*other))));
            }
            held.extend(own.into_iter().filter(|iterator| !free.contains(iterator)));
        }
        free
    }

    /// Returns `true` if an iterator has the same values whatever others are.
    fn is_box(&self, iterator: usize) -> bool {
        let range = self.statement.loops.iter().find(|own| own.iterator == iterator);
        range.is_some_and(|own| own.lower.iter().chain(&own.upper).all(Affine::is_of_sizes))
    }

    /// Returns the number of values of an iterator where the others have their first value.
    fn extent(&self, iterator: usize) -> f64 {
        self.instances(&BTreeSet::from([iterator]))
    }

    /// Counts the elements where each iterator is of one subscript, and has the same values whatever others are.
    fn box_elements(&self, subscripts: &[Affine]) -> Option<f64> {
        let mentioned: Vec<usize> = subscripts.iter().flat_map(iterators_of).collect();
        if self.statement.loops.iter().any(|range| mentioned.iter().any(|own| mentions(range, *own))) {
            return None;
        }
        let mut taken = BTreeSet::new();
        let mut elements = if self.instances(&BTreeSet::new()) > 0.0 { 1.0 } else { 0.0 };
        for subscript in subscripts {
            let own: Vec<usize> = iterators_of(subscript).collect();
            if !own.iter().all(|iterator| taken.insert(*iterator)) {
                return None;
            }
            elements *= self.values_of(subscript, &own)?;
        }
        Some(elements)
    }

    /// Counts the different values of a subscript; none where bounds of its iterators depend on others.
    fn values_of(&self, subscript: &Affine, iterators: &[usize]) -> Option<f64> {
        let mut sums = BTreeSet::from([0]);
        for iterator in iterators {
            let range = self.statement.loops.iter().find(|own| own.iterator == *iterator)?;
            if !self.is_box(*iterator) {
                return None;
            }
            let own: Vec<i64> = self.values(range, &[]).collect();
            let coefficient = subscript.coefficient(Variable::Iterator(*iterator));
            if iterators.len() == 1 {
                return Some(own.len() as f64);
            }
            if sums.len() as f64 * own.len() as f64 > MOST_VALUES {
                return None;
            }
            sums = sums.iter().flat_map(|sum| own.iter().map(move |one| sum + coefficient * one)).collect();
        }
        Some(sums.len() as f64)
    }

    /// Returns the least and the largest value of an integer, or values beyond them; none where there is no instance.
    pub(super) fn interval(&self, integer: &Affine) -> Option<[i64; 2]> {
        let mut ends = vec![[0, 0]; self.iterators];
        for range in &self.statement.loops {
            let lower = range.lower.iter().map(|bound| self.over(bound, &ends)[0]).max()?;
            let upper = range.upper.iter().map(|bound| self.over(bound, &ends)[1]).min()?;
            if lower >= upper {
                return None;
            }
            ends[range.iterator] = [lower, upper - 1];
        }
        Some(self.over(integer, &ends))
    }

    /// Returns the ends of an integer where its iterators are between these ends.
    fn over(&self, integer: &Affine, ends: &[[i64; 2]]) -> [i64; 2] {
        let mut sum = [integer.constant(); 2];
        for (variable, coefficient) in integer.terms() {
            let [low, high] = match variable {
                Variable::Iterator(index) => ends[*index],
                other => [value(self.parameters, &[], *other); 2],
            };
            let both = [low.saturating_mul(*coefficient), high.saturating_mul(*coefficient)];
            sum[0] = sum[0].saturating_add(both[0].min(both[1]));
            sum[1] = sum[1].saturating_add(both[0].max(both[1]));
        }
        sum
    }
}

fn mentions(range: &Range, iterator: usize) -> bool {
    let mut bounds = range.lower.iter().chain(&range.upper);
    bounds.any(|bound| bound.mentions(Variable::Iterator(iterator)))
}

/// Returns the iterators that an integer mentions.
pub(super) fn iterators_of(integer: &Affine) -> impl Iterator<Item = usize> + '_ {
    integer.terms().iter().filter_map(|(variable, _)| match variable {
        Variable::Iterator(index) => Some(*index),
        _ => None,
    })
}
