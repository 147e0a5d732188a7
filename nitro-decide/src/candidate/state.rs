//! A state of a problem: what each choice may still be.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use super::filter::filter;
use super::ids::{ChoiceId, RuleId};
use super::problem::Problem;
use super::rule::{Rule, Within};
use super::values::Values;

/// A candidate: what each choice of a [`Problem`] may still be, at the greatest fixed point of its rules. No value
/// goes that a solution has. Cheap to clone, so that a search branches by copying. The [crate](crate) has an
/// example.
#[derive(Clone)]
pub struct Candidate {
    problem: Arc<Problem>,
    open: Vec<Values>,
    pub(super) trail: Vec<TrailEntry>,
    decisions: Vec<Within>,
}

/// Values that went together.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrailEntry {
    pub(super) choice: ChoiceId,
    pub(super) gone: Values,
    pub(super) cause: Cause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    Decision(usize),
    Rule(usize),
}

/// Nothing is left of a choice; the state that it was found in says why.
#[derive(Clone)]
pub struct Conflict {
    choice: Option<ChoiceId>,
    cause: String,
    pub(super) state: Box<Candidate>,
}

impl Candidate {
    /// Everything that the rules leave open.
    ///
    /// # Errors
    /// When that is nothing.
    pub fn new(problem: Arc<Problem>) -> Result<Self, Conflict> {
        let open = problem.choices().map(|choice| problem.all(choice)).collect();
        let rules = (0..problem.rules.len()).collect();
        let mut candidate = Self { problem, open, trail: Vec::new(), decisions: Vec::new() };
        candidate.propagate(rules)?;
        Ok(candidate)
    }

    /// Decides that a choice has one of these values, with all that follows. What was not open anyway changes nothing.
    ///
    /// # Errors
    /// When nothing is left of some choice; the state is of no use then ([`Candidate::is_dead`]).
    ///
    /// # Panics
    /// If the choice is none of the problem.
    pub fn restrict(&mut self, choice: ChoiceId, keep: Values) -> Result<(), Conflict> {
        let gone = self.open[choice.0].without(keep);
        if gone.is_empty() {
            return Ok(());
        }
        let cause = Cause::Decision(self.decisions.len());
        self.decisions.push(Within { choice, values: keep.and(self.problem.all(choice)) });
        self.remove(TrailEntry { choice, gone, cause })?;
        self.propagate(self.problem.watchers[choice.0].iter().copied().collect())
    }

    /// The values of a choice that are open.
    ///
    /// # Panics
    /// If the choice is none of the problem.
    #[must_use]
    pub fn values(&self, choice: ChoiceId) -> Values {
        self.open[choice.0]
    }

    /// The first choice with more than one open value, in the order of the problem.
    #[must_use]
    pub fn first_open(&self) -> Option<ChoiceId> {
        self.open().next()
    }

    /// The choices with more than one open value, in the order of the problem.
    pub fn open(&self) -> impl Iterator<Item = ChoiceId> + '_ {
        let all = self.open.iter().enumerate();
        all.filter(|(_, values)| values.len() > 1).map(|(position, _)| ChoiceId(position))
    }

    /// Returns true if nothing is left of some choice.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.open.iter().any(|values| values.is_empty())
    }

    /// The value of each choice, once all are decided.
    #[must_use]
    pub fn solution(&self) -> Option<Vec<usize>> {
        self.open.iter().map(|values| values.only()).collect()
    }

    /// Returns the candidate where each choice has the value of a point; `None` if that is no point inside, such as
    /// one of another problem.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use nitro_decide::{Candidate, Problem, Rule};
    ///
    /// let mut problem = Problem::default();
    /// let (one, other) = (problem.numbers("one", [1, 2])?, problem.numbers("other", [1, 2])?);
    /// problem.rule("alike", Rule::Equal(one, other))?;
    /// let all = Candidate::new(Arc::new(problem))?;
    /// assert_eq!(all.decide(&[1, 1]).unwrap().solution(), Some(vec![1, 1]));
    /// assert!(all.decide(&[0, 1]).is_none() && all.decide(&[1]).is_none() && all.decide(&[64, 64]).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn decide(&self, point: &[usize]) -> Option<Self> {
        let mut decided = self.clone();
        for (choice, &value) in self.problem.choices().zip(point) {
            if !self.values(choice).has(value) {
                return None; // it may be more than a set of values has
            }
            decided.restrict(choice, Values::of([value])).ok()?;
        }
        (decided.solution().as_deref() == Some(point)).then_some(decided)
    }

    /// Returns the decisions, in that order.
    #[must_use]
    pub fn decisions(&self) -> &[Within] {
        &self.decisions
    }

    /// Returns the problem.
    #[must_use]
    pub fn problem(&self) -> &Arc<Problem> {
        &self.problem
    }

    fn remove(&mut self, removal: TrailEntry) -> Result<(), Conflict> {
        let open = &mut self.open[removal.choice.0];
        *open = open.without(removal.gone);
        let dead = open.is_empty();
        self.trail.push(removal);
        if dead { Err(self.conflict(Some(removal.choice), removal.cause)) } else { Ok(()) }
    }

    /// Filters until nothing follows any more.
    fn propagate(&mut self, mut queue: VecDeque<usize>) -> Result<(), Conflict> {
        let problem = self.problem.clone();
        let mut queued = vec![false; problem.rules.len()];
        queue.iter().for_each(|&rule| queued[rule] = true);
        while let Some(rule) = queue.pop_front() {
            queued[rule] = false;
            let named = &problem.rules[rule];
            let gone = filter(&problem, &named.rule, &named.scope, &mut self.open)
                .map_err(|()| self.conflict(None, Cause::Rule(rule)))?;
            // a table or a clause leaves nothing that it would take away next time
            let settled = matches!(named.rule, Rule::Table { .. } | Rule::Clause { .. });
            for (choice, gone) in gone {
                self.remove(TrailEntry { choice, gone, cause: Cause::Rule(rule) })?;
                for &other in &problem.watchers[choice.0] {
                    let again = other != rule || !settled;
                    if again && !queued[other] {
                        queued[other] = true;
                        queue.push_back(other);
                    }
                }
            }
        }
        Ok(())
    }

    fn conflict(&self, choice: Option<ChoiceId>, cause: Cause) -> Conflict {
        let cause = match cause {
            Cause::Decision(_) => "a decision that keeps nothing of what is open".to_owned(),
            Cause::Rule(rule) => format!("the rule {}", self.problem.show(RuleId(rule))),
        };
        Conflict { choice, cause, state: Box::new(self.clone()) }
    }
}

impl fmt::Debug for Candidate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = self.problem.choices().map(|choice| {
            let names = self.open[choice.0].iter().map(|value| self.problem.value_name(choice, value));
            (self.problem.name(choice), names.collect::<Vec<_>>())
        });
        formatter.debug_map().entries(open).finish()
    }
}

impl Conflict {
    /// Returns the choice that has no value left; `None` for a rule that is about no choice.
    #[must_use]
    pub fn choice(&self) -> Option<ChoiceId> {
        self.choice
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.choice.map_or("any choice", |choice| self.state.problem.name(choice));
        write!(formatter, "nothing is left of {name} by {}", self.cause)
    }
}

impl fmt::Debug for Conflict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for Conflict {}

impl PartialEq for Conflict {
    fn eq(&self, other: &Self) -> bool {
        self.choice == other.choice && self.cause == other.cause
    }
}

impl Eq for Conflict {}
