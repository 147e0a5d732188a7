//! The ants at work: an iteration of paths, and what its outcomes leave.

use super::Ants;
use super::graph::Graph;
use super::metrics::desirability;
use super::neighbour::Neighbour;
use super::parts::Parts;
use super::tree::{Filters, Sample, Tree};
use crate::Observation;
use crate::paths::{
    Crossing, Decision, Decisions, Follow, Guide, NodeKey, Path, PathStrategy, Report, WalkError, Walks,
};
use crate::random::Random;

/// In so many iterations the best of the iteration deposits, after that the best so far.
const EARLY: usize = 2;
/// The deposit of a part's path, as a share of that of all.
const PART_SHARE: f64 = 0.5;

/// The ant colony of "Coding Ants".
pub struct AntColony {
    ants: Ants,
    random: Random,
    walks: Walks,
    graph: Graph,
    parts: Parts,
    samples: Vec<Sample>,
    tree: Option<Tree>,
    best: Option<Observation<Path, Report>>,
    iteration: usize,
    /// True where some part has a new best.
    recombine: bool,
    dropped_filters: usize,
}

/// A lead of an ant beside the pheromone.
enum Lead {
    Nothing,
    /// The filters that it took in the tree.
    Filters(Filters),
    /// The fastest option everywhere.
    Fastest,
    /// A path that is known to be sane.
    Path(Path),
    /// The fastest path, but for a node of each part.
    Near(Neighbour),
}

impl AntColony {
    /// Creates a colony with the default settings that has not begun.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self::with(Ants::default(), seed)
    }

    /// Creates a colony with these settings that has not begun.
    #[must_use]
    pub fn with(ants: Ants, seed: u64) -> Self {
        Self {
            ants,
            random: Random::new(seed),
            walks: Walks::default(),
            graph: Graph::default(),
            parts: Parts::default(),
            samples: Vec::new(),
            tree: None,
            best: None,
            iteration: 0,
            recombine: false,
            dropped_filters: 0,
        }
    }

    /// Returns how strongly the pheromone speaks for each option of a node, from 0 to 1; none where no ant was.
    #[must_use]
    pub fn pheromone(&self, node: &NodeKey) -> Option<&[f64]> {
        Some(&self.graph.get(node)?.pheromone)
    }

    /// Returns how often a filter of the regression tree was dropped, because it left an ant no option.
    #[must_use]
    pub fn dropped_filters(&self) -> usize {
        self.dropped_filters
    }

    /// Updates the pheromone: evaporation, then the deposits of the iteration.
    fn update(&mut self, step: &[Observation<Path, Report>]) {
        let ran = step.iter().filter(|own| own.report.evaluation.time_ns().is_some());
        let fastest = ran.min_by(|one, other| cost(one).total_cmp(&cost(other)));
        let before = self.best.as_ref().map_or(f64::INFINITY, cost);
        if let Some(fastest) = fastest.filter(|fastest| cost(fastest) < before) {
            self.best = Some(fastest.clone());
        }
        self.graph.evaporate(&self.ants);
        let depositor = if self.iteration < EARLY { fastest } else { self.best.as_ref() };
        if let Some(own) = depositor {
            self.graph.deposit(&own.proposal, self.ants.evaporation, &self.ants);
        }
        if self.ants.part_updates {
            for crossings in self.parts.depositors(step) {
                self.graph.deposit(&crossings, PART_SHARE * self.ants.evaporation, &self.ants);
            }
        }
    }

    /// Chooses what leads an ant: the last ones look near the best so far, of the others half take the best way
    /// through the tree, and half draw one.
    fn lead(&mut self, ant: usize) -> Lead {
        let explorers = self.ants.explorers();
        if let Some(best) = self.best.as_ref().filter(|_| ant >= explorers) {
            return Lead::Near(Neighbour::of(&self.parts.joined(&best.proposal, &best.report)));
        }
        match &self.tree {
            None => Lead::Nothing,
            Some(tree) if ant < explorers / 2 => Lead::Filters(tree.favourite()),
            Some(tree) => Lead::Filters(tree.draw(&mut self.random)),
        }
    }

    /// Sends an ant and returns its path.
    ///
    /// Of the best of all parts there is one path, which may have been proposed; none then. The same goes for a path
    /// that is known to be sane.
    fn send(&mut self, decisions: &dyn Decisions, lead: Lead) -> Result<Option<Path>, WalkError> {
        let once = matches!(lead, Lead::Fastest | Lead::Path(_));
        let mut ant = Ant {
            ants: &self.ants,
            decisions,
            graph: &mut self.graph,
            best: self.best.as_ref().map(|best| &best.report),
            random: &mut self.random,
            lead,
            dropped_filters: &mut self.dropped_filters,
        };
        if once { self.walks.try_path(decisions, &mut ant) } else { self.walks.new_path(decisions, &mut ant) }
    }
}

