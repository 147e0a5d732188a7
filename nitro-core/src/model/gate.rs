//! The gate of a model: a small decision tree before the selector, over features that cost little. Its decisions
//! need neither the other features nor the selector.
//!
//! Features take time, and so does a selector. Where a call takes no longer than they do, no choice is worth them.
//! Cheap features tell where that is, a length as a rule (tests ordered by cost, as in Xu, Kusner, Weinberger and
//! Chen, "Cost-sensitive tree of classifiers", ICML 2013).

use super::forest::{MAX_DEPTH, Node, Shape};
use super::format::wire::{MANY, wire_structs};
use super::joined::joined;
use super::step::Step;
use crate::order;

/// The most nodes of a gate.
pub const MAX_GATE_NODES: usize = 1023;
/// The most steps of a gate on one device that a thread keeps beside what it remembers.
pub(crate) const MAX_STEPS: usize = 127;

/// A decision tree that decides at once, or leaves it to the selector.
///
/// ```
/// use nitro_core::model::{Gate, Node};
///
/// // Up to a length of 64 choice 2 runs; above, the selector is asked.
/// let split = Node::Split { column: 0, threshold: 64.0 };
/// let nodes = vec![split, Node::Leaf, Node::Leaf];
/// let gate = Gate { features: vec![0], nodes, decisions: vec![Some(2), None] };
/// assert_eq!((gate.decide(&[10.0], &[]), gate.decide(&[1e6], &[])), (Some(2), None));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The input features (indices into [`Model::features`](super::Model::features), ascending) that are computed
    /// before it is asked. It looks at no others.
    pub features: Vec<u16>,
    /// The tree in preorder, as one of a [`Forest`](super::Forest): columns are input features, then device features.
    pub nodes: Vec<Node>,
    /// The choice of each leaf, in their order (index into [`Model::choices`](super::Model::choices)).
    /// Where there is none, the selector is asked.
    pub decisions: Vec<Option<u16>>,
}

wire_structs! { Gate { features: MANY, nodes: MAX_GATE_NODES, decisions: MAX_GATE_NODES } }

impl Gate {
    /// Decides for raw values of all input and device features, in the order of the model's names.
    ///
    /// # Panics
    /// When it is none that a [`Model`](super::Model) that was read could have, or there are fewer values than it
    /// asks for.
    #[must_use]
    pub fn decide(&self, features: &[f64], device_features: &[f64]) -> Option<usize> {
        self.on_device(features.len(), device_features).decide(features)
    }

    /// Returns true where it asks for a device feature, of a model with so many input features.
    pub(super) fn asks_device(&self, inputs: usize) -> bool {
        let mut nodes = self.nodes.iter();
        nodes.any(|node| matches!(node, Node::Split { column, .. } if usize::from(*column) >= inputs))
    }

    /// Checks that all lengths and numbers fit together, for a model with so many choices, input features and
    /// columns.
    pub(super) fn check(&self, choices: usize, inputs: usize, columns: usize) -> Result<(), &'static str> {
        let shape = Shape::of(&self.nodes)?;
        match () {
            () if !self.features.windows(2).all(|pair| pair[0] < pair[1]) => Err("features of the gate"),
            () if self.features.last().is_some_and(|&last| usize::from(last) >= inputs) => {
                Err("features of the gate")
            }
            () if !shape.is_one_tree() => Err("tree of the gate"),
            () if !shape.has_leaves(self.decisions.len()) => Err("number of decisions of the gate"),
            () if !self.nodes.iter().all(|node| self.is_sound(node, inputs, columns)) => {
                Err("split of the gate")
            }
            () if self.decisions.iter().flatten().any(|&choice| usize::from(choice) >= choices) => {
                Err("choice of the gate")
            }
            () => Ok(()),
        }
    }

    /// Returns true for a split that compares a listed input feature or a device feature, and for a leaf.
    fn is_sound(&self, node: &Node, inputs: usize, columns: usize) -> bool {
        let Node::Split { column, threshold } = *node else { return true };
        let is_known = match usize::from(column) < inputs {
            true => self.features.binary_search(&column).is_ok(),
            false => usize::from(column) < columns,
        };
        is_known && threshold.is_finite()
    }

    /// The gate as it is on one device: splits on device features are decided once.
    pub(super) fn on_device(&self, inputs: usize, device_features: &[f64]) -> DeviceGate {
        let mut pruning =
            Pruning { gate: self, inputs, device_features, node: 0, leaf: 0, steps: Vec::new() };
        pruning.place(0);
        DeviceGate::new(self.features.iter().map(|&own| own.into()).collect(), pruning.steps)
    }
}

/// A pass over the nodes of a gate.
struct Pruning<'g> {
    gate: &'g Gate,
    inputs: usize,
    device_features: &'g [f64],
    node: usize,
    leaf: usize,
    steps: Vec<Step>,
}

