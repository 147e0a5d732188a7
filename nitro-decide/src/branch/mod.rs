//! Branch and bound: whole families go at once when nothing in them can be faster than what is known.

mod bound;
mod classes;
mod family;
mod node;
#[cfg(test)]
mod tests;

use std::collections::{BinaryHeap, HashMap};
use std::convert::Infallible;

use nitro_search::{Evaluation, Observation, Proposer, TellError, Tree};
use nitro_stats::random::Random;

use crate::candidate::{Candidate, ChoiceId};

pub use self::bound::{BranchPlan, LowerBound};
pub use self::classes::ClassPlan;
pub use self::node::Statistics;
pub use nitro_search::TreeLevel as Counts;

use self::classes::Classes;
use self::family::{Family, Gains};
use self::node::Node;

/// Best first branch and bound over a candidate, for an [`Engine`](nitro_search::Engine).
///
/// A proposal is one value of each choice. Only what was told with a time, so is correct, prunes. Once the search
/// is [`Exhausted`](nitro_search::StopReason::Exhausted), nothing inside is faster than the best, within the
/// percent of its plan, if the bound is one; a time under its bound is an error. What is restored prunes from the
/// beginning.
///
/// ```
/// use std::sync::Arc;
/// use nitro_search::{Ask, Budget, Engine, Evaluation};
/// use nitro_decide::{BranchAndBound, BranchPlan, ChoiceId, LowerBound, Candidate, Problem};
///
/// /// A time is at least 100 ns / threads + the tile: nothing takes less than most threads with the smallest tile.
/// struct Model(ChoiceId, ChoiceId);
/// impl LowerBound for Model {
///     fn bound_ns(&self, candidate: &Candidate) -> f64 {
///         let problem = candidate.problem();
///         let numbers = |choice| {
///             candidate.values(choice).iter().filter_map(move |value| problem.number(choice, value))
///         };
///         100.0 / numbers(self.0).max().unwrap_or(1) as f64 + numbers(self.1).min().unwrap_or(0) as f64
///     }
/// }
///
/// let mut problem = Problem::default();
/// let model = Model(problem.numbers("threads", [1, 10, 100])?, problem.numbers("tile", [4, 8, 16, 32])?);
/// let strategy = BranchAndBound::new(Candidate::new(Arc::new(problem))?, model, BranchPlan::default());
/// let mut search = Engine::new(strategy, Budget::default());
/// while let Ok(Ask::Evaluate(points)) = search.ask(1) {
///     for values in points {
///         // Here a program would be run.
///         let time_ns = 110.0 / [1.0, 10.0, 100.0][values[0]] + 1.1 * [4.0, 8.0, 16.0, 32.0][values[1]];
///         search.tell(&values, Evaluation::TimeNs(time_ns))?;
///     }
/// }
/// assert_eq!(search.best().unwrap().proposal, [2, 0]);
/// assert_eq!(search.gap(), Some(0.0));
/// assert!(search.observations().len() < 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BranchAndBound<B> {
    root: Candidate,
    bound: B,
    plan: BranchPlan,
    random: Random,
    heap: BinaryHeap<Node>,
    made: u64,
    asked: usize,
    waiting: HashMap<Vec<usize>, Node>,
    /// The points that were told, with their times; none of what failed.
    known: HashMap<Vec<usize>, Option<f64>>,
    classes: Classes,
    best_ns: f64,
    gains: Gains,
    statistics: Statistics,
}

impl<B: LowerBound> BranchAndBound<B> {
    /// Creates a search of everything inside this candidate.
    pub fn new(root: Candidate, bound: B, plan: BranchPlan) -> Self {
        let mut search = Self {
            root: root.clone(),
            bound,
            plan,
            random: Random::new(plan.seed),
            heap: BinaryHeap::new(),
            made: 0,
            asked: 0,
            waiting: HashMap::new(),
            known: HashMap::new(),
            classes: Classes::default(),
            best_ns: f64::INFINITY,
            gains: Gains::default(),
            statistics: Statistics::default(),
        };
        if !root.is_dead() {
            let bound_ns = search.bound.bound_ns(&root).max(0.0);
            let node = search.node(root, bound_ns, 0, None);
            search.heap.push(node);
        }
        search
    }

