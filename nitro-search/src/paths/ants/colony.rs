//! The ants at work: an iteration of paths, and what its outcomes leave.

use super::Ants;
use super::graph::Graph;
use super::metrics::desirability;
use super::neighbour::Neighbour;
use super::parts::Parts;
use super::tree::{Filters, Sample, Tree};
use crate::paths::{Crossing, Decision, Decisions, Follow, Guide, NodeKey, Report, WalkError, Walks};
use crate::random::Random;

/// In so many iterations the best of the iteration deposits, after that the best so far.
const EARLY: usize = 2;
/// What a part's path deposits, of what that of all does.
const PART_SHARE: f64 = 0.5;

pub(crate) struct Colony {
    ants: Ants,
    random: Random,
    walks: Walks,
    graph: Graph,
    parts: Parts,
    samples: Vec<Sample>,
    tree: Option<Tree>,
    best: Option<(Vec<Crossing>, Report)>,
    iteration: usize,
    /// Whether some part has a new best.
    recombine: bool,
    dropped_filters: usize,
}

/// What leads an ant beside the pheromone.
enum Lead {
    Nothing,
    /// What it took in the tree.
    Filters(Filters),
    /// The fastest option everywhere.
    Fastest,
    /// A path that is known to be sane.
    Path(Vec<Crossing>),
    /// What was fastest, but for a node of each part.
    Near(Neighbour),
}

impl Colony {
    pub(crate) fn new(ants: Ants, seed: u64) -> Self {
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

    /// The paths of an iteration, none of which was proposed before; fewer than there are ants when no more are left.
    pub(crate) fn ask(&mut self, decisions: &dyn Decisions) -> Result<Vec<Vec<Crossing>>, WalkError> {
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

    /// Learns from an iteration's outcomes, in the order of its paths.
    pub(crate) fn tell(&mut self, decisions: &dyn Decisions, told: &[(&[Crossing], &Report)]) {
        if told.is_empty() {
            return;
        }
        for (path, report) in told {
            self.graph.record(path, report);
            let attributes = decisions.attributes(path);
            self.samples.push(Sample {
                attributes,
                cost: report.evaluation.cost(),
                iteration: self.iteration,
            });
        }
        self.recombine = self.parts.record(told);
        self.update(told);
        self.iteration += 1;
        if self.ants.tree {
            self.tree = Some(Tree::grow(&self.samples, self.iteration, &self.ants));
        }
    }

    pub(crate) fn pheromone(&self, node: &NodeKey) -> Option<&[f64]> {
        Some(&self.graph.get(node)?.pheromone)
    }

    pub(crate) fn dropped_filters(&self) -> usize {
        self.dropped_filters
    }

    /// Evaporation, and the deposits of the iteration.
    fn update(&mut self, told: &[(&[Crossing], &Report)]) {
        let ran = told.iter().filter(|(_, report)| report.evaluation.time_ns().is_some());
        let cost = |report: &Report| report.evaluation.cost();
        let fastest = ran.min_by(|(_, one), (_, other)| cost(one).total_cmp(&cost(other)));
        let before = self.best.as_ref().map_or(f64::INFINITY, |(_, best)| cost(best));
        if let Some((path, report)) = fastest.filter(|(_, report)| cost(report) < before) {
            self.best = Some((path.to_vec(), (*report).clone()));
        }
        self.graph.evaporate(&self.ants);
        let best = self.best.as_ref().map(|(path, _)| path.as_slice());
        let early = fastest.map(|(path, _)| *path);
        if let Some(path) = if self.iteration < EARLY { early } else { best } {
            self.graph.deposit(path, self.ants.evaporation, &self.ants);
        }
        if self.ants.part_updates {
            for crossings in self.parts.depositors(told) {
                self.graph.deposit(&crossings, PART_SHARE * self.ants.evaporation, &self.ants);
            }
        }
    }

    /// The last ants look near the best so far. Of the others half take the best way through the tree, half draw one.
    fn lead(&mut self, ant: usize) -> Lead {
        let explorers = self.ants.explorers();
        if let Some((path, report)) = self.best.as_ref().filter(|_| ant >= explorers) {
            return Lead::Near(Neighbour::of(&self.parts.joined(path, report)));
        }
        match &self.tree {
            None => Lead::Nothing,
            Some(tree) if ant < explorers / 2 => Lead::Filters(tree.favourite()),
            Some(tree) => Lead::Filters(tree.draw(&mut self.random)),
        }
    }

    /// The path of an ant. Of the best of all parts there is one path, which may have been proposed; none then. The
    /// same goes for a path that is known to be sane.
    fn send(&mut self, decisions: &dyn Decisions, lead: Lead) -> Result<Option<Vec<Crossing>>, WalkError> {
        let once = matches!(lead, Lead::Fastest | Lead::Path(_));
        let mut ant = Ant {
            ants: &self.ants,
            decisions,
            graph: &mut self.graph,
            best: self.best.as_ref().map(|(_, report)| report),
            random: &mut self.random,
            lead,
            dropped_filters: &mut self.dropped_filters,
        };
        if once { self.walks.try_path(decisions, &mut ant) } else { self.walks.new_path(decisions, &mut ant) }
    }
}

/// One who walks.
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
        let weight = |&option: &usize| {
            let pheromone = node.pheromone[option].powf(self.ants.pheromone_weight);
            pheromone * desirable[option].powf(self.ants.desirability_weight)
        };
        let weights: Vec<f64> = open.iter().map(weight).collect();
        Ok(open[drawn(&weights, self.random)])
    }
}

impl Ant<'_> {
    /// The options that keep to what was taken in the tree; all where none does.
    fn filtered(&mut self, path: &[Crossing], decision: &Decision, open: &[usize]) -> Vec<usize> {
        let Lead::Filters(filters) = &self.lead else { return open.to_vec() };
        if filters.is_empty() || open.len() == 1 {
            return open.to_vec();
        }
        let before = self.decisions.attributes(path);
        let mut longer = path.to_vec();
        let mut keeps = |&option: &usize| {
            longer.truncate(path.len());
            let (node, part) = (decision.key.clone(), decision.part.clone());
            longer.push(Crossing { node, part, option });
            filters.admit(&before, &self.decisions.attributes(&longer))
        };
        let kept: Vec<usize> = open.iter().copied().filter(|option| keeps(option)).collect();
        if !kept.is_empty() {
            return kept;
        }
        *self.dropped_filters += 1;
        open.to_vec()
    }
}

/// A position, as likely as its weight. Where all weights are nothing, each as likely.
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
