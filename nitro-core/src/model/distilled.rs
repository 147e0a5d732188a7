//! A selector on one device as a small tree, which a call walks in some nanoseconds where a forest takes half a
//! microsecond.
//!
//! The tree is grown from what the selector says of many inputs between those of its training (Breiman and Shang, "Born
//! again trees", 1996: a tree learns from a model's answers, of which there are as many as are asked for, and not from
//! the few measurements). A leaf has the choice that is best in the mean over its inputs.
//!
//! A split that changes neither side's best choice may still be the first of two that do, so splits are judged by how
//! far they tell the selector's estimates apart too. With 31 comparisons trees of forests kept, in % of exhaustive
//! search on other inputs and another device: 96.0 of 95.8 (text search), 97.9 of 98.9 (matrix products), 94.6 of 95.6
//! and 96.8 of 97.2 (sorting), 98.2 of 98.4 (sparse products), 97.9 of 97.8 (histograms), 96.9 of 97.4 (transposition).

use super::coverage::coordinate;
use super::gate::{DeviceGate, Step};
use super::{OnDevice, Region};
use crate::{order, random};

/// The most comparisons of a tree.
const MAX_SPLITS: usize = 31;
/// The number of inputs that the selector is asked about.
const POINTS: usize = 1024;
/// The most comparisons from the root to a leaf.
const MAX_DEPTH: usize = 16;
/// The number of thresholds that are tried of each feature at a node, about.
const CUTS: usize = 48;
/// The least share of the best speed, in the mean over all inputs, that a leaf has to lose to be split.
const LEAST_REGRET: f64 = 1e-4;
/// The weight of how far a split tells estimates apart, beside what it gains.
const APART: f64 = 0.3;

/// An input, and the share of the best speed that the selector expects of each class.
pub(super) struct Point {
    pub(super) features: Vec<f64>,
    pub(super) expected: Vec<f64>,
}

/// Grows the tree of a selector from what it says of many inputs; none where the selector is not asked about features,
/// or one choice is all that it comes to.
pub(super) fn distilled(selector: &OnDevice, points: &[Point]) -> Option<DeviceGate> {
    let columns = points.first()?.features.len();
    if selector.is_constant() || selector.classes() < 2 {
        return None; // a machine of a training that nothing succeeded in has no class at all
    }
    let mut tree = Tree { points, columns, splits: 0, nodes: Vec::new() };
    tree.grow();
    let mut steps = Vec::new();
    tree.place(0, selector, &mut steps);
    let compared: Vec<usize> = steps.iter().filter_map(Step::column).collect();
    Some(DeviceGate::new(order::distinct(&compared), steps))
}

/// Returns what a selector says of many inputs of a region.
pub(super) fn asked(selector: &OnDevice, region: &Region) -> Vec<Point> {
    let points = points(region)
        .map(|features| Point { expected: selector.confidences(&features).collect(), features });
    points.filter(|point| point.features.iter().all(|value| value.is_finite())).collect()
}

/// The centres of a region, and raw inputs on the lines between two of them: what features have to do with each other
/// is kept so.
fn points(region: &Region) -> impl Iterator<Item = Vec<f64>> {
    let centers: Vec<&[i8]> = region.centers.chunks_exact(region.scaling.len().max(1)).collect();
    let mut random = Random(1);
    (0..POINTS).map(move |number| {
        let (one, other) = (random.below(centers.len()), random.below(centers.len()));
        let (one, way) = if number < centers.len() { (number, 0.0) } else { (one, random.unit()) };
        let columns = centers[one].iter().zip(centers[other]).zip(&region.scaling);
        let raw = columns.map(|((&one, &other), scale)| {
            let (one, other) = (coordinate(one), coordinate(other));
            scale.undo(one + way * (other - one))
        });
        raw.collect()
    })
}

/// A sequence of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        (random::next(&mut self.0) % count as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (random::next(&mut self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A tree that grows, leaf by leaf.
struct Tree<'p> {
    points: &'p [Point],
    columns: usize,
    splits: usize,
    nodes: Vec<Node>,
}