impl Pruning<'_> {
    /// Adds what can be reached of the subtree that comes next. The tree is in preorder, so the lower side of a
    /// split is the step behind it.
    fn place(&mut self, depth: usize) {
        assert!(depth <= MAX_DEPTH, "a sound gate");
        let node = self.gate.nodes[self.node];
        self.node += 1;
        match node {
            Node::Leaf => {
                self.steps.push(Step::Leaf(self.gate.decisions[self.leaf].map(usize::from)));
                self.leaf += 1;
            }
            Node::Split { column, threshold } if usize::from(column) < self.inputs => {
                let split = self.steps.len();
                self.steps.push(Step::Split { column: column.into(), threshold, upper: 0 });
                self.place(depth + 1);
                let above = self.steps.len();
                if let Step::Split { upper, .. } = &mut self.steps[split] {
                    *upper = above;
                }
                self.place(depth + 1);
            }
            Node::Split { column, threshold } => {
                // The device decides. The other side is walked as well, to get past it; its steps are dropped.
                let is_above = self.device_features[usize::from(column) - self.inputs] as f32 > threshold;
                let mark = self.steps.len();
                self.place(depth + 1);
                if is_above {
                    self.steps.truncate(mark);
                    self.place(depth + 1);
                } else {
                    let mark = self.steps.len();
                    self.place(depth + 1);
                    self.steps.truncate(mark);
                }
            }
        }
    }
}

/// A comparison on the way to a decision that needs no selector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The input feature that is compared (index into [`Model::features`](super::Model::features)).
    pub feature: usize,
    /// What it is compared with.
    pub threshold: f32,
    /// True where it is above that.
    pub is_above: bool,
}

/// A gate on one device.
#[derive(Debug)]
pub(crate) struct DeviceGate {
    features: Vec<usize>,
    steps: Vec<Step>,
    /// By step what runs where a constraint refuses the choice of a leaf; empty where that is not known.
    second: Vec<Option<usize>>,
}

impl DeviceGate {
    /// A gate that looks at these features, by these steps.
    pub(super) fn new(features: Vec<usize>, steps: Vec<Step>) -> Self {
        Self { features, steps, second: Vec::new() }
    }

    /// The same, with what runs by step where a constraint refuses the choice of a leaf.
    pub(super) fn with_second(self, second: Vec<Option<usize>>) -> Self {
        Self { second, ..self }
    }

    /// The input features that it looks at, as indices into the model's.
    pub(crate) fn features(&self) -> &[usize] {
        &self.features
    }

    /// The same, with a tree at each end where it does not decide, as far as there is room for its steps.
    pub(super) fn followed_by(&self, tree: &Self) -> Self {
        self.followed_within(tree, MAX_STEPS)
    }

    fn followed_within(&self, tree: &Self, most_steps: usize) -> Self {
        let features = order::distinct(&[&self.features[..], &tree.features].concat());
        let steps = joined(&self.steps, &tree.steps, features.last().map_or(0, |last| last + 1), most_steps);
        Self::new(features, steps)
    }

    /// Its nodes.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The choice that it decides for, or none where the selector is to be asked. It decides for none too where a
    /// feature that it compares on its way is not finite.
    pub(crate) fn decide(&self, features: &[f64]) -> Option<usize> {
        self.decision(self.end(features)?)
    }

    /// The choice that runs where a constraint refuses the one that it decides for; none where the selector is to be
    /// asked.
    pub(crate) fn second(&self, features: &[f64]) -> Option<usize> {
        self.second_at(self.end(features)?)
    }

    /// The decision of a step, if it is a leaf.
    pub(super) fn decision(&self, step: usize) -> Option<usize> {
        match self.steps[step] {
            Step::Leaf(decision) => decision,
            Step::Split { .. } => None,
        }
    }

    /// The [second choice](Self::second) of a step.
    pub(crate) fn second_at(&self, step: usize) -> Option<usize> {
        self.second.get(step).copied().flatten()
    }

    /// The comparisons up to its decision; none where it makes none.
    pub(super) fn comparisons(&self, features: &[f64]) -> Option<Vec<Comparison>> {
        let mut made = Vec::new();
        let end = self.walk(features, |comparison| made.push(comparison))?;
        self.decision(end).map(|_| made)
    }

    /// The leaf, as a step, where a walk ends; none where a feature that is compared on the way is not finite.
    pub(super) fn end(&self, features: &[f64]) -> Option<usize> {
        self.walk(features, |_| ())
    }

