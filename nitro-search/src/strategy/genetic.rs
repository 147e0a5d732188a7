//! A genetic algorithm: a generation is crossed from parents that won a tournament among the fastest so far, then
//! mutated.
//!
//! A child is made parameter by parameter: it takes the value that it inherits where some configuration continues
//! so, and else the nearest value with which one does. So every child exists.

use std::sync::Arc;

use super::Steps;
use super::fresh::Fresh;
use crate::random::Random;
use crate::{Candidate, Outcome, Scale, Space};

/// Children a generation, and how many of the fastest may be parents.
const POPULATION: usize = 20;
/// How often a child is made that was evaluated before, until anything new will do.
const ATTEMPTS: usize = 10;

pub(super) struct Genetic {
    space: Arc<Space>,
    random: Random,
    fresh: Fresh,
    /// The fastest so far, ascending by time.
    parents: Vec<Outcome>,
}

impl Genetic {
    pub(super) fn new(space: Arc<Space>, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let fresh = Fresh::new(&space, &mut random);
        Self { space, random, fresh, parents: Vec::new() }
    }

    /// The better of two.
    fn parent(&mut self) -> Candidate {
        let count = self.parents.len();
        self.parents[self.random.below(count).min(self.random.below(count))].candidate
    }

    fn child(&mut self) -> Option<Candidate> {
        let (mother, father) = (self.parent(), self.parent());
        let space = Arc::clone(&self.space);
        let (mother, father) = (space.configuration(mother), space.configuration(father));
        let mut row: Vec<u16> = Vec::with_capacity(mother.len());
        for at in 0..mother.len() {
            let values = space.continuations(&row);
            let inherited = if self.random.below(2) == 0 { mother[at] } else { father[at] };
            let value = if self.random.below(mother.len()) == 0 {
                values[self.random.below(values.len())]
            } else {
                self.nearest(&values, inherited, space.parameters()[at].scale())
            };
            row.push(value);
        }
        space.find(&row)
    }

    /// The wanted value where it is there; else the nearest, or any where near means nothing.
    fn nearest(&mut self, values: &[u16], wanted: u16, scale: Scale) -> u16 {
        if scale == Scale::Category && !values.contains(&wanted) {
            return values[self.random.below(values.len())];
        }
        values.iter().copied().min_by_key(|value| value.abs_diff(wanted)).unwrap_or(wanted)
    }

    fn fresh_child(&mut self) -> Option<Candidate> {
        for _ in 0..ATTEMPTS {
            let child = self.child().filter(|&child| self.fresh.take(child));
            if child.is_some() {
                return child;
            }
        }
        self.fresh.any()
    }
}

impl Steps for Genetic {
    fn ask(&mut self) -> Vec<Candidate> {
        let child = |own: &mut Self| if own.parents.is_empty() { own.fresh.any() } else { own.fresh_child() };
        std::iter::from_fn(|| child(self)).take(POPULATION).collect()
    }

    fn tell(&mut self, outcomes: &[Outcome]) {
        self.parents.extend(outcomes.iter().filter(|outcome| outcome.evaluation.time_ns().is_some()));
        self.parents.sort_by(|one, other| one.evaluation.cost().total_cmp(&other.evaluation.cost()));
        self.parents.truncate(POPULATION);
    }
}
