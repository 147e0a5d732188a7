//! The walk of G-ADAPT (Liu, Zhang and Shen, "A cross-input adaptive framework for GPU program optimizations", 2009):
//! from the configuration of all lowest values, in each round every parameter is raised alone, and the fastest of
//! these is where the next round begins, even if it is slower than where this one began. So it ends at the high
//! corner, after at most 1 + K · Σ(Dₚ − 1) evaluations of K parameters with Dₚ values, and with one parameter it
//! sees everything.
//!
//! What the paper leaves open: of equally fast ones the first parameter's is taken; a value that no configuration
//! has beside the others' is skipped for the parameter's next one that has; when no parameter can be raised, the
//! walk is over. What fails is slower than everything that ran. The lowest corner is the configuration of the
//! lowest value of each parameter that some configuration has beside those of the parameters before it.

use std::convert::Infallible;
use std::sync::Arc;

use super::start::{Start, fastest};
use crate::{Candidate, Evaluation, Outcome, Proposer, Space};

pub(super) struct Climb {
    space: Arc<Space>,
    /// The configuration where the next round begins; none before the first evaluation.
    base: Option<Candidate>,
}

impl Climb {
    pub(super) fn new(start: &Start<'_>) -> Self {
        Self { space: Arc::clone(start.space), base: None }
    }

    fn low_corner(&self) -> Option<Candidate> {
        let mut row = Vec::new();
        while let Some(&value) = self.space.continuations(&row).first() {
            row.push(value);
        }
        self.space.find(&row)
    }

    /// Returns the base with one parameter raised to its next value that exists.
    fn raised(&self, base: Candidate, parameter: usize) -> Option<Candidate> {
        let mut row = self.space.configuration(base).to_vec();
        let values = self.space.parameters()[parameter].len();
        (usize::from(row[parameter]) + 1..values).find_map(|value| {
            row[parameter] = value as u16;
            self.space.find(&row)
        })
    }
}

impl Proposer for Climb {
    type Proposal = Candidate;
    type Report = Evaluation;
    type Error = Infallible;

    fn propose(&mut self, _: usize) -> Result<Vec<Candidate>, Infallible> {
        Ok(match self.base {
            None => self.low_corner().into_iter().collect(),
            Some(base) => (0..self.space.parameters().len())
                .filter_map(|parameter| self.raised(base, parameter))
                .collect(),
        })
    }

    fn learn(&mut self, step: &[Outcome]) {
        self.base = fastest(step).map(|outcome| outcome.proposal).or(self.base);
    }
}
