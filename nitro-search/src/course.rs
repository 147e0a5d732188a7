//! The course of a search, whatever it proposes: steps, budget, and what is under way.

use crate::{Ask, Budget, Ended, Evaluation, Failure, TellError};

/// Of so many skipped proposals for each evaluation of the budget none costs one: where all are skipped a search
/// comes to its end, too.
const FREE: usize = 10;

/// Steps of proposals known by `K`, and for each the outcome `E` once it is told.
pub(crate) struct Course<K, E> {
    budget: Budget,
    /// The step that is under way.
    step: Vec<Slot<K, E>>,
    /// How many were proposed, that step included.
    proposed: usize,
    /// How many of them were skipped.
    skipped: usize,
    best_cost: f64,
    /// Evaluations since the best was found.
    without_gain: usize,
}

struct Slot<K, E> {
    key: K,
    asked: bool,
    outcome: Option<E>,
}

impl<K: Copy + PartialEq, E> Course<K, E> {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { budget, step: Vec::new(), proposed: 0, skipped: 0, best_cost: f64::INFINITY, without_gain: 0 }
    }

    /// The outcomes of a step that is complete, in the order of its proposals; none while something is under way.
    pub(crate) fn complete(&mut self) -> Option<Vec<(K, E)>> {
        if self.step.iter().any(|slot| slot.outcome.is_none()) {
            return None;
        }
        Some(self.step.drain(..).filter_map(|slot| Some((slot.key, slot.outcome?))).collect())
    }

    /// How many may still be proposed.
    pub(crate) fn left(&self) -> usize {
        let most = |most: usize| most.saturating_add(self.skipped.min(most.saturating_mul(FREE)));
        self.budget.evaluations.map_or(usize::MAX, |own| most(own).saturating_sub(self.proposed))
    }

    /// Begins a step with as many of these as may still be proposed.
    pub(crate) fn begin(&mut self, mut proposals: Vec<K>) {
        proposals.truncate(self.left());
        self.proposed += proposals.len();
        self.step = proposals.into_iter().map(|key| Slot { key, asked: false, outcome: None }).collect();
    }

    /// Up to `room` of the step.
    pub(crate) fn ask(&mut self, room: usize) -> Ask<K> {
        if let Some(ended) = self.ended() {
            return Ask::Done(ended);
        }
        let open = self.step.iter_mut().filter(|slot| !slot.asked);
        let asked = open.take(room).map(|slot| {
            slot.asked = true;
            slot.key
        });
        match asked.collect::<Vec<_>>() {
            none if none.is_empty() => Ask::Wait,
            some => Ask::Evaluate(some),
        }
    }

    /// Those of the step of which something is known already: as if they had been asked for.
    pub(crate) fn ask_known<O>(&mut self, mut known: impl FnMut(K) -> Option<O>) -> Vec<(K, O)> {
        let slots = self.step.iter_mut().filter(|slot| !slot.asked);
        slots
            .filter_map(|slot| {
                let outcome = known(slot.key)?;
                slot.asked = true;
                Some((slot.key, outcome))
            })
            .collect()
    }

    /// Keeps an outcome; whether it is the best so far.
    pub(crate) fn tell(&mut self, key: K, evaluation: Evaluation, outcome: E) -> Result<bool, TellError<K>> {
        if let Some(time_ns) = evaluation.time_ns().filter(|time| !time.is_finite() || *time < 0.0) {
            return Err(TellError::Time(key, time_ns));
        }
        let waits = |slot: &&mut Slot<K, E>| slot.key == key && slot.asked && slot.outcome.is_none();
        let slot = self.step.iter_mut().find(waits).ok_or(TellError::NotAsked(key))?;
        slot.outcome = Some(outcome);
        if evaluation == Evaluation::Failed(Failure::Skipped) {
            self.skipped += 1;
            self.without_gain += usize::from(self.skipped.is_multiple_of(FREE));
            return Ok(false);
        }
        self.without_gain += 1;
        let is_best = evaluation.cost() < self.best_cost;
        if is_best {
            self.best_cost = evaluation.cost();
            self.without_gain = 0;
        }
        Ok(is_best)
    }

    fn ended(&self) -> Option<Ended> {
        let budget = &self.budget;
        if budget.target_ns.is_some_and(|target| self.best_cost <= target) {
            return Some(Ended::Target);
        }
        if budget.plateau.is_some_and(|most| self.without_gain >= most) {
            return Some(Ended::Plateau);
        }
        let used_up = self.left() == 0;
        self.step.is_empty().then_some(if used_up { Ended::Evaluations } else { Ended::Exhausted })
    }
}
