//! Ask and tell: what to evaluate next, and what that gave.

use std::collections::HashMap;
use std::sync::Arc;

use crate::course::Course;
use crate::strategy::{Steps, Strategy};
use crate::{Ask, Budget, Candidate, Evaluation, Outcome, Sources, Space, TellError};

/// What a search is to do.
///
/// ```
/// use nitro_search::{Budget, Plan, Strategy};
///
/// let plan = Plan { seed: 7, budget: Budget::evaluations(50), ..Plan::new(Strategy::Local) };
/// assert_eq!(plan.strategy, Strategy::Local);
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    /// Who proposes.
    pub strategy: Strategy,
    /// All chance comes from it: the same seed, the same proposals.
    pub seed: u64,
    /// When to stop.
    pub budget: Budget,
    /// What other devices measured, for [`Strategy::Transfer`]; others do not look at it.
    pub sources: Arc<Sources>,
}

impl Plan {
    /// This strategy with seed 0, without sources, until nothing is left.
    #[must_use]
    pub fn new(strategy: Strategy) -> Self {
        Self { strategy, seed: 0, budget: Budget::default(), sources: Arc::default() }
    }
}

/// A search over a space: [`ask`](Self::ask) what to evaluate, [`tell`](Self::tell) what that gave.
///
/// A strategy proposes in steps (a generation, a round, a batch between two fits), and sees the outcomes of a step
/// at once, in the order in which it proposed them. So the proposals depend on seed and outcomes alone: not on how
/// many are evaluated at once, nor on which was done first.
///
/// ```
/// use std::sync::Arc;
/// use nitro_search::{Ask, Budget, Evaluation, Parameter, Plan, Search, Space, Strategy};
///
/// let parameters = vec![Parameter::numbers("block", [32.0, 64.0, 128.0]), Parameter::bool("staged")];
/// let space = Arc::new(Space::constrained(parameters, vec![])?);
/// let plan = Plan { budget: Budget::evaluations(4), ..Plan::new(Strategy::Model) };
/// let mut search = Search::new(space.clone(), plan);
/// loop {
///     match search.ask(1) {
///         Ask::Evaluate(candidates) => for candidate in candidates {
///             let values = space.configuration(candidate);
///             let time_ns = 100.0 / f64::from(values[0] + 1) + f64::from(values[1]); // here a program would be run
///             search.tell(candidate, Evaluation::TimeNs(time_ns))?;
///         },
///         Ask::Wait => unreachable!("every candidate was told"),
///         Ask::Done(_) => break,
///     }
/// }
/// assert_eq!(search.evaluations(), 4);
/// println!("{}", space.text(search.best().unwrap().candidate));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Search {
    space: Arc<Space>,
    plan: Plan,
    steps: Box<dyn Steps>,
    course: Course<Candidate, Evaluation>,
    outcomes: Vec<Outcome>,
    best: Option<Outcome>,
}

impl Search {
    /// A search that has not begun.
    #[must_use]
    pub fn new(space: Arc<Space>, plan: Plan) -> Self {
        let steps = plan.strategy.start(&space, plan.seed, &plan.sources);
        let course = Course::new(plan.budget);
        Self { space, plan, steps, course, outcomes: Vec::new(), best: None }
    }

    /// The space.
    #[must_use]
    pub fn space(&self) -> &Arc<Space> {
        &self.space
    }

    /// What it was asked to do.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Up to `room` candidates to evaluate next, none of which was proposed before.
    pub fn ask(&mut self, room: usize) -> Ask {
        self.advance();
        self.course.ask(room)
    }

    /// What evaluating a candidate gave.
    ///
    /// # Errors
    /// When it was not asked for, was told before, or the time is none.
    pub fn tell(&mut self, candidate: Candidate, evaluation: Evaluation) -> Result<(), TellError> {
        let is_best = self.course.tell(candidate, evaluation, evaluation)?;
        let outcome = Outcome { candidate, evaluation };
        self.outcomes.push(outcome);
        if is_best {
            self.best = Some(outcome);
        }
        Ok(())
    }

    /// Brings a search that has not begun to where another one of the same space and plan was that had these
    /// outcomes, in whatever order they came. What was under way then is asked for again.
    ///
    /// # Errors
    /// When an outcome is none of this search's.
    pub fn restore(&mut self, outcomes: &[Outcome]) -> Result<(), TellError> {
        let mut known: HashMap<Candidate, Evaluation> =
            outcomes.iter().map(|outcome| (outcome.candidate, outcome.evaluation)).collect();
        while !known.is_empty() {
            self.advance();
            let found = self.course.ask_known(|candidate| known.remove(&candidate));
            if found.is_empty() {
                break;
            }
            found.into_iter().try_for_each(|(candidate, evaluation)| self.tell(candidate, evaluation))?;
        }
        known.keys().min().map_or(Ok(()), |&candidate| Err(TellError::Foreign(candidate)))
    }

    /// The fastest so far.
    #[must_use]
    pub fn best(&self) -> Option<Outcome> {
        self.best
    }

    /// What was evaluated, in the order in which it was told.
    #[must_use]
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// How many were evaluated, failed ones counted.
    #[must_use]
    pub fn evaluations(&self) -> usize {
        self.outcomes.len()
    }

    /// Goes on to the next step when this one is complete.
    fn advance(&mut self) {
        let Some(told) = self.course.complete() else { return };
        let outcome = |(candidate, evaluation)| Outcome { candidate, evaluation };
        let told: Vec<Outcome> = told.into_iter().map(outcome).collect();
        if !told.is_empty() {
            self.steps.tell(&told);
        }
        if self.course.left() > 0 {
            self.course.begin(self.steps.ask());
        }
    }
}
