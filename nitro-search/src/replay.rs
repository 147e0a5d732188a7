//! Searches of a space that is measured completely: how good a strategy would have been.

use std::collections::BTreeMap;
use std::sync::Arc;

use nitro_stats::statistics::{mean, median};
use serde::Serialize;

use crate::{Ask, Budget, Evaluation, Plan, Search, Sources, Space, Strategy};

/// After how many evaluations [`Figures::best_after`] says how good the best found is.
const AFTER: [usize; 7] = [1, 5, 10, 20, 50, 100, 200];
/// The share of the best speed whose first evaluation is counted.
const GOOD: f64 = 0.95;

/// A space of which everything was measured.
///
/// ```
/// use std::sync::Arc;
/// use nitro_search::{Evaluation, Parameter, Replay, Sources, Space, Strategy};
///
/// let space = Arc::new(Space::constrained(vec![Parameter::linear("unroll", [1.0, 2.0, 3.0, 4.0])], vec![])?);
/// let times_ns = [40.0, 20.0, 10.0, 30.0].map(Evaluation::TimeNs);
/// let replay = Replay::new(space, times_ns.to_vec());
/// let figures = replay.figures(Strategy::Exhaustive, &Arc::new(Sources::default()), 4, 1);
/// assert_eq!(figures.best_after[&1], 0.25);
/// assert_eq!(figures.evaluations_to_95, Some(3.0));
/// # Ok::<(), nitro_search::SpaceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replay {
    space: Arc<Space>,
    answers: Vec<Evaluation>,
    best_ns: f64,
}

/// What the searches of a replay achieved: the fields of `search --replay --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Who proposed.
    pub strategy: String,
    /// Number of configurations.
    pub configurations: usize,
    /// Number of those that did not fail.
    pub valid: usize,
    /// Number of searches.
    pub seeds: usize,
    /// Time of the best of all over that of the best found after so many evaluations (0 while all failed), mean
    /// over the seeds.
    pub best_after: BTreeMap<usize, f64>,
    /// Evaluations until 95 % of the best speed, median over the seeds; none where the median search never got there.
    pub evaluations_to_95: Option<f64>,
    /// Seeds that never got there.
    pub never_95: usize,
}

impl Replay {
    /// A space and what was measured of each candidate, in their order.
    ///
    /// # Panics
    /// When there is not one evaluation for each candidate.
    #[must_use]
    pub fn new(space: Arc<Space>, answers: Vec<Evaluation>) -> Self {
        assert_eq!(space.len(), answers.len(), "one evaluation for each candidate");
        let best_ns = answers.iter().map(|answer| answer.cost()).fold(f64::INFINITY, f64::min);
        Self { space, answers, best_ns }
    }

    /// One search of at most so many evaluations: after each of them the time of the best of all over that of the
    /// best found, 0 while all failed.
    #[must_use]
    pub fn curve(
        &self,
        strategy: Strategy,
        sources: &Arc<Sources>,
        evaluations: usize,
        seed: u64,
    ) -> Vec<f64> {
        let plan =
            Plan { strategy, seed, budget: Budget::evaluations(evaluations), sources: Arc::clone(sources) };
        let mut search = Search::new(Arc::clone(&self.space), plan);
        let mut curve = Vec::new();
        while let Ask::Evaluate(candidates) = search.ask(1) {
            for candidate in candidates {
                let told = search.tell(candidate, self.answers[candidate.index()]);
                debug_assert!(told.is_ok(), "{told:?}");
                curve.push(search.best().map_or(0.0, |best| self.best_ns / best.evaluation.cost()));
            }
        }
        curve
    }

    /// The figures of searches with the seeds from 0.
    #[must_use]
    pub fn figures(
        &self,
        strategy: Strategy,
        sources: &Arc<Sources>,
        evaluations: usize,
        seeds: usize,
    ) -> Figures {
        let curves = (0..seeds as u64).map(|seed| self.curve(strategy, sources, evaluations, seed));
        self.summary(strategy, evaluations, &curves.collect::<Vec<_>>())
    }

    /// The figures of these curves, of [`curve`](Self::curve): for who runs several searches at once.
    #[must_use]
    pub fn summary(&self, strategy: Strategy, evaluations: usize, curves: &[Vec<f64>]) -> Figures {
        // A search that ended early stays at what it found.
        let after = |count: usize| {
            let reached = |curve: &Vec<f64>| curve.get(count - 1).or(curve.last()).copied().unwrap_or(0.0);
            (count, mean(curves.iter().map(reached)).unwrap_or(0.0))
        };
        let to_good =
            |curve: &Vec<f64>| curve.iter().position(|&share| share >= GOOD).map(|at| at as f64 + 1.0);
        let mut reached: Vec<f64> =
            curves.iter().map(|curve| to_good(curve).unwrap_or(f64::INFINITY)).collect();
        Figures {
            strategy: strategy.to_string(),
            configurations: self.space.len(),
            valid: self.answers.iter().filter(|answer| answer.time_ns().is_some()).count(),
            seeds: curves.len(),
            best_after: AFTER.into_iter().filter(|&count| count <= evaluations).map(after).collect(),
            evaluations_to_95: median(&mut reached).filter(|median| median.is_finite()),
            never_95: reached.iter().filter(|count| count.is_infinite()).count(),
        }
    }
}