    /// Returns the bound.
    pub fn bound(&self) -> &B {
        &self.bound
    }

    /// Returns what was expanded, pruned, handed out, and where nothing was left.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Returns the bound below which a node may hold something that is worth finding.
    fn limit_ns(&self) -> f64 {
        let kept = 1.0 - self.plan.percent.clamp(0.0, 100.0) / 100.0;
        if self.best_ns.is_finite() { self.best_ns * kept } else { f64::INFINITY }
    }

    fn node(&mut self, candidate: Candidate, bound_ns: f64, level: usize, by: Option<ChoiceId>) -> Node {
        self.made += 1;
        Node { candidate, bound_ns, level, by, number: self.made, is_open: false }
    }

    /// Refuses a time under the bound of its node.
    fn check(&self, node: &Node, values: &[usize], evaluation: Evaluation) -> Result<(), TellError> {
        match evaluation.time_ns() {
            Some(time_ns) if time_ns < node.bound_ns => Err(TellError::Unsound {
                proposal: format!("{values:?}"),
                time_ns,
                bound_ns: node.bound_ns,
                explanation: self.bound.explain(&node.candidate),
            }),
            _ => Ok(()),
        }
    }

    fn note_known(&mut self, known: &Observation<Vec<usize>, Evaluation>) {
        let time_ns = known.report.time_ns();
        self.known.insert(known.proposal.clone(), time_ns);
        self.classes.learn(&known.proposal, time_ns);
        self.best_ns = time_ns.map_or(self.best_ns, |time_ns| self.best_ns.min(time_ns));
    }

    /// Takes the most promising node until one is decided.
    fn next_leaf(&mut self) -> Option<Node> {
        let dives = self.plan.dive_every > 0 && self.asked.is_multiple_of(self.plan.dive_every);
        loop {
            if let Some(member) = self.classes.next_drawn() {
                return Some(member);
            }
            let node = self.next_node()?;
            if self.prunes(&node) {
                continue;
            }
            if self.is_class(&node) {
                match self.close(node) {
                    Some(leaf) => return Some(leaf),
                    None => continue,
                }
            }
            let Some(family) = self.family(&node) else { return Some(node) };
            let mut children = self.expand(&node, family);
            if dives && let Some(leaf) = self.dive(&mut children) {
                return Some(leaf);
            }
            self.heap.extend(children);
        }
    }

    /// Takes the most promising node. Once nothing is left and nothing is under way, it opens the classes that may hold
    /// something faster: which these are depends on all times.
    fn next_node(&mut self) -> Option<Node> {
        if self.heap.is_empty() && self.waiting.is_empty() {
            self.open_classes();
        }
        self.heap.pop()
    }

    /// Goes from children to a leaf, one choice after the other, by chance in favour of small bounds.
    ///
    /// The siblings on the way stay to be looked at.
    fn dive(&mut self, children: &mut Vec<Node>) -> Option<Node> {
        while !children.is_empty() {
            let drawn = self.draw(children);
            let node = children.swap_remove(drawn);
            self.heap.append(&mut std::mem::take(children).into());
            if self.is_class(&node) {
                return self.close(node);
            }
            let Some(family) = self.family(&node) else { return Some(node) };
            *children = self.expand(&node, family);
        }
        None
    }

    /// Draws a child with the weights 1 − bound / cut, as the explorer of Telamon does.
    ///
    /// Before anything is known the cut is a little above the largest bound.
    fn draw(&mut self, children: &[Node]) -> usize {
        let most = children.iter().map(|child| child.bound_ns).fold(0.0, f64::max);
        let cut = if self.best_ns.is_finite() { self.limit_ns() } else { 1.1 * most };
        let weights = children.iter().map(|child| if cut > 0.0 { 1.0 - child.bound_ns / cut } else { 1.0 });
        let weights: Vec<f64> = weights.collect();
        let mut left = self.random.unit() * weights.iter().sum::<f64>();
        let passed = weights.iter().take_while(|&weight| {
            left -= weight;
            left >= 0.0
        });
        passed.count().min(children.len() - 1)
    }