    /// Walks to that leaf, and tells of each comparison.
    fn walk(&self, features: &[f64], mut compared: impl FnMut(Comparison)) -> Option<usize> {
        let mut at = 0;
        loop {
            match self.steps[at] {
                Step::Leaf(_) => return Some(at),
                Step::Split { column, .. } if !features[column].is_finite() => return None,
                Step::Split { column, threshold, upper } => {
                    let is_above = features[column] as f32 > threshold;
                    compared(Comparison { feature: column, threshold, is_above });
                    at = if is_above { upper } else { at + 1 };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn split(column: u16, threshold: f32) -> Node {
        Node::Split { column, threshold }
    }

    /// Of two inputs and a device feature: on devices above 8 the second input decides, else the first.
    fn gate() -> Gate {
        let leaf = Node::Leaf;
        let nodes = vec![split(2, 8.0), split(0, 10.0), leaf, leaf, split(1, 20.0), leaf, leaf];
        Gate { features: vec![0, 1], nodes, decisions: vec![Some(0), None, Some(1), None] }
    }

    #[test]
    fn the_device_is_asked_once() {
        let decisions = |device: f64| {
            let on_device = gate().on_device(2, &[device]);
            [[5.0, 5.0], [15.0, 5.0], [5.0, 25.0], [f64::NAN, 5.0]]
                .map(|features| on_device.decide(&features))
        };
        assert_eq!(decisions(4.0), [Some(0), None, Some(0), None]);
        assert_eq!(decisions(16.0), [Some(1), Some(1), None, Some(1)], "the first input is not compared");
    }

    #[test]
    fn a_tree_decides_what_a_gate_leaves_open() {
        let on_device = gate().on_device(2, &[4.0]);
        let split = Step::Split { column: 1, threshold: 50.0, upper: 2 };
        let tree = DeviceGate::new(vec![1], vec![split, Step::Leaf(Some(2)), Step::Leaf(Some(3))]);
        let decide = |most_steps: usize| {
            let joined = on_device.followed_within(&tree, most_steps);
            [[5.0, 5.0], [15.0, 5.0], [15.0, 60.0], [15.0, f64::NAN]].map(|features| joined.decide(&features))
        };
        assert_eq!(decide(5), [Some(0), Some(2), Some(3), None]);
        assert_eq!(decide(4), [Some(0), None, None, None], "there is no room for it");
        assert_eq!(on_device.followed_by(&tree).features(), [0, 1]);
    }

    /// A tree at two ends would else need twice its room, and calls would compare what they know.
    #[test]
    fn a_tree_behind_a_gate_compares_nothing_twice() {
        let leaf = Step::Leaf;
        let split = |threshold, upper| Step::Split { column: 0, threshold, upper };
        let gate = DeviceGate::new(
            vec![0],
            vec![split(10.0, 2), leaf(None), split(20.0, 4), leaf(None), leaf(Some(7))],
        );
        let tree = DeviceGate::new(
            vec![0],
            vec![
                split(10.0, 4),
                split(5.0, 3),
                leaf(Some(0)),
                leaf(Some(1)),
                split(30.0, 6),
                leaf(Some(2)),
                leaf(Some(3)),
            ],
        );
        let joined = gate.followed_within(&tree, 9);
        let decided = [5.0, 6.0, 11.0, 25.0].map(|value| joined.decide(&[value]));
        assert_eq!((decided, joined.steps().len()), ([Some(0), Some(1), Some(2), Some(7)], 7));
    }

    /// As splits of forests do: by these the trainer counts what a gate decides.
    #[test]
    fn at_its_threshold_a_split_leads_to_the_lower_side() {
        let after = |threshold: f32| f64::from(threshold.next_up());
        let decide = |first: f64, second: f64, device: f64| gate().decide(&[first, second], &[device]);
        assert_eq!([decide(10.0, 0.0, 8.0), decide(after(10.0), 0.0, 8.0)], [Some(0), None]);
        assert_eq!([decide(0.0, 20.0, after(8.0)), decide(0.0, after(20.0), after(8.0))], [Some(1), None]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(gate().check(2, 2, 3), Ok(()));
        let wrong: [(Gate, &str); 6] = [
            (Gate { features: vec![0], ..gate() }, "split of the gate"),
            (Gate { features: vec![1, 0], ..gate() }, "features of the gate"),
            (Gate { decisions: vec![None; 3], ..gate() }, "number of decisions of the gate"),
            (Gate { decisions: vec![Some(2); 4], ..gate() }, "choice of the gate"),
            (Gate { nodes: vec![Node::Leaf; 4], ..gate() }, "tree of the gate"),
            (Gate { nodes: vec![split(0, 1.0), Node::Leaf], ..gate() }, "last tree"),
        ];
        for (gate, what) in wrong {
            assert_eq!(gate.check(2, 2, 3), Err(what));
        }
        assert_eq!(gate().check(2, 2, 2), Err("split of the gate"), "there is no device feature");
    }
}
