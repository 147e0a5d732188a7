//! Branch and bound: whole families go at once when nothing in them can be faster than what is known.

mod bound;
mod node;
#[cfg(test)]
mod tests;

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use nitro_search::{Ask, Ended, Evaluation};
use nitro_stats::random::Random;

use crate::candidate::{ChoiceId, Partial};

pub use self::bound::{BoundError, BranchPlan, Leaf, LowerBound};
pub use self::node::{Counts, Statistics};

use self::node::Node;

/// Best first branch and bound over a state: [`ask`](Self::ask) what to evaluate, [`tell`](Self::tell) what that gave.
///
/// Only what was told with a time, so is correct, prunes. Once it is [`Ask::Done`], nothing inside is faster than
/// [`best`](Self::best), within the percent of its plan, if the bound is one; a time under its bound is an error.
///
/// ```
/// use std::sync::Arc;
/// use nitro_search::{Ask, Evaluation};
/// use nitro_decide::{BranchAndBound, BranchPlan, ChoiceId, LowerBound, Partial, Problem};
///
/// /// A time is at least 100 ns / threads + the tile, so nothing takes less than with the most threads and the smallest tile.
/// struct Model(ChoiceId, ChoiceId);
/// impl LowerBound for Model {
///     fn bound_ns(&self, partial: &Partial) -> f64 {
///         let numbers = |choice| partial.values(choice).iter().filter_map(move |value| partial.problem().number(choice, value));
///         100.0 / numbers(self.0).max().unwrap_or(1) as f64 + numbers(self.1).min().unwrap_or(0) as f64
///     }
/// }
///
/// let mut problem = Problem::default();
/// let model = Model(problem.numbers("threads", [1, 10, 100])?, problem.numbers("tile", [4, 8, 16, 32])?);
/// let mut search = BranchAndBound::new(Partial::new(Arc::new(problem))?, model, BranchPlan::default());
/// loop {
///     match search.ask(1) {
///         Ask::Evaluate(leaves) => for leaf in leaves {
///             let time_ns = 1.1 * leaf.bound_ns; // here a program would be run
///             search.tell(&leaf.values, Evaluation::TimeNs(time_ns))?;
///         },
///         Ask::Wait => unreachable!("every leaf was told"),
///         Ask::Done(_) => break,
///     }
/// }
/// assert_eq!(search.best().unwrap().0, [2, 0]);
/// assert!(search.statistics().evaluated < 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BranchAndBound<B> {
    root: Partial,
    bound: B,
    plan: BranchPlan,
    random: Random,
    heap: BinaryHeap<Node>,
    made: u64,
    asked: usize,
    waiting: HashMap<Arc<[usize]>, Node>,
    known: HashSet<Arc<[usize]>>,
    best: Option<(Arc<[usize]>, f64)>,
    statistics: Statistics,
}

impl<B: LowerBound> BranchAndBound<B> {
    /// A search of everything inside this state.
    pub fn new(root: Partial, bound: B, plan: BranchPlan) -> Self {
        let mut search = Self {
            root: root.clone(),
            bound,
            plan,
            random: Random::new(plan.seed),
            heap: BinaryHeap::new(),
            made: 0,
            asked: 0,
            waiting: HashMap::new(),
            known: HashSet::new(),
            best: None,
            statistics: Statistics::default(),
        };
        if !root.is_dead() {
            let node = search.node(root, 0.0, 0, None);
            search.heap.push(node);
        }
        search
    }

    /// Of a search that was killed: what it was told is not asked for again, and prunes from the beginning.
    ///
    /// # Errors
    /// When an outcome is not inside, has a time that is none, or is under its bound.
    pub fn restore(
        mut self,
        outcomes: impl IntoIterator<Item = (Vec<usize>, Evaluation)>,
    ) -> Result<Self, BoundError> {
        for (values, evaluation) in outcomes {
            let Some(partial) = self.root.decide(&values) else { return Err(BoundError::NotAsked(values)) };
            let node = self.node(partial, 0.0, 0, None);
            self.check(&node, &values, evaluation)?;
            self.learn(values.into(), evaluation);
        }
        Ok(self)
    }

    /// At most so many leaves (at least one) to evaluate, at once or one after the other, to be told in any order.
    pub fn ask(&mut self, most: usize) -> Ask<Leaf> {
        let mut leaves = Vec::new();
        while leaves.len() < most.max(1) {
            let Some(node) = self.next_leaf() else { break };
            let Some(values) = node.partial.solution().map(Arc::<[usize]>::from) else { continue };
            if !self.known.contains(&values) {
                self.asked += 1;
                self.statistics.note(node.level, node.by, |counts| counts.leaves += 1);
                leaves.push(Leaf {
                    values: values.clone(),
                    partial: node.partial.clone(),
                    bound_ns: node.bound_ns,
                });
                self.waiting.insert(values, node);
            }
        }
        match (leaves.is_empty(), self.waiting.is_empty()) {
            (false, _) => Ask::Evaluate(leaves),
            (true, false) => Ask::Wait,
            (true, true) => Ask::Done(Ended::Exhausted),
        }
    }

    /// What evaluating a leaf gave; what failed or answered wrong prunes nothing.
    ///
    /// # Errors
    /// When nobody asked for it, or it took less than its bound.
    pub fn tell(&mut self, values: &[usize], evaluation: Evaluation) -> Result<(), BoundError> {
        let Some(node) = self.waiting.get(values) else { return Err(BoundError::NotAsked(values.to_vec())) };
        self.check(node, values, evaluation)?;
        self.waiting.remove(values);
        self.statistics.evaluated += 1;
        self.learn(values.into(), evaluation);
        Ok(())
    }

