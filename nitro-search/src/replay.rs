//! Replays: searches of a space that is measured completely, which rate strategies.

use std::collections::BTreeMap;
use std::sync::Arc;

use nitro_stats::statistics::{mean, median};
use serde::Serialize;

use crate::{Ask, Budget, Engine, Evaluation, Sources, Space, Strategy};

/// The numbers of evaluations of [`Figures::best_after`].
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

/// The results of the searches of a replay: the fields of `search --replay --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// The strategy.
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
    /// Creates one of a space and the measurements of its candidates, in their order.
    ///
    /// # Panics
    /// When there is not one evaluation for each candidate.
    #[must_use]
    pub fn new(space: Arc<Space>, answers: Vec<Evaluation>) -> Self {
        assert_eq!(space.len(), answers.len(), "one evaluation for each candidate");
        let best_ns = answers.iter().map(|answer| answer.cost()).fold(f64::INFINITY, f64::min);
        Self { space, answers, best_ns }
    }

    /// Returns the time of the best of all in nanoseconds; infinity where all failed.
    #[must_use]
    pub fn best_ns(&self) -> f64 {
        self.best_ns
    }

    /// Runs one search of at most so many evaluations, and returns its curve: after each of them the time of the
    /// best of all over that of the best found, 0 while all failed.
    #[must_use]
    pub fn curve(
        &self,
        strategy: Strategy,
        sources: &Arc<Sources>,
        evaluations: usize,
        seed: u64,
    ) -> Vec<f64> {
        let strategy = strategy.over(&self.space, seed, sources);
        let mut search = Engine::new(strategy, Budget::evaluations(evaluations));
        let mut curve = Vec::new();
        while let Ok(Ask::Evaluate(candidates)) = search.ask(1) {
            for candidate in candidates {
                let told = search.tell(&candidate, self.answers[candidate.index()]);
                debug_assert!(told.is_ok(), "{told:?}");
                curve.push(search.best().map_or(0.0, |best| self.best_ns / best.report.cost()));
            }
        }
        curve
    }

    /// Returns the figures of searches with the seeds from 0.
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

    /// Returns the figures of these curves, of [`curve`](Self::curve): for a caller that runs several at once.
    #[must_use]
    pub fn summary(&self, strategy: Strategy, evaluations: usize, curves: &[Vec<f64>]) -> Figures {
        let mut best_after = BTreeMap::new();
        for count in AFTER.into_iter().filter(|&count| count <= evaluations) {
            // A search that ended early stays at what it found.
            let reached =
                curves.iter().map(|curve| curve.get(count - 1).or(curve.last()).copied().unwrap_or(0.0));
            best_after.insert(count, mean(reached).unwrap_or(0.0));
        }
        let mut reached = Vec::with_capacity(curves.len());
        for curve in curves {
            let first = curve.iter().position(|&share| share >= GOOD);
            reached.push(first.map_or(f64::INFINITY, |at| at as f64 + 1.0));
        }
        Figures {
            strategy: strategy.to_string(),
            configurations: self.space.len(),
            valid: self.answers.iter().filter(|answer| answer.time_ns().is_some()).count(),
            seeds: curves.len(),
            best_after,
            evaluations_to_95: median(&mut reached).filter(|median| median.is_finite()),
            never_95: reached.iter().filter(|count| count.is_infinite()).count(),
        }
    }
}
