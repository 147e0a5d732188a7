//! The ant colony of "Coding Ants" ([`crate::paths::ants`]) on a space that is known.
//!
//! The parameters are decided in their order, and options that no configuration continues with are not allowed. A
//! parameter is one node, whatever was chosen before it: nodes that know what was chosen for the parameter before,
//! or for all, found no more in replays of Kernel Tuner's spaces. There is one part, and there are no metrics: of
//! the paper's four extensions the regression tree alone has something to do.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use super::start::Start;
use crate::paths::{AntColony, Attributes, Crossing, Decision, Decisions, NodeKey, Path, PathStrategy, Step};
use crate::{Candidate, Evaluation, Observation, Outcome, Proposer, Space};

pub(super) struct ListedAnts {
    colony: AntColony,
    decisions: Parameters,
    /// The paths of the step that is under way.
    paths: HashMap<Candidate, Path>,
}

impl ListedAnts {
    pub(super) fn new(start: &Start<'_>) -> Self {
        let decisions = Parameters { space: Arc::clone(start.space) };
        Self { colony: AntColony::new(start.seed), decisions, paths: HashMap::new() }
    }
}

impl Proposer for ListedAnts {
    type Proposal = Candidate;
    type Report = Evaluation;
    type Error = Infallible;

    fn propose(&mut self, _: usize) -> Result<Vec<Candidate>, Infallible> {
        // What is allowed always leads to a configuration, and ends with the last parameter: there is nothing that
        // a walk could fail at.
        let paths = self.colony.propose(&self.decisions).unwrap_or_default();
        let mut step = Vec::new();
        self.paths.clear();
        for path in paths {
            if let Some(candidate) = self.decisions.space.find(&values(&path)) {
                step.push(candidate);
                self.paths.insert(candidate, path);
            }
        }
        Ok(step)
    }

    fn learn(&mut self, step: &[Outcome]) {
        let mut walked = Vec::new();
        for outcome in step {
            if let Some(proposal) = self.paths.remove(&outcome.proposal) {
                walked.push(Observation { proposal, report: outcome.report.into() });
            }
        }
        self.colony.learn(&self.decisions, &walked);
    }
}

/// The parameters of a space, one after the other.
struct Parameters {
    space: Arc<Space>,
}

impl Decisions for Parameters {
    fn next(&self, path: &[Crossing]) -> Step {
        let Some(parameter) = self.space.parameters().get(path.len()) else { return Step::Complete };
        let key = NodeKey::new(parameter.name().to_owned());
        let open = self.space.continuations(&values(path));
        let mut allowed = vec![false; parameter.len()];
        open.into_iter().for_each(|value| allowed[usize::from(value)] = true);
        Step::Choose(Decision { key, part: None, allowed })
    }

    fn longest(&self) -> usize {
        self.space.parameters().len()
    }

    /// Returns the values: a split of the tree is about a parameter, whatever came before it.
    fn attributes(&self, path: &[Crossing]) -> Attributes {
        let values = self.space.parameters().iter().zip(path);
        values.map(|(parameter, crossing)| (parameter.name().to_owned(), crossing.option as f64)).collect()
    }
}

fn values(path: &[Crossing]) -> Vec<u16> {
    path.iter().map(|crossing| crossing.option as u16).collect()
}
