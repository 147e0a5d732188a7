//! The ant colony of "Coding Ants" ([`crate::paths::ants`]) on a space that is known: the parameters are decided in
//! their order, and options that no configuration continues with are not allowed.
//!
//! A parameter is one node, whatever was chosen before it. Nodes that know what was chosen for the parameter
//! before, or for all, found no more in replays of Kernel Tuner's spaces. There is one part, and there are no
//! metrics: of the paper's four extensions the regression tree alone has something to do.

use std::collections::HashMap;
use std::sync::Arc;

use super::Steps;
use crate::paths::ants::{Ants, Colony};
use crate::paths::{Attributes, Crossing, Decision, Decisions, NodeKey, Report, Step};
use crate::{Candidate, Outcome, Space};

pub(super) struct AntColony {
    colony: Colony,
    decisions: Parameters,
    /// The paths of the step that is under way.
    paths: HashMap<Candidate, Vec<Crossing>>,
}

impl AntColony {
    pub(super) fn new(space: Arc<Space>, seed: u64) -> Self {
        let colony = Colony::new(Ants::default(), seed);
        Self { colony, decisions: Parameters { space }, paths: HashMap::new() }
    }
}

impl Steps for AntColony {
    fn ask(&mut self) -> Vec<Candidate> {
        // What is allowed always leads to a configuration, and ends with the last parameter: there is nothing that
        // a walk could fail at.
        let paths = self.colony.ask(&self.decisions).unwrap_or_default();
        let candidate = |path: &Vec<Crossing>| self.decisions.space.find(&values(path));
        let found: Vec<_> = paths.into_iter().filter_map(|path| Some((candidate(&path)?, path))).collect();
        let candidates = found.iter().map(|(candidate, _)| *candidate).collect();
        self.paths = found.into_iter().collect();
        candidates
    }

    fn tell(&mut self, outcomes: &[Outcome]) {
        let reports: Vec<(&Candidate, Report)> =
            outcomes.iter().map(|outcome| (&outcome.candidate, outcome.evaluation.into())).collect();
        let told: Vec<(&[Crossing], &Report)> = reports
            .iter()
            .filter_map(|(candidate, report)| Some((self.paths.get(candidate)?.as_slice(), report)))
            .collect();
        self.colony.tell(&self.decisions, &told);
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

    /// The values: a split of the tree is about a parameter, whatever came before it.
    fn attributes(&self, path: &[Crossing]) -> Attributes {
        let values = self.space.parameters().iter().zip(path);
        values.map(|(parameter, crossing)| (parameter.name().to_owned(), crossing.option as f64)).collect()
    }
}

fn values(path: &[Crossing]) -> Vec<u16> {
    path.iter().map(|crossing| crossing.option as u16).collect()
}
