//! A genetic algorithm: a generation is crossed from parents that won a tournament among the fastest so far, then
//! mutated.
//!
//! A child is made parameter by parameter: it takes the value that it inherits where some configuration continues
//! so, and else the nearest value with which one does. So every child exists.

use std::convert::Infallible;
use std::sync::Arc;

use super::fresh::Fresh;
use super::start::Start;
use crate::random::Random;
use crate::{Candidate, Evaluation, Outcome, Proposer, Scale, Space};

/// Children a generation, and the number of the fastest that may be parents.
const POPULATION: usize = 20;
/// Children that are made and were evaluated before, until anything new will do.
const ATTEMPTS: usize = 10;

pub(super) struct Genetic {
    space: Arc<Space>,
    random: Random,
    fresh: Fresh,
    /// The fastest so far, ascending by time.
    parents: Vec<Outcome>,
}

impl Genetic {
    pub(super) fn new(start: &Start<'_>) -> Self {
        let mut random = Random::new(start.seed);
        let fresh = Fresh::new(start.space, &mut random);
        Self { space: Arc::clone(start.space), random, fresh, parents: Vec::new() }
    }

    /// Draws the better of two.
    fn parent(&mut self) -> Candidate {
        let count = self.parents.len();
        self.parents[self.random.below(count).min(self.random.below(count))].proposal
    }

    /// Crosses two parents, parameter by parameter.
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

    /// Returns the wanted value where it is there; else the nearest, or any where near means nothing.
    fn nearest(&mut self, values: &[u16], wanted: u16, scale: Scale) -> u16 {
        if scale == Scale::Category && !values.contains(&wanted) {
            return values[self.random.below(values.len())];
        }
        values.iter().copied().min_by_key(|value| value.abs_diff(wanted)).unwrap_or(wanted)
    }

    /// Returns a child that was not evaluated before.
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

impl Proposer for Genetic {
    type Proposal = Candidate;
    type Report = Evaluation;
    type Error = Infallible;

    fn propose(&mut self, _: usize) -> Result<Vec<Candidate>, Infallible> {
        let mut step = Vec::new();
        while step.len() < POPULATION {
            let child = if self.parents.is_empty() { self.fresh.any() } else { self.fresh_child() };
            let Some(child) = child else { break };
            step.push(child);
        }
        Ok(step)
    }

    fn learn(&mut self, step: &[Outcome]) {
        self.parents.extend(step.iter().filter(|outcome| outcome.report.time_ns().is_some()));
        self.parents.sort_by(|one, other| one.report.cost().total_cmp(&other.report.cost()));
        self.parents.truncate(POPULATION);
    }
}
