//! The nodes that ants have come to, and the pheromone there (eq. 5): the max-min ant system in the hyper-cube
//! framework, which keeps it between 0 and 1.

use std::collections::{HashMap, HashSet};

use super::Ants;
use super::metrics::OptionMetrics;
use crate::paths::{Crossing, Decision, NodeKey, Report, WalkError};

#[derive(Default)]
pub(super) struct Graph {
    nodes: HashMap<NodeKey, Node>,
    /// The number of paths that were recorded.
    recorded: usize,
}

/// A node, with what is known of each option.
pub(super) struct Node {
    pub(super) pheromone: Vec<f64>,
    pub(super) seen: Vec<OptionMetrics>,
    /// The fastest of those who took it, in the node's part where it has one.
    fastest: Vec<Fastest>,
}

/// A time, and the number of the path that took it. Of equally fast paths the first one counts, so that its options
/// stay together.
#[derive(Clone, Copy)]
struct Fastest {
    time_ns: f64,
    number: usize,
}

impl Node {
    fn new(options: usize, bounds: (f64, f64)) -> Self {
        let first = (1.0 / options as f64).clamp(bounds.0, bounds.1);
        Self {
            pheromone: vec![first; options],
            seen: vec![OptionMetrics::default(); options],
            fastest: vec![Fastest { time_ns: f64::INFINITY, number: 0 }; options],
        }
    }

    /// Returns the option by which it was fastest, of these.
    pub(super) fn fastest(&self, options: &[usize]) -> Option<usize> {
        let known = options.iter().copied().filter(|&option| self.fastest[option].time_ns.is_finite());
        known.min_by(|&one, &other| {
            let (one, other) = (self.fastest[one], self.fastest[other]);
            one.time_ns.total_cmp(&other.time_ns).then(one.number.cmp(&other.number))
        })
    }
}

impl Graph {
    pub(super) fn get(&self, key: &NodeKey) -> Option<&Node> {
        self.nodes.get(key)
    }

    /// Returns the node of a decision, which is made when an ant first comes to it.
    pub(super) fn come_to(&mut self, decision: &Decision, ants: &Ants) -> Result<&Node, WalkError> {
        let now = decision.allowed.len();
        if !self.nodes.contains_key(&decision.key) {
            self.nodes.insert(decision.key.clone(), Node::new(now, ants.bounds));
        }
        let node = &self.nodes[&decision.key];
        let before = node.pheromone.len();
        if before == now {
            return Ok(node);
        }
        Err(WalkError::Options { key: decision.key.clone(), before, now })
    }

    /// Remembers the times and metrics of a path at all that it crossed.
    pub(super) fn record(&mut self, path: &[Crossing], report: &Report) {
        for crossing in path {
            let Some(node) = self.nodes.get_mut(&crossing.node) else { continue };
            let part = crossing.part.as_ref();
            let (time_ns, fastest) = (report.cost_of(part), &mut node.fastest[crossing.option]);
            if time_ns < fastest.time_ns {
                *fastest = Fastest { time_ns, number: self.recorded };
            }
            node.seen[crossing.option].add(&report.metrics_of(part));
        }
        self.recorded += 1;
    }

    /// Takes the share away that evaporates, everywhere.
    pub(super) fn evaporate(&mut self, ants: &Ants) {
        for pheromone in self.nodes.values_mut().flat_map(|node| &mut node.pheromone) {
            *pheromone = (*pheromone * (1.0 - ants.evaporation)).max(ants.bounds.0);
        }
    }

    /// Adds so much to all that was crossed, once each.
    pub(super) fn deposit<'a>(
        &mut self,
        crossings: impl IntoIterator<Item = &'a Crossing>,
        amount: f64,
        ants: &Ants,
    ) {
        let mut done = HashSet::new();
        for crossing in crossings {
            if let Some(node) =
                self.nodes.get_mut(&crossing.node).filter(|_| done.insert((&crossing.node, crossing.option)))
            {
                let pheromone = &mut node.pheromone[crossing.option];
                *pheromone = (*pheromone + amount).min(ants.bounds.1);
            }
        }
    }
}
