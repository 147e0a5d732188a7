//! A genetic algorithm on paths: a child takes each part of the program from whichever of two parents has the
//! faster one, then mutates.
//!
//! Parents are the better of two drawn among the fastest so far. At a node that it inherits nothing for, or where
//! that is not allowed, any option will do. So every child is a path.

use std::collections::BTreeMap;

use super::{
    Crossing, Decision, Decisions, Follow, Guide, NodeKey, Path, PathStrategy, Report, WalkError, Walks,
};
use crate::Observation;
use crate::random::Random;

/// Paths of a generation, of which the first is drawn.
const GENERATION: usize = 10;
/// The number of the fastest that may be parents.
const PARENTS: usize = 20;

/// A genetic algorithm: children take each part of the program from the parent that has the faster one, and mutate.
pub struct GeneticPaths {
    random: Random,
    walks: Walks,
    /// The fastest so far, ascending by time.
    parents: Vec<Observation<Path, Report>>,
}

impl GeneticPaths {
    /// Creates one that has not begun.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), walks: Walks::default(), parents: Vec::new() }
    }

    /// Draws the better of two.
    fn parent(&mut self) -> usize {
        let count = self.parents.len();
        self.random.below(count).min(self.random.below(count))
    }

    /// Returns the mother's options, but for the parts that are faster in the father.
    fn inherited(&mut self) -> BTreeMap<NodeKey, usize> {
        let (mother, father) = (self.parent(), self.parent());
        let [mother, father] = [mother, father].map(|at| &self.parents[at]);
        let mut options = BTreeMap::new();
        for crossing in &mother.proposal {
            options.insert(crossing.node.clone(), crossing.option);
        }
        for crossing in father.proposal.iter().filter(|crossing| crossing.part.is_some()) {
            let part = crossing.part.as_ref();
            if father.report.cost_of(part) < mother.report.cost_of(part) {
                options.insert(crossing.node.clone(), crossing.option);
            }
        }
        options
    }
}

impl PathStrategy for GeneticPaths {
    fn propose(&mut self, decisions: &dyn Decisions) -> Result<Vec<Path>, WalkError> {
        let mut paths = Vec::new();
        if self.parents.is_empty() {
            // The paths that are known to be sane come first, as far as they were not proposed.
            for path in decisions.initial_paths().into_iter().take(GENERATION) {
                paths.extend(self.walks.try_path(decisions, &mut Follow(&path))?);
            }
        }
        while paths.len() < GENERATION {
            let path = if self.parents.is_empty() {
                self.walks.new_path(decisions, &mut self.random)?
            } else {
                let inherited = self.inherited();
                self.walks.new_path(decisions, &mut Child { inherited, random: &mut self.random })?
            };
            let Some(path) = path else { break };
            paths.push(path);
        }
        Ok(paths)
    }

    /// Keeps the fastest; what failed has no children.
    fn learn(&mut self, _: &dyn Decisions, step: &[Observation<Path, Report>]) {
        self.parents.extend(step.iter().filter(|own| own.report.evaluation.time_ns().is_some()).cloned());
        self.parents
            .sort_by(|one, other| one.report.evaluation.cost().total_cmp(&other.report.evaluation.cost()));
        self.parents.truncate(PARENTS);
    }
}

/// A path in the making: it takes what it inherits, and at one node of a path on average anything else.
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
