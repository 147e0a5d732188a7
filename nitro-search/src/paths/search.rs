//! Ask and tell for paths.

use std::collections::HashMap;

use super::ants::Colony;
use super::genetic::Breeder;
use super::wanderer::Wanderer;
use super::{
    Crossing, Decisions, NodeKey, PathId, PathOutcome, PathPlan, PathStrategy, Proposal, Report, WalkError,
};
use crate::course::Course;
use crate::{Ask, TellError};

/// A search over [`Decisions`]: [`ask`](Self::ask) what to evaluate, [`tell`](Self::tell) what that gave.
///
/// As a [`Search`](crate::Search) it proposes in steps (an iteration of the colony) and sees the outcomes of a step
/// at once, in the order of its proposals: what it proposes depends on seed and outcomes alone.
///
/// ```
/// use nitro_search::{
///     Ants, Ask, Crossing, Decision, Decisions, NodeKey, PathPlan, PathSearch, PathStrategy, Report, Step,
/// };
///
/// /// Three loops, each unrolled 1, 2, 4 or 8 times, together at most 64 times.
/// struct Unrolling;
///
/// impl Decisions for Unrolling {
///     fn next(&self, path: &[Crossing]) -> Step {
///         let unrolled: usize = path.iter().map(|crossing| 1 << crossing.option).product();
///         let key = NodeKey::new("unroll").statements([path.len() as u32]);
///         let decision = Decision::new(key, 4).only(|option| unrolled << option <= 64);
///         if path.len() < 3 { Step::Choose(decision) } else { Step::Complete }
///     }
/// }
///
/// let mut search = PathSearch::new(Unrolling, PathPlan::new(PathStrategy::Ants(Ants::default())));
/// while let Ask::Evaluate(proposals) = search.ask(4)? {
///     for proposal in proposals {
///         let options: Vec<usize> = proposal.path.iter().map(|crossing| crossing.option).collect();
///         let time_ns = [3.0, 2.0, 1.0, 4.0].map(|time| time * 100.0); // here a program would be compiled and run
///         search.tell(proposal.id, Report::time_ns(options.iter().map(|&option| time_ns[option]).sum()))?;
///     }
/// }
/// assert_eq!(search.best().unwrap().report, Report::time_ns(300.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PathSearch<D> {
    decisions: D,
    plan: PathPlan,
    walker: Walker,
    course: Course<PathId, Report>,
    /// What was proposed, by number.
    paths: Vec<Vec<Crossing>>,
    outcomes: Vec<PathOutcome>,
    /// Position among the outcomes.
    best: Option<usize>,
}

enum Walker {
    Ants(Box<Colony>),
    Genetic(Breeder),
    Random(Wanderer),
}

impl<D: Decisions> PathSearch<D> {
    /// A search that has not begun.
    #[must_use]
    pub fn new(decisions: D, plan: PathPlan) -> Self {
        let walker = match &plan.strategy {
            PathStrategy::Ants(ants) => Walker::Ants(Box::new(Colony::new(ants.clone(), plan.seed))),
            PathStrategy::Genetic => Walker::Genetic(Breeder::new(plan.seed)),
            PathStrategy::Random => Walker::Random(Wanderer::new(plan.seed)),
        };
        let course = Course::new(plan.budget);
        Self { decisions, plan, walker, course, paths: Vec::new(), outcomes: Vec::new(), best: None }
    }

    /// What is searched.
    #[must_use]
    pub fn decisions(&self) -> &D {
        &self.decisions
    }

    /// What it was asked to do.
    #[must_use]
    pub fn plan(&self) -> &PathPlan {
        &self.plan
    }

    /// Up to `room` paths to evaluate next, none of which was proposed before.
    ///
    /// # Errors
    /// When no path of the space can be completed, or it breaks what [`Decisions`] promises.
    pub fn ask(&mut self, room: usize) -> Result<Ask<Proposal>, WalkError> {
        self.advance()?;
        Ok(match self.course.ask(room) {
            Ask::Evaluate(ids) => Ask::Evaluate(ids.into_iter().map(|id| self.proposal(id)).collect()),
            Ask::Wait => Ask::Wait,
            Ask::Done(why) => Ask::Done(why),
        })
    }

