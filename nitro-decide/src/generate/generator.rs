//! The space as a trainer searches it: one choice after the other, each with the values that are still open.

use nitro_search::{
    BoxError, Crossing, Decision, Decisions, Generator, NodeKey, PathBound, ProofPlan, Prover, Step,
};

use super::prover::PointProver;
use super::space::DecidedSpace;
use crate::{
    BranchAndBound, BranchPlan, Candidate, ChoiceId, ClassPlan, LowerBound, Rates, TimeBound, Values,
};

/// In so many states a proof compares all open choices: in complete ones of products that halves the tree.
const COMPARED: usize = 16;
/// Of a space of at most so many points a proof says how many were left out on each level.
const COUNTED: u64 = 50_000;

impl DecidedSpace {
    /// Returns the lower bound of the times of its candidates on a device of these rates.
    ///
    /// Where the caches of what is loaded are open, requests do not count: these were measured of loads that the
    /// first-level cache keeps.
    #[must_use]
    pub fn time_bound(&self, mut rates: Rates) -> TimeBound {
        let mut open = self.caches.iter().flatten();
        if open.any(|&choice: &ChoiceId| self.root.values(choice).only() != Some(0)) {
            rates.requests_per_clock = f64::INFINITY;
        }
        TimeBound::new(&self.kernel, &self.nesting, rates)
    }

    /// Returns what these decisions leave open, or why that is nothing.
    fn after(&self, path: &[Crossing]) -> Result<Candidate, BoxError> {
        let mut candidate = self.root().clone();
        for crossing in path {
            let choice = candidate.first_open().ok_or("the path goes on where all is decided")?;
            candidate.restrict(choice, Values::of([crossing.option]))?;
        }
        Ok(candidate)
    }
}

impl Decisions for DecidedSpace {
    fn next(&self, path: &[Crossing]) -> Step {
        let candidate = match self.after(path) {
            Ok(candidate) => candidate,
            Err(error) => return Step::DeadEnd(error.to_string()),
        };
        let Some(choice) = candidate.first_open() else { return Step::Complete };
        let key = NodeKey::new(self.nesting.problem.name(choice).to_owned());
        let open = candidate.values(choice);
        Step::Choose(
            Decision::new(key, self.nesting.problem.all(choice).len()).only(|option| open.has(option)),
        )
    }
}

/// A path's text is its [launch plan](nitro_nest::Program::plan), which says what was decided
/// ([`LaunchPlan::origin`](nitro_nest::LaunchPlan::origin)).
impl Generator for DecidedSpace {
    fn decisions(&self) -> &dyn Decisions {
        self
    }

    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
        Ok(self.text(&self.after(path)?.solution().ok_or("the path is not complete")?))
    }

    /// Bounds by [`TimeBound`], which also bounds what a path leaves open; none on a device of which too little is
    /// known ([`Rates::from_features`]).
    fn path_bound(&self, device: &dyn Fn(&str) -> Option<f64>) -> Option<PathBound<'_>> {
        let bound = self.time_bound(Rates::from_features(device).ok()?);
        Some(Box::new(move |path| Some(bound.bound_ns(&self.after(path).ok()?))))
    }

    /// Branch and bound by [`TimeBound`].
    fn prover(&self, device: &dyn Fn(&str) -> Option<f64>, plan: &ProofPlan) -> Option<Prover<'_>> {
        let bound = self.time_bound(Rates::from_features(device).ok()?);
        let plan = BranchPlan {
            percent: plan.within_percent,
            classes: plan.classes.then(ClassPlan::default),
            seed: plan.seed,
            compared: COMPARED,
            counted_points: COUNTED,
            ..BranchPlan::default()
        };
        let search = BranchAndBound::new(self.root().clone(), bound, plan);
        Some(Box::new(PointProver::new(self, search)))
    }
}
