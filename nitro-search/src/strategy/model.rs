//! What a model of the measurements expects most of: a Gaussian process over the parameters, and the greatest
//! expected improvement.
//!
//! Several take turns. With sources ([`Strategy::Transfer`](super::Strategy::Transfer)) these are an expert who
//! knows what other devices measured, the peaks that those devices have ([`Modes`]), and later those that serve
//! without sources: an expert who knows the parameters alone, and the same for neighbours of the best only, which
//! is what finds a narrow peak. Whoever has gone without a gain for the shortest time is asked, and all but the
//! first begin as if they had gone without one for a while. So where the sources are right the first one is asked,
//! and where they mislead the others soon are too.

use std::sync::Arc;

use super::Steps;
use super::fresh::Fresh;
use crate::learn::Features;
use crate::learn::expert::Expert;
use crate::learn::modes::Modes;
use crate::random::Random;
use crate::{Candidate, Outcome, Sources, Space};

/// Most candidates to begin with that the sources like.
const UNLIKE: usize = 5;
/// Random configurations before the parameters alone tell anything.
const FIRST: usize = 3;
/// How many evaluations one may bring no gain before the next one is asked too.
const PATIENCE: usize = 10;
/// The same before the peaks of the sources are, which are few and more likely than what is proposed without sources.
const PATIENCE_PEAKS: usize = 7;
/// Shares of the best time below this are no gain, but noise.
const GAIN: f64 = 0.01;
/// A step has one proposal for so many evaluations before it, and at least one: at the beginning every outcome
/// matters for the next proposal.
const PER_PROPOSAL: usize = 20;
/// Most proposals of a step.
const MOST: usize = 8;

pub(super) struct Model {
    space: Arc<Space>,
    fresh: Fresh,
    experts: Vec<Expert>,
    modes: Option<Modes>,
    turns: Vec<Turn>,
    /// Whose step is under way.
    asked: usize,
    /// Whether the sources tell what to begin with.
    with_sources: bool,
    /// What to begin with.
    first: Vec<Candidate>,
    outcomes: Vec<Outcome>,
    best: Option<Outcome>,
}

/// Somebody who may be asked.
struct Turn {
    who: Who,
    without_gain: usize,
}

#[derive(Clone, Copy)]
enum Who {
    /// The expert of this number.
    Expert(usize),
    /// The same, for neighbours of the best only.
    Near(usize),
    /// The peaks of the sources, in the eyes of the expert of this number.
    Modes(usize),
}

impl Model {
    pub(super) fn new(space: Arc<Space>, seed: u64, sources: &Sources) -> Self {
        let mut random = Random::new(seed);
        let fresh = Fresh::new(&space, &mut random);
        let features = Features::new(&space, sources, &mut random);
        let with_sources = !features.sources.is_empty();
        let mut experts = vec![Expert::alone(&features, &mut random)];
        let (mut first, mut modes) = (Vec::new(), None);
        let mut turns = vec![(Who::Expert(0), 0), (Who::Near(0), PATIENCE)];
        if with_sources {
            let late = 2 * PATIENCE;
            turns = vec![(Who::Expert(1), 0), (Who::Modes(1), PATIENCE_PEAKS)];
            turns.extend([(Who::Expert(0), late), (Who::Near(0), late)]);
            first = features.unlike(UNLIKE);
            modes = Some(Modes::new(&space, &features));
            experts.push(Expert::new(features, &mut random));
        }
        let turns = turns.into_iter().map(|(who, without_gain)| Turn { who, without_gain }).collect();
        Self {
            space,
            fresh,
            experts,
            modes,
            turns,
            asked: 0,
            with_sources,
            first,
            outcomes: Vec::new(),
            best: None,
        }
    }

    /// A step of whoever went without a gain for the shortest time.
    fn step(&mut self) -> Vec<Candidate> {
        let count = (1 + self.outcomes.len() / PER_PROPOSAL).min(MOST);
        let mut order: Vec<usize> = (0..self.turns.len()).collect();
        order.sort_by_key(|&at| self.turns[at].without_gain);
        for at in order {
            let step = self.proposals(self.turns[at].who, count);
            if !step.is_empty() {
                self.asked = at;
                return step;
            }
        }
        Vec::new()
    }

    fn proposals(&mut self, who: Who, count: usize) -> Vec<Candidate> {
        let fresh = &self.fresh;
        let is_there = |candidate| fresh.has(candidate);
        match who {
            Who::Expert(expert) => self.experts[expert].propose(&self.outcomes, count, is_there),
            Who::Near(expert) => {
                let neighbours = self.best.map(|best| self.space.neighbours(best.candidate));
                let is_near = |candidate| {
                    is_there(candidate)
                        && neighbours.as_ref().is_none_or(|neighbours| neighbours.contains(&candidate))
                };
                self.experts[expert].propose(&self.outcomes, count, is_near)
            }
            Who::Modes(expert) => {
                let weights = self.experts[expert].weights();
                self.modes.as_mut().map_or_else(Vec::new, |modes| modes.propose(count, weights, is_there))
            }
        }
    }
}

impl Steps for Model {
    fn ask(&mut self) -> Vec<Candidate> {
        if !self.with_sources && self.outcomes.len() < FIRST {
            return self.fresh.any().into_iter().collect();
        }
        let mut step = std::mem::take(&mut self.first);
        if step.is_empty() {
            step = self.step();
        }
        step.iter().for_each(|&candidate| _ = self.fresh.take(candidate));
        if step.is_empty() {
            step.extend(self.fresh.any()); // of a large space, what the model does not look at
        }
        step
    }

    fn tell(&mut self, outcomes: &[Outcome]) {
        self.outcomes.extend(outcomes);
        for outcome in outcomes {
            self.turns[self.asked].without_gain += 1;
            let (cost, best) =
                (outcome.evaluation.cost(), self.best.map_or(f64::INFINITY, |best| best.evaluation.cost()));
            if cost < best {
                self.best = Some(*outcome);
            }
            if cost < best * (1.0 - GAIN) {
                self.turns[self.asked].without_gain = 0;
            }
        }
    }
}