    /// What is fastest of what was told, one value of each choice, and its time in nanoseconds.
    pub fn best(&self) -> Option<(&[usize], f64)> {
        self.best.as_ref().map(|(values, time_ns)| (&**values, *time_ns))
    }

    /// Nothing inside takes less than so many nanoseconds, by the bound and by what was told: when the search is
    /// done, that is the best less the percent of the plan.
    pub fn proved_ns(&self) -> f64 {
        let open = self.heap.iter().chain(self.waiting.values()).map(|node| node.bound_ns);
        open.fold(self.limit_ns(), f64::min)
    }

    /// What it bounds with.
    pub fn bound(&self) -> &B {
        &self.bound
    }

    /// What was expanded, pruned, handed out, and where nothing was left.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    fn limit_ns(&self) -> f64 {
        let kept = 1.0 - self.plan.percent.clamp(0.0, 100.0) / 100.0;
        self.best.as_ref().map_or(f64::INFINITY, |(_, time_ns)| time_ns * kept)
    }

    fn node(&mut self, partial: Partial, parent_ns: f64, level: usize, by: Option<ChoiceId>) -> Node {
        self.made += 1;
        let bound_ns = parent_ns.max(self.bound.bound_ns(&partial)); // what holds for a family holds for its part
        Node { partial, bound_ns, level, by, number: self.made }
    }

    fn check(&self, node: &Node, values: &[usize], evaluation: Evaluation) -> Result<(), BoundError> {
        let Evaluation::TimeNs(time_ns) = evaluation else { return Ok(()) };
        if !time_ns.is_finite() || time_ns < 0.0 {
            return Err(BoundError::Time(values.to_vec(), time_ns));
        }
        if time_ns >= node.bound_ns {
            return Ok(());
        }
        let explanation = self.bound.explain(&node.partial);
        Err(BoundError::Unsound { values: values.to_vec(), time_ns, bound_ns: node.bound_ns, explanation })
    }

    fn learn(&mut self, values: Arc<[usize]>, evaluation: Evaluation) {
        self.known.insert(values.clone());
        let best_ns = self.best.as_ref().map_or(f64::INFINITY, |best| best.1);
        if let Some(time_ns) = evaluation.time_ns().filter(|&time_ns| time_ns < best_ns) {
            self.best = Some((values, time_ns));
        }
    }

    fn next_leaf(&mut self) -> Option<Node> {
        let dives = self.plan.dive_every > 0 && self.asked.is_multiple_of(self.plan.dive_every);
        while let Some(node) = self.heap.pop() {
            if self.prunes(&node) {
                continue;
            }
            let Some(choice) = self.branch(&node.partial) else { return Some(node) };
            let mut children = self.expand(&node, choice);
            if dives && let Some(leaf) = self.dive(&mut children) {
                return Some(leaf);
            }
            self.heap.extend(children);
        }
        None
    }

    /// From children to a leaf, one choice after the other, by chance in favour of small bounds; what is passed by
    /// stays to be looked at.
    fn dive(&mut self, children: &mut Vec<Node>) -> Option<Node> {
        while !children.is_empty() {
            let drawn = self.draw(children);
            let node = children.swap_remove(drawn);
            self.heap.append(&mut std::mem::take(children).into());
            let Some(choice) = self.branch(&node.partial) else { return Some(node) };
            *children = self.expand(&node, choice);
        }
        None
    }

    /// Weights are 1 − bound / cut; before anything is known the cut is a little above the largest bound.
    fn draw(&mut self, children: &[Node]) -> usize {
        let most = children.iter().map(|child| child.bound_ns).fold(0.0, f64::max);
        let cut = if self.best.is_some() { self.limit_ns() } else { 1.1 * most };
        let weights = children.iter().map(|child| if cut > 0.0 { 1.0 - child.bound_ns / cut } else { 1.0 });
        let weights: Vec<f64> = weights.collect();
        let mut left = self.random.unit() * weights.iter().sum::<f64>();
        let passed = weights.iter().take_while(|&weight| {
            left -= weight;
            left >= 0.0
        });
        passed.count().min(children.len() - 1)
    }

    fn branch(&self, partial: &Partial) -> Option<ChoiceId> {
        let wanted = self.bound.branch(partial).filter(|&choice| partial.values(choice).len() > 1);
        wanted.or_else(|| partial.first_open())
    }

    fn prunes(&mut self, node: &Node) -> bool {
        let pruned = node.bound_ns >= self.limit_ns();
        if pruned {
            self.statistics.note(node.level, node.by, |counts| counts.pruned += 1);
            if let Some(limit) = self.bound.limit(&node.partial) {
                *self.statistics.pruned.entry((node.level, node.by, limit)).or_default() += 1;
            }
        }
        pruned
    }

    /// The children that may hold something better.
    fn expand(&mut self, node: &Node, choice: ChoiceId) -> Vec<Node> {
        self.statistics.note(node.level, node.by, |counts| counts.expanded += 1);
        let level = node.level + 1;
        let mut kept = Vec::new();
        for (_, child) in node.partial.children(choice) {
            let Some(child) = child else {
                self.statistics.note(level, Some(choice), |counts| counts.dead_ends += 1);
                continue;
            };
            let child = self.node(child, node.bound_ns, level, Some(choice));
            if !self.prunes(&child) {
                kept.push(child);
            }
        }
        kept
    }
}
