//! Local search: what was fastest, with another option at one node of each part.

use std::collections::{BTreeMap, BTreeSet};

use crate::paths::{Crossing, Decision, NodeKey, Part};
use crate::random::Random;

/// A choice of no part, as which statements share a kernel, changes in one of so many draws: all parts may be
/// others then.
const SELDOM: usize = 5;

/// A path that an ant keeps to, and the nodes where it does not.
pub(super) struct Neighbour {
    options: BTreeMap<NodeKey, usize>,
    nodes: BTreeMap<Option<Part>, Vec<NodeKey>>,
    /// The nodes where it takes another option.
    changed: BTreeSet<NodeKey>,
}

impl Neighbour {
    /// Creates one near this path.
    pub(super) fn of(path: &[Crossing]) -> Self {
        let mut nodes: BTreeMap<_, Vec<NodeKey>> = BTreeMap::new();
        for crossing in path {
            nodes.entry(crossing.part.clone()).or_default().push(crossing.node.clone());
        }
        let options = path.iter().map(|crossing| (crossing.node.clone(), crossing.option)).collect();
        Self { options, nodes, changed: BTreeSet::new() }
    }

    /// Returns the option of the path, another one where it changes, and any where that of the path is not open.
    ///
    /// At the beginning of a walk it draws where it changes.
    pub(super) fn choose(
        &mut self,
        walked: &[Crossing],
        decision: &Decision,
        open: &[usize],
        random: &mut Random,
    ) -> usize {
        if walked.is_empty() {
            self.draw(random);
        }
        let own = self.options.get(&decision.key).filter(|own| open.contains(own));
        let others: Vec<usize> = open.iter().copied().filter(|option| own != Some(option)).collect();
        match own {
            Some(own) if others.is_empty() || !self.changed.contains(&decision.key) => *own,
            _ => others[random.below(others.len())],
        }
    }

    fn draw(&mut self, random: &mut Random) {
        self.changed.clear();
        let has_parts = self.nodes.keys().any(Option::is_some);
        for (part, nodes) in &self.nodes {
            if part.is_some() || !has_parts || random.below(SELDOM) == 0 {
                self.changed.insert(nodes[random.below(nodes.len())].clone());
            }
        }
    }
}
