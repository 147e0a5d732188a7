//! A model of the measurements: a Gaussian process over the parameters, and the greatest expected improvement.
//!
//! Several take turns. With sources ([`Strategy::Transfer`](super::Strategy::Transfer)) these are an expert who
//! knows what other devices measured, the peaks that those devices have ([`Modes`]), and later those that serve
//! without sources: an expert who knows the parameters alone, and the same for neighbours of the best only, which
//! is what finds a narrow peak. Whoever has gone without a gain for the shortest time is asked, and all but the
//! first begin as if they had gone without one for a while. So where the sources are right the first one is asked,
//! and where they mislead the others soon are too.

use std::convert::Infallible;
use std::sync::Arc;

use super::fresh::Fresh;
use super::start::Start;
use crate::learn::Features;
use crate::learn::expert::Expert;
use crate::learn::modes::Modes;
use crate::random::Random;
use crate::{Candidate, Evaluation, Outcome, Proposer, Sources, Space};

/// Most candidates to begin with that the sources like.
const UNLIKE: usize = 5;
/// Random configurations before the parameters alone tell anything.
const FIRST: usize = 3;
/// Evaluations that one may bring no gain before the next one is asked too.
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
    /// Position of the turn whose step is under way.
    asked: usize,
    /// True where the sources tell what to begin with.
    has_sources: bool,
    /// The first step.
    first: Vec<Candidate>,
    outcomes: Vec<Outcome>,
    best: Option<Outcome>,
}

/// A voice that may be asked.
struct Turn {
    voice: Voice,
    without_gain: usize,
}

#[derive(Clone, Copy)]
enum Voice {
    /// The expert of this number.
    Expert(usize),
    /// The same, for neighbours of the best only.
    Near(usize),
    /// The peaks of the sources, in the eyes of the expert of this number.
    Modes(usize),
}

impl Model {
    /// Begins without sources.
    pub(super) fn alone(start: &Start<'_>) -> Self {
        Self::with_sources(&Start { sources: &Sources::default(), ..*start })
    }

    pub(super) fn with_sources(start: &Start<'_>) -> Self {
        let Start { space, seed, sources } = *start;
        let mut random = Random::new(seed);
        let fresh = Fresh::new(space, &mut random);
        let features = Features::new(space, sources, &mut random);
        let has_sources = !features.sources.is_empty();
        let mut experts = vec![Expert::alone(&features, &mut random)];
        let (mut first, mut modes) = (Vec::new(), None);
        let mut turns = vec![(Voice::Expert(0), 0), (Voice::Near(0), PATIENCE)];
        if has_sources {
            let late = 2 * PATIENCE;
            turns = vec![(Voice::Expert(1), 0), (Voice::Modes(1), PATIENCE_PEAKS)];
            turns.extend([(Voice::Expert(0), late), (Voice::Near(0), late)]);
            first = features.unlike(UNLIKE);
            modes = Some(Modes::new(space, &features));
            experts.push(Expert::new(features, &mut random));
        }
        Self {
            space: Arc::clone(space),
            fresh,
            experts,
            modes,
            turns: turns.into_iter().map(|(voice, without_gain)| Turn { voice, without_gain }).collect(),
            asked: 0,
            has_sources,
            first,
            outcomes: Vec::new(),
            best: None,
        }
    }

    /// Returns a step of the voice that went without a gain for the shortest time.
    fn step(&mut self) -> Vec<Candidate> {
        let count = (1 + self.outcomes.len() / PER_PROPOSAL).min(MOST);
        let mut order: Vec<usize> = (0..self.turns.len()).collect();
        order.sort_by_key(|&at| self.turns[at].without_gain);
        for at in order {
            let step = self.proposals(self.turns[at].voice, count);
            if !step.is_empty() {
                self.asked = at;
                return step;
            }
        }
        Vec::new()
    }

    fn proposals(&mut self, voice: Voice, count: usize) -> Vec<Candidate> {
        let (fresh, outcomes) = (&self.fresh, &self.outcomes);
        match (voice, self.best) {
            (Voice::Near(expert), Some(best)) => {
                let near = self.space.neighbours(best.proposal);
                let expert = &mut self.experts[expert];
                expert.propose(outcomes, count, |own| fresh.has(own) && near.contains(&own))
            }
            (Voice::Expert(expert) | Voice::Near(expert), _) => {
                self.experts[expert].propose(outcomes, count, |own| fresh.has(own))
            }
            (Voice::Modes(expert), _) => {
                let weights = self.experts[expert].weights();
                let modes = self.modes.as_mut();
                modes.map_or_else(Vec::new, |modes| modes.propose(count, weights, |own| fresh.has(own)))
            }
        }
    }
}

impl Proposer for Model {
    type Proposal = Candidate;
    type Report = Evaluation;
    type Error = Infallible;

    fn propose(&mut self, _: usize) -> Result<Vec<Candidate>, Infallible> {
        if !self.has_sources && self.outcomes.len() < FIRST {
            return Ok(self.fresh.any().into_iter().collect());
        }
        let mut step = std::mem::take(&mut self.first);
        if step.is_empty() {
            step = self.step();
        }
        step.iter().for_each(|&candidate| _ = self.fresh.take(candidate));
        if step.is_empty() {
            step.extend(self.fresh.any()); // of a large space, what the model does not look at
        }
        Ok(step)
    }

    fn learn(&mut self, step: &[Outcome]) {
        self.outcomes.extend(step);
        for outcome in step {
            self.turns[self.asked].without_gain += 1;
            let cost = outcome.report.cost();
            let best = self.best.map_or(f64::INFINITY, |best| best.report.cost());
            if cost < best {
                self.best = Some(*outcome);
            }
            if cost < best * (1.0 - GAIN) {
                self.turns[self.asked].without_gain = 0;
            }
        }
    }
}
