//! A selector on one device as a small tree, which a call walks in some nanoseconds where a forest takes half a
//! microsecond.
//!
//! The tree is grown from what the selector says of the inputs of its training (Breiman and Shang, "Born again trees",
//! 1996: a tree learns from a model's answers). A leaf has the choice that is best in the mean over its inputs, or
//! leaves them to the selector, where that is worth its time.
//!
//! A call computes a feature when the tree first compares it, so each comparison has to gain what it costs on the
//! inputs that come to it, its feature included (tests by their cost: Xu, Kusner, Weinberger and Chen, "Cost-sensitive
//! tree of classifiers", 2013): a length decides short calls, and dearer features only those that are worth them.
//!
//! A split that changes neither side's best choice may still be the first of two that do, so splits are judged by how
//! far they tell the selector's estimates apart too, and those that have gained nothing in the end are taken away.

use super::OnDevice;
use super::choosing::Way;
use super::gate::DeviceGate;
use super::points::{Point, greatest};
use super::step::Step;
use crate::order;

/// The most comparisons of a tree.
const MAX_SPLITS: usize = 31;
/// The most comparisons from the root to a leaf.
const MAX_DEPTH: usize = 16;
/// The least number of inputs on either side of a comparison.
const MIN_LEAF: usize = 4;
/// The share of the best speed, in the mean over all inputs, that a comparison has to gain.
const LEAST_GAIN: f64 = 1e-4;
/// The weight of how far a split tells estimates apart, beside what it gains.
const APART: f64 = 0.3;

/// Grows the tree of a selector from what it says of the training inputs; none where the selector is not asked about
/// features, or where there are no such inputs.
pub(super) fn distilled(selector: &OnDevice, points: &[Point]) -> Option<DeviceGate> {
    let columns = points.first()?.input.features.len();
    if selector.is_constant() || selector.classes() < 2 {
        return None; // a machine of a training that nothing succeeded in has no class at all
    }
    let selection_ns = selector.selection_ns();
    let mut tree = Tree { points, columns, selection_ns, splits: 0, nodes: Vec::new() };
    tree.grow();
    tree.prune(0);
    let mut steps = Vec::new();
    tree.place(0, selector, &mut steps);
    let compared: Vec<usize> = steps.iter().filter_map(Step::column).collect();
    Some(DeviceGate::new(order::distinct(&compared), steps))
}

/// A tree that grows, leaf by leaf.
struct Tree<'p> {
    points: &'p [Point],
    columns: usize,
    /// The time of the selector without its features, in nanoseconds.
    selection_ns: f64,
    splits: usize,
    nodes: Vec<Node>,
}

struct Node {
    /// The points that end in it.
    points: Vec<usize>,
    way: Way,
    /// The class that is best in the mean; one beyond them where it is better to ask the selector.
    best: usize,
    /// The sum over the points of what is left of the speed by that.
    worth: f64,
    /// The sum of what is lost by it against the best of each point.
    regret: f64,
    split: Option<Split>,
}

#[derive(Clone, Copy)]
struct Split {
    column: usize,
    threshold: f32,
    /// The nodes below and above the threshold.
    sides: [usize; 2],
}