    fn prunes(&mut self, node: &Node) -> bool {
        let pruned = node.bound_ns >= self.limit_ns();
        if pruned {
            let points = self.points_inside(&node.candidate);
            self.statistics.note(node.level, node.by, |counts| {
                counts.pruned += 1;
                counts.pruned_points += points;
            });
            if let Some(limit) = self.bound.limit(&node.candidate) {
                *self.statistics.pruned.entry((node.level, node.by, limit)).or_default() += 1;
            }
        }
        pruned
    }

    /// Counts the points inside of what is pruned; 0 once there are too many.
    fn points_inside(&mut self, candidate: &Candidate) -> u64 {
        let total = self.statistics.total();
        let left = self.plan.counted_points.saturating_sub(total.pruned_points + total.closed_points);
        let points = if self.statistics.has_uncounted { None } else { candidate.count(left) };
        self.statistics.has_uncounted |= points.is_none();
        points.unwrap_or(0)
    }

    /// Returns the children that may hold something better.
    fn expand(&mut self, node: &Node, family: Family) -> Vec<Node> {
        self.statistics.note(node.level, node.by, |counts| counts.expanded += 1);
        let (level, choice) = (node.level + 1, family.choice);
        let mut kept = Vec::new();
        for child in family.children {
            let Some((child, bound_ns)) = child else {
                self.statistics.note(level, Some(choice), |counts| counts.dead_ends += 1);
                continue;
            };
            let child = Node { is_open: node.is_open, ..self.node(child, bound_ns, level, Some(choice)) };
            if !self.prunes(&child) {
                kept.push(child);
            }
        }
        kept
    }
}

impl<B: LowerBound> Proposer for BranchAndBound<B> {
    type Proposal = Vec<usize>;
    type Report = Evaluation;
    type Error = Infallible;

    /// Proposes at most so many leaves, at least one.
    fn propose(&mut self, room: usize) -> Result<Vec<Vec<usize>>, Infallible> {
        let mut leaves = Vec::new();
        while leaves.len() < room.max(1) {
            let Some(node) = self.next_leaf() else { break };
            let Some(values) = node.candidate.solution() else { continue };
            if self.known.contains_key(&values) {
                self.statistics.note(node.level, node.by, |counts| counts.known += 1);
                continue;
            }
            self.asked += 1;
            self.statistics.note(node.level, node.by, |counts| counts.leaves += 1);
            leaves.push(values.clone());
            self.waiting.insert(values, node);
        }
        Ok(leaves)
    }

    fn judge(&mut self, values: &Vec<usize>, report: &Evaluation) -> Result<Evaluation, TellError> {
        if let Some(node) = self.waiting.get(values) {
            self.check(node, values, *report)?;
        }
        Ok(*report)
    }

    /// Learns a time; what failed or answered wrong prunes nothing.
    fn learn(&mut self, step: &[Observation<Vec<usize>, Evaluation>]) {
        for own in step {
            self.waiting.remove(&own.proposal);
            self.statistics.evaluated += 1;
            self.note_known(own);
        }
    }

    fn recall(&mut self, known: &Observation<Vec<usize>, Evaluation>) -> Result<bool, TellError> {
        let Some(candidate) = self.root.decide(&known.proposal) else {
            return Err(TellError::Foreign(self.name(&known.proposal)));
        };
        let bound_ns = self.bound.bound_ns(&candidate);
        let node = self.node(candidate, bound_ns, 0, None);
        self.check(&node, &known.proposal, known.report)?;
        self.note_known(known);
        Ok(true)
    }

    /// Returns true: a leaf that is told prunes while others are under way.
    fn overlaps(&self) -> bool {
        true
    }

    /// Returns what nothing inside takes less than, by the bound and by what was told: in the end the best time less
    /// the percent of the plan.
    fn proved_ns(&self) -> f64 {
        let open = self.heap.iter().chain(self.waiting.values()).map(|node| node.bound_ns);
        open.fold(self.limit_ns(), f64::min).min(self.classes.least_ns(self.limit_ns()))
    }

    fn tree(&self) -> Option<Tree> {
        let points = Some(self.plan.counted_points).filter(|_| !self.statistics.has_uncounted);
        let points = points.and_then(|most| self.root.count(most));
        Some(Tree { levels: self.statistics.levels.clone(), points, classes: self.classes.counts() })
    }
}