struct Node {
    /// The points that end in it.
    points: Vec<usize>,
    depth: usize,
    /// The class that is best in the mean.
    best: usize,
    /// The sum over the points of what is lost by that class.
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
        let all = self.node((0..self.points.len()).collect(), 0);
        self.nodes.push(all);
        let least = LEAST_REGRET * self.points.len() as f64;
        while self.splits < MAX_SPLITS {
            let open = (0..self.nodes.len()).filter(|&at| {
                let node = &self.nodes[at];
                node.split.is_none() && node.depth < MAX_DEPTH && node.regret > least
            });
            let Some(at) =
                open.max_by(|&one, &other| self.nodes[one].regret.total_cmp(&self.nodes[other].regret))
            else {
                break;
            };
            match self.best_split(&self.nodes[at].points) {
                Some((column, threshold)) => self.split(at, column, threshold),
                None => self.nodes[at].regret = 0.0, // its points do not differ
            }
        }
    }

    fn node(&self, points: Vec<usize>, depth: usize) -> Node {
        let sums = self.sums(&points);
        let best = first_greatest(&sums);
        let reachable: f64 = points.iter().map(|&at| greatest(&self.points[at].expected)).sum();
        Node { regret: reachable - sums[best], points, depth, best, split: None }
    }

    fn split(&mut self, at: usize, column: usize, threshold: f32) {
        let (points, depth) = (std::mem::take(&mut self.nodes[at].points), self.nodes[at].depth);
        let (upper, lower): (Vec<usize>, Vec<usize>) =
            points.into_iter().partition(|&point| self.value(point, column) > threshold);
        let sides = [lower, upper].map(|points| {
            let node = self.node(points, depth + 1);
            self.nodes.push(node);
            self.nodes.len() - 1
        });
        self.nodes[at].split = Some(Split { column, threshold, sides });
        self.splits += 1;
    }

    /// Returns a feature as thresholds are compared with it.
    fn value(&self, point: usize, column: usize) -> f32 {
        self.points[point].features[column] as f32
    }

    fn sums(&self, points: &[usize]) -> Vec<f64> {
        let mut sums = vec![0.0; self.points[0].expected.len()];
        points.iter().for_each(|&at| add(&mut sums, &self.points[at].expected));
        sums
    }

    /// The split after which the sides' best choices are best, and estimates differ least from their means.
    fn best_split(&self, points: &[usize]) -> Option<(usize, f32)> {
        let total = self.sums(points);
        let mut best = (0.0, None);
        for column in 0..self.columns {
            let values: Vec<f32> = points.iter().map(|&point| self.value(point, column)).collect();
            let sorted = order::order(points.len(), &|one, other| values[one].total_cmp(&values[other]));
            let stride = (sorted.len() / CUTS).max(1);
            let mut lower = vec![0.0; total.len()];
            for count in 1..sorted.len() {
                let (below, above) = (values[sorted[count - 1]], values[sorted[count]]);
                add(&mut lower, &self.points[points[sorted[count - 1]]].expected);
                if count % stride != 0 || below >= above {
                    continue;
                }
                let worth = worth(&lower, count, &total, sorted.len());
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
            steps.push(Step::Leaf(Some(selector.choice(node.best))));
            return;
        };
        let own = steps.len();
        steps.push(Step::Split { column, threshold, upper: 0 });
        self.place(lower, selector, steps);
        steps[own] = Step::Split { column, threshold, upper: steps.len() };
        self.place(upper, selector, steps);
    }
}

/// Returns what a split is worth, from the sums of what is expected below it and in all, and the numbers of points.
fn worth(lower: &[f64], lower_count: usize, total: &[f64], count: usize) -> f64 {
    let (lower_mean, total_mean) = (mean(lower), mean(total));
    let (mut gained, mut apart) = ([f64::NEG_INFINITY; 2], 0.0);
    for (&lower, &total) in lower.iter().zip(total) {
        let upper = total - lower;
        gained = [gained[0].max(lower), gained[1].max(upper)];
        // Beside what all classes have in common: that decides nothing.
        let (lower, total) = (lower - lower_mean, total - total_mean);
        let upper = total - lower;
        apart += lower * lower / lower_count as f64 + upper * upper / (count - lower_count) as f64
            - total * total / count as f64;
    }
    gained[0] + gained[1] - greatest(total) + APART * apart
}

fn add(sums: &mut [f64], values: &[f64]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The position of the greatest value; of equals the first.
fn first_greatest(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Forest, Node, Offset, Scale, Selector, Svm, Transform};

    /// Inputs of two features from 0 to 100.
    fn region() -> Region {
        let scale = Scale { transform: Transform::Identity, min: 0.0, max: 100.0 };
        let corners: [&[f64]; 4] = [&[-1.0, -1.0], &[-1.0, 1.0], &[1.0, -1.0], &[1.0, 1.0]];
        Region::new(vec![scale; 2], corners, Offset { gap: 1.0, excess: 1.0 })
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
        let tree = distilled(&selector, &asked(&selector, &region())).expect("a tree");
        let decisions =
            [[10.0, 10.0], [10.0, 90.0], [90.0, 10.0], [90.0, 90.0]].map(|input| tree.decide(&input));
        assert_eq!(decisions, [Some(0), Some(1), Some(1), Some(0)]);
        assert_eq!(tree.decide(&[f64::NAN, 10.0]), None, "the selector is asked");
    }

    #[test]
    fn features_that_change_nothing_are_not_looked_at() {
        let selector = selector(vec![split(1, 20.0), Node::Leaf, Node::Leaf], vec![0, 9, 9, 0]);
        let tree = distilled(&selector, &asked(&selector, &region()));
        assert_eq!(tree.expect("a tree").features(), [1]);
    }

    #[test]
    fn a_selector_that_asks_for_nothing_has_no_tree() {
        let tree_of = |selector: OnDevice| distilled(&selector, &asked(&selector, &region()));
        assert!(tree_of(selector(vec![Node::Leaf], vec![0, 9])).is_none());
        let scaling = region().scaling;
        let (classes, vectors, coefficients, rho) = (vec![], vec![], vec![], vec![]);
        let without_class = Svm { gamma: 1.0, scaling, classes, vectors, coefficients, rho };
        assert!(tree_of(Selector::Svm(without_class).on_device(&[])).is_none());
    }
}