impl Tree<'_> {
    /// Splits the leaf that loses most, until nothing is lost or the tree is full.
    fn grow(&mut self) {
        let all = self.node((0..self.points.len()).collect(), Way::default());
        self.nodes.push(all);
        while self.splits < MAX_SPLITS {
            let open = (0..self.nodes.len()).filter(|&at| {
                let node = &self.nodes[at];
                node.split.is_none() && node.way.comparisons < MAX_DEPTH && node.regret > self.least_gain()
            });
            let Some(at) =
                open.max_by(|&one, &other| self.nodes[one].regret.total_cmp(&self.nodes[other].regret))
            else {
                break;
            };
            match self.best_split(&self.nodes[at]) {
                Some((column, threshold)) => self.split(at, column, threshold),
                None => self.nodes[at].regret = 0.0, // nothing tells its points apart for less than it gains
            }
        }
    }

    fn least_gain(&self) -> f64 {
        LEAST_GAIN * self.points.len() as f64
    }

    fn node(&self, points: Vec<usize>, way: Way) -> Node {
        let mut sums = vec![0.0; self.points[0].expected.len() + 1];
        let mut reachable = 0.0;
        for &at in &points {
            let nets: Vec<f64> = self.points[at].nets(way, self.selection_ns).collect();
            reachable += greatest(nets.iter().copied());
            add(&mut sums, nets);
        }
        let best = first_greatest(&sums);
        Node { regret: reachable - sums[best], worth: sums[best], points, way, best, split: None }
    }

    fn split(&mut self, at: usize, column: usize, threshold: f32) {
        let (points, way) = (self.nodes[at].points.clone(), self.nodes[at].way.behind(column));
        let (upper, lower): (Vec<usize>, Vec<usize>) =
            points.into_iter().partition(|&point| self.value(point, column) > threshold);
        let sides = [lower, upper].map(|points| {
            let node = self.node(points, way);
            self.nodes.push(node);
            self.nodes.len() - 1
        });
        self.nodes[at].split = Some(Split { column, threshold, sides });
        self.splits += 1;
    }

    /// Takes comparisons away that do not gain what they cost; returns what the subtree of a node is worth then.
    fn prune(&mut self, at: usize) -> f64 {
        let Some(split) = self.nodes[at].split else { return self.nodes[at].worth };
        let worth = split.sides.map(|side| self.prune(side)).iter().sum::<f64>();
        if worth > self.nodes[at].worth + self.least_gain() {
            return worth;
        }
        self.nodes[at].split = None;
        self.nodes[at].worth
    }

    /// Returns a feature as thresholds are compared with it.
    fn value(&self, point: usize, column: usize) -> f32 {
        self.points[point].input.features[column] as f32
    }

    /// The split after which the sides' best choices are best, and estimates differ least from their means.
    fn best_split(&self, node: &Node) -> Option<(usize, f32)> {
        let mut best = (0.0, None);
        for column in 0..self.columns {
            let values: Vec<f32> = node.points.iter().map(|&point| self.value(point, column)).collect();
            let sorted = order::order(values.len(), &|one, other| values[one].total_cmp(&values[other]));
            let rows: Vec<&Point> = sorted.iter().map(|&at| &self.points[node.points[at]]).collect();
            let mut sides = Sides::new(&rows, node.way.behind(column), self.selection_ns);
            for count in 1..sorted.len() {
                let (below, above) = (values[sorted[count - 1]], values[sorted[count]]);
                sides.pass(rows[count - 1]);
                if count < MIN_LEAF || sorted.len() - count < MIN_LEAF || below >= above {
                    continue;
                }
                let worth = sides.worth() - node.worth + APART * sides.apart();
                if worth > best.0 {
                    let middle = below + (above - below) / 2.0;
                    best = (worth, Some((column, if middle < above { middle } else { below })));
                }
            }
        }
        best.1
    }

    /// Adds the steps of the subtree of a node, in preorder.
    fn place(&self, at: usize, selector: &OnDevice, steps: &mut Vec<Step>) {
        let node = &self.nodes[at];
        let Some(Split { column, threshold, sides: [lower, upper] }) = node.split else {
            let is_class = node.best < selector.classes();
            steps.push(Step::Leaf(is_class.then(|| selector.choice(node.best))));
            return;
        };
        let own = steps.len();
        steps.push(Step::Split { column, threshold, upper: 0 });
        self.place(lower, selector, steps);
        steps[own] = Step::Split { column, threshold, upper: steps.len() };
        self.place(upper, selector, steps);
    }
}

/// The points on both sides of a comparison that moves upwards.
struct Sides {
    /// The way to either side, and the time of the selector.
    way: Way,
    selection_ns: f64,
    count: usize,
    all: usize,
    /// By class the sums of what is expected, below and in all.
    expected: [Vec<f64>; 2],
    /// By class the sums of what is left of that, below and in all.
    nets: [Vec<f64>; 2],
}

impl Sides {
    /// All points are above.
    fn new(points: &[&Point], way: Way, selection_ns: f64) -> Self {
        let classes = points.first().map_or(0, |point| point.expected.len());
        let none = |length| [vec![0.0; length], vec![0.0; length]];
        let (mut expected, mut nets) = (none(classes), none(classes + 1));
        for point in points {
            add(&mut expected[1], point.expected.iter().copied());
            add(&mut nets[1], point.nets(way, selection_ns));
        }
        Self { way, selection_ns, count: 0, all: points.len(), expected, nets }
    }

    /// The next point is below.
    fn pass(&mut self, point: &Point) {
        self.count += 1;
        add(&mut self.expected[0], point.expected.iter().copied());
        add(&mut self.nets[0], point.nets(self.way, self.selection_ns));
    }

    /// Returns what the best of either side is worth.
    fn worth(&self) -> f64 {
        let [lower, all] = &self.nets;
        let upper = lower.iter().zip(all).map(|(lower, all)| all - lower);
        greatest(lower.iter().copied()) + greatest(upper)
    }

