//! A genetic algorithm on paths: a child takes each part of the program from whichever of two parents has the
//! faster one, then mutates.
//!
//! Parents are the better of two drawn among the fastest so far. At a node that it inherits nothing for, or where
//! that is not allowed, any option will do. So every child is a path.

use std::collections::BTreeMap;

use super::{Crossing, Decision, Decisions, Follow, Guide, NodeKey, Part, Report, WalkError, Walks};
use crate::random::Random;

/// Paths of a generation, of which the first is drawn.
const GENERATION: usize = 10;
/// How many of the fastest may be parents.
const PARENTS: usize = 20;

/// Whoever breeds paths.
pub(super) struct Breeder {
    random: Random,
    walks: Walks,
    /// The fastest so far, ascending by time.
    parents: Vec<(Vec<Crossing>, Report)>,
}

impl Breeder {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), walks: Walks::default(), parents: Vec::new() }
    }

    pub(super) fn ask(&mut self, decisions: &dyn Decisions) -> Result<Vec<Vec<Crossing>>, WalkError> {
        let mut paths = if self.parents.is_empty() { self.known(decisions)? } else { Vec::new() };
        while paths.len() < GENERATION {
            let Some(path) = self.path(decisions)? else { break };
            paths.push(path);
        }
        Ok(paths)
    }

    /// The paths that are known to be sane, as far as they were not proposed.
    fn known(&mut self, decisions: &dyn Decisions) -> Result<Vec<Vec<Crossing>>, WalkError> {
        let known = decisions.initial_paths().into_iter().take(GENERATION);
        known.filter_map(|path| self.walks.try_path(decisions, &mut Follow(&path)).transpose()).collect()
    }

    /// What failed has no children.
    pub(super) fn tell(&mut self, told: &[(&[Crossing], &Report)]) {
        let right = told.iter().filter(|(_, report)| report.evaluation.time_ns().is_some());
        self.parents.extend(right.map(|(path, report)| (path.to_vec(), (*report).clone())));
        self.parents
            .sort_by(|(_, one), (_, other)| one.evaluation.cost().total_cmp(&other.evaluation.cost()));
        self.parents.truncate(PARENTS);
    }

    fn path(&mut self, decisions: &dyn Decisions) -> Result<Option<Vec<Crossing>>, WalkError> {
        if self.parents.is_empty() {
            return self.walks.new_path(decisions, &mut self.random);
        }
        let inherited = self.inherited();
        self.walks.new_path(decisions, &mut Child { inherited, random: &mut self.random })
    }

    /// The better of two.
    fn parent(&mut self) -> usize {
        let count = self.parents.len();
        self.random.below(count).min(self.random.below(count))
    }

    /// The mother's options, but for the parts that are faster in the father.
    fn inherited(&mut self) -> BTreeMap<NodeKey, usize> {
        let (mother, father) = (self.parent(), self.parent());
        let [(mother, mothers), (father, fathers)] = [mother, father].map(|at| &self.parents[at]);
        let is_faster = |part: &Part| fathers.cost_of(Some(part)) < mothers.cost_of(Some(part));
        let option = |crossing: &Crossing| (crossing.node.clone(), crossing.option);
        let better = father.iter().filter(|crossing| crossing.part.as_ref().is_some_and(is_faster));
        mother.iter().chain(better).map(option).collect()
    }
}

/// Takes what it inherits, and at one node of a path on average anything else.
struct Child<'a> {
    inherited: BTreeMap<NodeKey, usize>,
    random: &'a mut Random,
}

impl Guide for Child<'_> {
    fn choose(&mut self, _: &[Crossing], decision: &Decision, open: &[usize]) -> Result<usize, WalkError> {
        let mutates = self.random.below(self.inherited.len().max(1)) == 0;
        let own = self.inherited.get(&decision.key).filter(|own| !mutates && open.contains(own));
        Ok(own.copied().unwrap_or_else(|| open[self.random.below(open.len())]))
    }
}
