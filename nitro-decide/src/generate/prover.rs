//! Branch and bound over the texts of points, which is how a trainer proves: `train search --strategy prove`.

use std::collections::HashMap;
use std::convert::Infallible;

use nitro_nest::LaunchPlan;
use nitro_search::{Evaluation, Observation, Proposer, TellError, Tree};

use super::space::DecidedSpace;
use crate::{BranchAndBound, LowerBound};

/// A [`BranchAndBound`] whose proposals are the texts of a space's points.
///
/// A text says what was decided, so those that a store has of an earlier search are points again.
pub(super) struct PointProver<'a, B> {
    space: &'a DecidedSpace,
    search: BranchAndBound<B>,
    /// The points that are under way, by text.
    points: HashMap<String, Vec<usize>>,
}

impl<'a, B: LowerBound> PointProver<'a, B> {
    pub(super) fn new(space: &'a DecidedSpace, search: BranchAndBound<B>) -> Self {
        Self { space, search, points: HashMap::new() }
    }

    /// Writes the decisions of a point into a refusal, in the place of its values.
    fn named(&self, error: TellError, values: &[usize]) -> TellError {
        match error {
            TellError::Unsound { time_ns, bound_ns, explanation, .. } => {
                TellError::Unsound { proposal: self.space.show(values), time_ns, bound_ns, explanation }
            }
            other => other,
        }
    }
}

impl DecidedSpace {
    /// Writes the text of a decided point: its [launch plan](nitro_nest::Program::plan), which says what was decided.
    ///
    /// # Panics
    /// When the values are none of a solution.
    #[must_use]
    pub fn text(&self, values: &[usize]) -> String {
        let mut plan = self.program(values).plan();
        plan.origin = self.show(values);
        plan.to_json()
    }

    /// Returns the point that a text is of; none where this space has no such text.
    fn point(&self, text: &str) -> Option<Vec<usize>> {
        let values = self.parse(&LaunchPlan::from_json(text).ok()?.origin).ok()?;
        (self.text(&values) == text).then_some(values)
    }
}

impl<B: LowerBound> Proposer for PointProver<'_, B> {
    type Proposal = String;
    type Report = Evaluation;
    type Error = Infallible;

    fn propose(&mut self, room: usize) -> Result<Vec<String>, Infallible> {
        let mut texts = Vec::new();
        for values in self.search.propose(room)? {
            let text = self.space.text(&values);
            texts.push(text.clone());
            self.points.insert(text, values);
        }
        Ok(texts)
    }

    fn judge(&mut self, text: &String, report: &Evaluation) -> Result<Evaluation, TellError> {
        let Some(values) = self.points.get(text) else { return Ok(*report) };
        self.search.judge(values, report).map_err(|error| self.named(error, &self.points[text]))
    }

    fn learn(&mut self, step: &[Observation<String, Evaluation>]) {
        for own in step {
            if let Some(proposal) = self.points.remove(&own.proposal) {
                self.search.learn(&[Observation { proposal, report: own.report }]);
            }
        }
    }

    fn recall(&mut self, known: &Observation<String, Evaluation>) -> Result<bool, TellError> {
        let Some(proposal) = self.space.point(&known.proposal) else {
            return Err(TellError::Foreign(self.name(&known.proposal)));
        };
        let point = Observation { proposal, report: known.report };
        self.search.recall(&point).map_err(|error| self.named(error, &point.proposal))
    }

    fn overlaps(&self) -> bool {
        self.search.overlaps()
    }

    fn proved_ns(&self) -> f64 {
        self.search.proved_ns()
    }

    fn tree(&self) -> Option<Tree> {
        self.search.tree()
    }

    fn name(&self, text: &String) -> String {
        let plan = LaunchPlan::from_json(text);
        plan.map_or_else(|_| "a text that is no launch plan".to_owned(), |plan| plan.origin)
    }
}