    /// Returns how far the sides' estimates are apart: the squares between their means. What all classes have in common
    /// decides nothing.
    fn apart(&self) -> f64 {
        let [lower, all] = &self.expected;
        let (lower_mean, all_mean) = (mean(lower), mean(all));
        let (below, above) = (self.count as f64, (self.all - self.count) as f64);
        let of_class = |(&lower, &all): (&f64, &f64)| {
            let (lower, all) = (lower - lower_mean, all - all_mean);
            lower * lower / below + (all - lower) * (all - lower) / above - all * all / self.all as f64
        };
        lower.iter().zip(all).map(of_class).sum()
    }
}

fn add(sums: &mut [f64], values: impl IntoIterator<Item = f64>) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The position of the greatest value; of equals the first.
fn first_greatest(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::points::asked;
    use crate::model::{Forest, Node, Scale, Selector, Svm, TrainingInputs, Transform};

    /// Calls of a microsecond with two features from 0 to 100, of which the second takes so long.
    fn inputs(second_ns: f64) -> TrainingInputs {
        let mut inputs = TrainingInputs::default();
        let steps = || (0..16).map(|step| f64::from(step) * 6.25);
        for (one, other) in steps().flat_map(|one| steps().map(move |other| (one, other))) {
            inputs.push(&[one, other], 1_000.0, &[0.0, second_ns]);
        }
        inputs
    }

    /// A forest of one tree over two features.
    fn selector(nodes: Vec<Node>, values: Vec<u8>) -> OnDevice {
        let forest = Forest { inputs: 2, choices: 2, nodes, values, origins: vec![], ratios: vec![] };
        Selector::Forest(forest).on_device(&[])
    }

    const fn split(column: u16, threshold: f32) -> Node {
        Node::Split { column, threshold }
    }

    /// Where both features are on the same side of the middle choice 0 is best, else choice 1: no single comparison
    /// gains anything.
    #[test]
    fn what_only_two_comparisons_tell_is_told() {
        let leaf = Node::Leaf;
        let nodes = vec![split(0, 50.0), split(1, 50.0), leaf, leaf, split(1, 50.0), leaf, leaf];
        let selector = selector(nodes, vec![0, 128, 128, 0, 128, 0, 0, 128]);
        let tree = distilled(&selector, &asked(&selector, &inputs(0.0))).expect("a tree");
        let decisions =
            [[10.0, 10.0], [10.0, 90.0], [90.0, 10.0], [90.0, 90.0]].map(|input| tree.decide(&input));
        assert_eq!(decisions, [Some(0), Some(1), Some(1), Some(0)]);
        assert_eq!(tree.decide(&[f64::NAN, 10.0]), None, "the selector is asked");
    }

    #[test]
    fn features_that_change_nothing_are_not_looked_at() {
        let selector = selector(vec![split(1, 20.0), Node::Leaf, Node::Leaf], vec![0, 9, 9, 0]);
        let tree = distilled(&selector, &asked(&selector, &inputs(0.0)));
        assert_eq!(tree.expect("a tree").features(), [1]);
    }

    /// Both features tell the better choice, the second one for all inputs.
    #[test]
    fn a_feature_is_compared_where_it_gains_more_than_it_costs() {
        let leaf = Node::Leaf;
        let nodes = vec![split(0, 80.0), leaf, split(1, 50.0), leaf, leaf];
        let selector = selector(nodes, vec![0, 200, 0, 200, 200, 0]);
        let compared = |second_ns| {
            let points = asked(&selector, &inputs(second_ns));
            let tree = distilled(&selector, &points).expect("a tree");
            let second_is_seen = |input| {
                let comparisons = tree.comparisons(input).expect("a decision");
                comparisons.iter().any(|own| own.feature == 1)
            };
            [&[10.0, 90.0], &[90.0, 90.0]].map(|input| second_is_seen(input))
        };
        assert_eq!(compared(100.0), [false, true], "inputs that the first decides are spared the second");
        assert_eq!(compared(5_000.0), [false, false], "what takes longer than it saves is not asked");
    }

    #[test]
    fn a_selector_that_asks_for_nothing_has_no_tree() {
        let tree_of = |selector: OnDevice| distilled(&selector, &asked(&selector, &inputs(0.0)));
        assert!(tree_of(selector(vec![Node::Leaf], vec![0, 9])).is_none());
        let scaling = vec![Scale { transform: Transform::Identity, min: 0.0, max: 100.0 }; 2];
        let (classes, vectors, coefficients, rho) = (vec![], vec![], vec![], vec![]);
        let without_class = Svm { gamma: 1.0, scaling, classes, vectors, coefficients, rho };
        assert!(tree_of(Selector::Svm(without_class).on_device(&[])).is_none());
    }
}