impl PathStrategy for AntColony {
    /// Proposes the paths of an iteration; fewer than there are ants when no more are left.
    fn propose(&mut self, decisions: &dyn Decisions) -> Result<Vec<Path>, WalkError> {
        let mut paths = Vec::new();
        if self.iteration == 0 {
            for path in decisions.initial_paths().into_iter().take(self.ants.ants) {
                paths.extend(self.send(decisions, Lead::Path(path))?);
            }
        }
        if std::mem::take(&mut self.recombine) && self.ants.recombination {
            paths.extend(self.send(decisions, Lead::Fastest)?);
        }
        while paths.len() < self.ants.ants {
            let lead = self.lead(paths.len());
            let Some(path) = self.send(decisions, lead)? else { break };
            paths.push(path);
        }
        Ok(paths)
    }

    fn learn(&mut self, decisions: &dyn Decisions, step: &[Observation<Path, Report>]) {
        if step.is_empty() {
            return;
        }
        for own in step {
            self.graph.record(&own.proposal, &own.report);
            let attributes = decisions.attributes(&own.proposal);
            self.samples.push(Sample { attributes, cost: cost(own), iteration: self.iteration });
        }
        self.recombine = self.parts.record(step);
        self.update(step);
        self.iteration += 1;
        if self.ants.tree {
            self.tree = Some(Tree::grow(&self.samples, self.iteration, &self.ants));
        }
    }
}

fn cost(own: &Observation<Path, Report>) -> f64 {
    own.report.evaluation.cost()
}

/// An ant on its way.
struct Ant<'a> {
    ants: &'a Ants,
    decisions: &'a dyn Decisions,
    graph: &'a mut Graph,
    /// The best so far.
    best: Option<&'a Report>,
    random: &'a mut Random,
    lead: Lead,
    dropped_filters: &'a mut usize,
}

impl Guide for Ant<'_> {
    fn choose(&mut self, path: &[Crossing], decision: &Decision, open: &[usize]) -> Result<usize, WalkError> {
        let open = self.filtered(path, decision, open);
        let node = self.graph.come_to(decision, self.ants)?;
        let led = match &mut self.lead {
            Lead::Nothing | Lead::Filters(_) => None,
            Lead::Fastest => node.fastest(&open),
            Lead::Path(known) => Some(Follow(known).choose(path, decision, &open)?),
            Lead::Near(neighbour) => Some(neighbour.choose(path, decision, &open, self.random)),
        };
        if let Some(option) = led {
            return Ok(option);
        }
        let desirable = match self.best.filter(|_| self.ants.metrics) {
            Some(best) => desirability(node.seen.iter(), &best.metrics_of(decision.part.as_ref())),
            None => vec![1.0; node.pheromone.len()],
        };
        // Equation 2: the product of pheromone and desirability, each with its exponent.
        let mut weights = Vec::with_capacity(open.len());
        for &option in &open {
            let pheromone = node.pheromone[option].powf(self.ants.pheromone_weight);
            weights.push(pheromone * desirable[option].powf(self.ants.desirability_weight));
        }
        Ok(open[drawn(&weights, self.random)])
    }
}

impl Ant<'_> {
    /// Returns the options that keep to what was taken in the tree; all where none does.
    fn filtered(&mut self, path: &[Crossing], decision: &Decision, open: &[usize]) -> Vec<usize> {
        let Lead::Filters(filters) = &self.lead else { return open.to_vec() };
        if filters.is_empty() || open.len() == 1 {
            return open.to_vec();
        }
        let before = self.decisions.attributes(path);
        let (mut longer, mut kept) = (path.to_vec(), Vec::new());
        for &option in open {
            let (node, part) = (decision.key.clone(), decision.part.clone());
            longer.push(Crossing { node, part, option });
            if filters.admit(&before, &self.decisions.attributes(&longer)) {
                kept.push(option);
            }
            longer.pop();
        }
        if !kept.is_empty() {
            return kept;
        }
        *self.dropped_filters += 1;
        open.to_vec()
    }
}

/// Draws a position, as likely as its weight. Where all weights are nothing, each as likely.
fn drawn(weights: &[f64], random: &mut Random) -> usize {
    let mut rest = random.unit() * weights.iter().sum::<f64>();
    if rest.is_nan() || rest <= 0.0 {
        return random.below(weights.len());
    }
    for (at, weight) in weights.iter().enumerate() {
        if rest < *weight {
            return at;
        }
        rest -= weight;
    }
    weights.len() - 1
}