    /// What evaluating a path gave.
    ///
    /// # Errors
    /// When it was not asked for, was told before, or a time or metric is none.
    pub fn tell(&mut self, id: PathId, report: Report) -> Result<(), TellError<PathId>> {
        if let Some((name, value)) = report.fault() {
            return Err(TellError::Number(id, name, value));
        }
        let is_best = self.course.tell(id, report.evaluation, report.clone())?;
        if is_best {
            self.best = Some(self.outcomes.len());
        }
        self.outcomes.push(PathOutcome { id, path: self.paths[id.index()].clone(), report });
        Ok(())
    }

    /// Brings a search that has not begun to where another one of the same space and plan was that had these
    /// outcomes, in whatever order they came. What was under way then is asked for again.
    ///
    /// # Errors
    /// When an outcome is none of this search's, or the space is none.
    pub fn restore(&mut self, outcomes: &[PathOutcome]) -> Result<(), RestoreError> {
        let mut known: HashMap<&[Crossing], &PathOutcome> =
            outcomes.iter().map(|outcome| (outcome.path.as_slice(), outcome)).collect();
        while !known.is_empty() {
            self.advance()?;
            let paths = &self.paths;
            let found = self.course.ask_known(|id| known.remove(paths[id.index()].as_slice()));
            if found.is_empty() {
                break;
            }
            found.into_iter().try_for_each(|(id, outcome)| self.tell(id, outcome.report.clone()))?;
        }
        let foreign = known.values().map(|outcome| outcome.id).min();
        foreign.map_or(Ok(()), |id| Err(TellError::Foreign(id).into()))
    }

    /// The fastest so far.
    #[must_use]
    pub fn best(&self) -> Option<&PathOutcome> {
        self.best.map(|best| &self.outcomes[best])
    }

    /// What was evaluated, in the order in which it was told.
    #[must_use]
    pub fn outcomes(&self) -> &[PathOutcome] {
        &self.outcomes
    }

    /// How strongly the pheromone speaks for each option of a node, from 0 to 1; none where no ant was, or there
    /// are none.
    #[must_use]
    pub fn pheromone(&self, node: &NodeKey) -> Option<&[f64]> {
        match &self.walker {
            Walker::Ants(colony) => colony.pheromone(node),
            Walker::Genetic(_) | Walker::Random(_) => None,
        }
    }

    /// How often what the regression tree wanted was dropped, because it left an ant no option.
    #[must_use]
    pub fn dropped_filters(&self) -> usize {
        match &self.walker {
            Walker::Ants(colony) => colony.dropped_filters(),
            Walker::Genetic(_) | Walker::Random(_) => 0,
        }
    }

    fn proposal(&self, id: PathId) -> Proposal {
        Proposal { id, path: self.paths[id.index()].clone() }
    }

    /// Goes on to the next step when this one is complete.
    fn advance(&mut self) -> Result<(), WalkError> {
        let Some(told) = self.course.complete() else { return Ok(()) };
        let told: Vec<_> = told.iter().map(|(id, report)| (&*self.paths[id.index()], report)).collect();
        match &mut self.walker {
            Walker::Ants(colony) => colony.tell(&self.decisions, &told),
            Walker::Genetic(breeder) => breeder.tell(&told),
            Walker::Random(_) => {}
        }
        if self.course.left() == 0 {
            return Ok(());
        }
        let paths = match &mut self.walker {
            Walker::Ants(colony) => colony.ask(&self.decisions)?,
            Walker::Genetic(breeder) => breeder.ask(&self.decisions)?,
            Walker::Random(wanderer) => wanderer.ask(&self.decisions)?,
        };
        let first = self.paths.len();
        self.paths.extend(paths);
        self.course.begin((first..self.paths.len()).map(PathId::of).collect());
        Ok(())
    }
}

/// Why a search cannot be restored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// By the outcomes.
    #[error(transparent)]
    Tell(#[from] TellError<PathId>),
    /// By the space.
    #[error(transparent)]
    Walk(#[from] WalkError),
}
