//! Growing the tree of a gate: at each node the split after which the best thing to do on either side costs least.

use std::collections::BTreeSet;

use nitro_core::model::{COMPARISON_NS, Node, Way, net_share, walk_ns};

use crate::objective::Weights;

/// The most comparisons from root to leaf: so many leaves a thread keeps beside what it remembers.
const MAX_DEPTH: usize = 4;
/// The least share of all samples in a leaf, and the least number.
const MIN_LEAF: (f64, usize) = (0.01, 5);
/// The factor of what is lost at a leaf against what is gained there. A selector looks at an input, a leaf at a kind of
/// inputs: how good it is hangs on how many of each there are, and what will be met is mixed otherwise than what was
/// trained on.
const CAUTION: f64 = 3.0;
/// A split has to gain so much of the best choice's speed on each sample, in the mean over all.
const LEAST_GAIN: f64 = 2e-4;

/// A choice that reaches less than this share of the best speed on an input in a leaf or just beyond it does not run
/// there at once. A cut lies where most is gained by it, so what would have spoilt a leaf lies just beyond it. Where a
/// feature that the gate does not look at makes that choice so slow, an input like it will be met inside as well.
const TOO_SLOW: f64 = 0.05;

/// One input on one device.
pub(super) struct Sample {
    pub(super) input: usize,
    /// Input features, then device features, as the run time compares them.
    pub(super) row: Vec<f32>,
    /// The weight of the sample.
    pub(super) weight: f64,
    /// Net share of speed where the selector is asked.
    pub(super) asked: f64,
    /// Net share of speed where the selector is asked after a choice at once was refused.
    pub(super) refused: f64,
    /// Share of speed where a choice runs at once; none where it may not run, so that the selector is asked.
    pub(super) at_once: Vec<(usize, Option<f64>)>,
    /// The time of the best choice, in nanoseconds, as it counts against the time for choosing.
    pub(super) best_ns: f64,
    /// The time of each input feature, in nanoseconds.
    pub(super) features_ns: Vec<f64>,
}

impl Sample {
    /// Returns the net share of a decision, after these features.
    pub(super) fn share(&self, (decision, way): (Option<usize>, Way)) -> f64 {
        let own = self.at_once.iter().find(|(choice, _)| Some(*choice) == decision);
        own.map_or(self.asked, |(_, share)| self.net(*share, way.choosing_ns(&self.features_ns)))
    }

    /// Returns true where a choice may run on the input.
    fn admits(&self, choice: usize) -> bool {
        self.at_once.iter().any(|(own, share)| *own == choice && share.is_some())
    }

    /// Returns what is left of a choice's share.
    fn net(&self, share: Option<f64>, gate_ns: f64) -> f64 {
        share.map_or(self.refused, |share| net_share(share, self.best_ns, gate_ns))
    }

    /// Returns the worth of asking and of each choice after these features; what a choice at once loses counts
    /// [`CAUTION`] times.
    fn worth(&self, weights: &Weights, way: Way) -> impl Iterator<Item = f64> {
        let asked = weights.worth(self.asked, self.weight);
        let gate_ns = way.choosing_ns(&self.features_ns);
        std::iter::once(asked).chain(self.at_once.iter().map(move |(_, share)| {
            let gain = weights.worth(self.net(*share, gate_ns), self.weight) - asked;
            asked + gain * if gain < 0.0 { CAUTION } else { 1.0 }
        }))
    }
}

/// Nodes in preorder, and what is decided at each leaf.
pub(super) type TreeParts = (Vec<Node>, Vec<Option<usize>>);

/// Grows a tree that looks at these columns.
pub(super) fn grow(samples: &[&Sample], columns: &[usize], weights: &Weights) -> TreeParts {
    let min_leaf = ((MIN_LEAF.0 * samples.len() as f64) as usize).max(MIN_LEAF.1);
    let grown = (Vec::new(), Vec::new());
    let mut grower =
        Grower { columns, weights, min_leaf, least_gain: LEAST_GAIN * samples.len() as f64, grown };
    grower.subtree(samples, samples, 0, Way::default());
    grower.grown
}

/// Puts that comparison before a tree which saves most time of short calls: below its threshold the tree decides for
/// one choice on all samples, and that choice may run everywhere. Their walks end there, all others get longer by it.
/// Nothing is decided otherwise on any sample.
pub(super) fn with_shortcut((mut nodes, mut decisions): TreeParts, samples: &[&Sample]) -> TreeParts {
    let begins_so = matches!(nodes[..], [Node::Split { .. }, Node::Leaf, ..]) && decisions[0].is_some();
    if !begins_so && let Some((split, choice)) = best_shortcut(&nodes, &decisions, samples) {
        nodes.splice(0..0, [split, Node::Leaf]);
        decisions.insert(0, Some(choice));
    }
    (nodes, decisions)
}

/// The comparison that saves most, and the choice below it; none where none saves anything worth mentioning.
fn best_shortcut(nodes: &[Node], decisions: &[Option<usize>], samples: &[&Sample]) -> Option<(Node, usize)> {
    let inputs = samples.first()?.features_ns.len();
    let compared: BTreeSet<u16> = nodes.iter().filter_map(|node| compared(node, inputs)).collect();
    let mut best = (LEAST_GAIN * samples.len() as f64, None);
    for column in compared {
        let value = |sample: &Sample| sample.row[usize::from(column)];
        let walk = |sample: &Sample| walk_ns(decide(nodes, decisions, sample).1.comparisons);
        let mut sorted = samples.to_vec();
        sorted.sort_by(|a, b| value(a).total_cmp(&value(b))); // stable
        let Some(choice) = decide(nodes, decisions, sorted[0]).0 else { continue };
        if !sorted.iter().all(|sample| sample.admits(choice)) {
            continue;
        }
        let others = sorted.iter().position(|sample| decide(nodes, decisions, sample).0 != Some(choice));
        let end = others.map_or(f32::INFINITY, |first| value(sorted[first]));
        let (below, above) = sorted.split_at(sorted.partition_point(|sample| value(sample) < end));
        let shorter = below.iter().map(|own| (walk(own) - walk_ns(1)) / own.best_ns).sum::<f64>();
        let longer = above.iter().map(|own| COMPARISON_NS / own.best_ns).sum::<f64>();
        let saved = shorter - longer;
        if let Some(last) = below.last()
            && saved > best.0
        {
            best = (saved, Some((Node::Split { column, threshold: value(last) }, choice)));
        }
    }
    best.1
}

/// Returns the input feature that a node compares, if it does.
fn compared(node: &Node, inputs: usize) -> Option<u16> {
    match *node {
        Node::Split { column, .. } if usize::from(column) < inputs => Some(column),
        _ => None,
    }
}

/// Returns the way to either side of a split on a column; the first so many are input features, and what a device has
/// takes no time.
fn behind(way: Way, column: usize, inputs: usize) -> Way {
    if column < inputs { way.behind(column) } else { way }
}

/// Returns the decision of the leaf where a sample ends, and the features that were computed on the way.
pub(super) fn decide(
    nodes: &[Node],
    decisions: &[Option<usize>],
    Sample { row, features_ns, .. }: &Sample,
) -> (Option<usize>, Way) {
    let (mut node, mut leaf, mut skipped, mut way) = (0, 0, 0_usize, Way::default());
    loop {
        match nodes[node] {
            Node::Leaf if skipped == 0 => return (decisions[leaf], way),
            Node::Leaf => {
                skipped -= 1;
                leaf += 1;
            }
            Node::Split { .. } if skipped > 0 => skipped += 1,
            Node::Split { column, threshold } => {
                way = behind(way, column.into(), features_ns.len());
                skipped = usize::from(row[usize::from(column)] > threshold);
            }
        }
        node += 1;
    }
}

struct Grower<'a> {
    columns: &'a [usize],
    weights: &'a Weights,
    min_leaf: usize,
    least_gain: f64,
    grown: TreeParts,
}

/// A split between two values of a column that no sample has anything between.
#[derive(Clone, Copy)]
struct Split {
    column: usize,
    below: f32,
    above: f32,
}

impl Split {
    /// Returns where to cut, if below and above the selector is always asked or not: what lies between, and was never
    /// seen, asks.
    fn threshold(&self, asks_below: bool, asks_above: bool) -> f32 {
        let Self { below, above, .. } = *self;
        let middle = below + (above - below) / 2.0;
        match (asks_below, asks_above) {
            // Only one side asks: it gets all that lies between.
            (true, false) => above.next_down().max(below),
            (false, true) => below,
            _ if middle < above => middle,
            _ => below,
        }
    }
}

impl Grower<'_> {
    /// Adds the subtree of these samples; whether all of its leaves ask. `near` are those in the node and just beyond
    /// the cuts around it.
    fn subtree(&mut self, samples: &[&Sample], near: &[&Sample], depth: usize, way: Way) -> bool {
        let sums = sums(samples, self.weights, way);
        let split = if depth < MAX_DEPTH { self.best_split(samples, &sums, way) } else { None };
        let Some(split) = split else {
            let decision = decision(samples, &without_slow(sums, near));
            self.grown.0.push(Node::Leaf);
            self.grown.1.push(decision);
            return decision.is_none();
        };
        let at = self.grown.0.len();
        self.grown.0.push(Node::Leaf); // until it is known where to cut
        let (upper, lower): (Vec<&Sample>, Vec<&Sample>) =
            samples.iter().partition(|sample| sample.row[split.column] >= split.above);
        let way = behind(way, split.column, samples[0].features_ns.len());
        // As many samples of the other side as a leaf has at least are just beyond the cut.
        let (from, to) = (values(&lower, split.column), values(&upper, split.column));
        let (from, to) = (from[from.len() - self.min_leaf], to[self.min_leaf - 1]);
        let (mut near_lower, mut near_upper) = (near.to_vec(), near.to_vec());
        near_lower.retain(|sample| sample.row[split.column] <= to);
        near_upper.retain(|sample| sample.row[split.column] >= from);
        let below = self.subtree(&lower, &near_lower, depth + 1, way);
        let above = self.subtree(&upper, &near_upper, depth + 1, way);
        let (column, threshold) = (split.column as u16, split.threshold(below, above));
        self.grown.0[at] = Node::Split { column, threshold };
        below && above
    }

    /// Returns the split that gains most over the best single decision, if that is enough.
    fn best_split(&self, samples: &[&Sample], unsplit: &[f64], way: Way) -> Option<Split> {
        let mut best = (most(unsplit) + self.least_gain, None);
        let inputs = samples.first()?.features_ns.len();
        // Every cut between two neighbours of a column, by one pass over the sorted samples: a side is worth what its
        // best single decision is worth.
        for &column in self.columns {
            let mut sorted: Vec<&Sample> = samples.to_vec();
            sorted.sort_by(|a, b| a.row[column].total_cmp(&b.row[column])); // stable
            // Either side has to pay for the comparison and its feature.
            let way = behind(way, column, inputs);
            let sums = sums(samples, self.weights, way);
            let mut lower = vec![0.0; sums.len()];
            for (count, pair) in (1..).zip(sorted.windows(2)) {
                lower.iter_mut().zip(pair[0].worth(self.weights, way)).for_each(|(sum, own)| *sum += own);
                let (below, above) = (pair[0].row[column], pair[1].row[column]);
                if below == above || count < self.min_leaf || sorted.len() - count < self.min_leaf {
                    continue;
                }
                let upper = sums.iter().zip(&lower).map(|(all, lower)| all - lower);
                let achieved = most(&lower) + upper.fold(f64::NEG_INFINITY, f64::max);
                if achieved > best.0 {
                    best = (achieved, Some(Split { column, below, above }));
                }
            }
        }
        best.1
    }
}

/// Sums the worth of asking and of each choice over all samples.
fn sums(samples: &[&Sample], weights: &Weights, way: Way) -> Vec<f64> {
    let width = samples.first().map_or(1, |sample| 1 + sample.at_once.len());
    let mut sums = vec![0.0; width];
    samples.iter().for_each(|sample| {
        sums.iter_mut().zip(sample.worth(weights, way)).for_each(|(sum, own)| *sum += own)
    });
    sums
}

/// Returns the values of a column, ascending.
fn values(samples: &[&Sample], column: usize) -> Vec<f32> {
    let mut values: Vec<f32> = samples.iter().map(|sample| sample.row[column]).collect();
    values.sort_unstable_by(f32::total_cmp);
    values
}

/// Rules out the choices that are [`TOO_SLOW`] on one of these samples.
fn without_slow(mut sums: Vec<f64>, near: &[&Sample]) -> Vec<f64> {
    for sample in near {
        for (sum, (_, share)) in sums[1..].iter_mut().zip(&sample.at_once) {
            if share.is_some_and(|share| share < TOO_SLOW) {
                *sum = f64::NEG_INFINITY;
            }
        }
    }
    sums
}

fn most(sums: &[f64]) -> f64 {
    sums.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The best thing to do; of equals to ask.
fn decision(samples: &[&Sample], sums: &[f64]) -> Option<usize> {
    let best = sums.iter().position(|&sum| sum == most(sums))?;
    let choice = best.checked_sub(1)?;
    samples.first().map(|sample| sample.at_once[choice].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Below 10 choice 7 at once is better than to ask, above it is not.
    fn samples() -> Vec<Sample> {
        let sample = |input: usize| {
            let at_once = if input < 10 { 0.9 } else { 0.4 };
            Sample {
                input,
                row: vec![0.5, input as f32],
                weight: 1.0,
                asked: 0.6,
                refused: 0.5,
                at_once: vec![(3, Some(0.1)), (7, Some(at_once))],
                best_ns: f64::INFINITY,
                features_ns: vec![0.0; 2],
            }
        };
        (0..40).map(sample).collect()
    }

    #[test]
    fn it_finds_for_which_inputs_asking_is_not_worth_it() {
        let samples = samples();
        let (nodes, decisions) = grow(&samples.iter().collect::<Vec<_>>(), &[0, 1], &Weights::alike());
        assert_eq!((nodes.len(), &decisions[..]), (3, &[Some(7), None][..]));
        for sample in &samples {
            let (decision, _) = decide(&nodes, &decisions, sample);
            assert_eq!(decision, (sample.input < 10).then_some(7));
        }
        let between = Sample { row: vec![0.5, 9.5], ..self::samples().swap_remove(0) };
        assert_eq!(
            decide(&nodes, &decisions, &between),
            (None, Way { seen: 0b10, comparisons: 1 }),
            "what was never seen asks"
        );
    }

    /// Inputs below 6 by the first feature and below 30 by the second take choice 7; the second tells of more of them.
    #[test]
    fn short_calls_are_decided_by_one_comparison() {
        let in_both = |mut sample: Sample, best_ns: f64| {
            sample.row[0] = if sample.input < 6 { 0.0 } else { 1.0 };
            Sample { best_ns, ..sample }
        };
        let nodes = vec![
            Node::Split { column: 0, threshold: 0.5 },
            Node::Split { column: 1, threshold: 29.0 },
            Node::Leaf,
            Node::Leaf,
            Node::Split { column: 1, threshold: 29.0 },
            Node::Leaf,
            Node::Leaf,
        ];
        let decisions = vec![Some(7), None, Some(7), None];
        let behind = |best_ns| {
            let samples: Vec<Sample> = samples().into_iter().map(|own| in_both(own, best_ns)).collect();
            with_shortcut((nodes.clone(), decisions.clone()), &samples.iter().collect::<Vec<_>>())
        };
        let (found, decided) = behind(100.0);
        assert_eq!(found[..2], [Node::Split { column: 1, threshold: 29.0 }, Node::Leaf]);
        assert_eq!((&found[2..], &decided[..2]), (&nodes[..], &[Some(7), Some(7)][..]));
        assert_eq!(behind(1e6).0, nodes, "nanoseconds of a millisecond are nothing");
    }

    /// Below 20 by the second feature choice 7 is the best, but below 6, where choice 3 is better by so much.
    #[test]
    fn calls_end_at_the_first_comparison_unless_another_one_gains_more() {
        let leaves = |better: f64, best_ns: f64| {
            let of = |own: Sample| {
                let shares = match own.input {
                    0..6 => [0.9 + better, 0.9],
                    6..20 => [0.2, 0.9],
                    _ => [0.1, 0.1],
                };
                Sample { at_once: vec![(3, Some(shares[0])), (7, Some(shares[1]))], best_ns, ..own }
            };
            let samples: Vec<Sample> = samples().into_iter().map(of).collect();
            grow(&samples.iter().collect::<Vec<_>>(), &[1], &Weights::alike()).1
        };
        assert_eq!(leaves(0.1, 100.0), [Some(7), None]);
        assert_eq!(leaves(0.1, 1e6), [Some(3), Some(7), None], "nanoseconds of a millisecond are nothing");
    }

    /// A feature that takes longer than it saves is not looked at.
    #[test]
    fn a_feature_has_to_pay_for_itself() {
        let dear = |time_ns| -> Vec<Sample> {
            let dear = |own| Sample { best_ns: 1000.0, features_ns: vec![0.0, time_ns], ..own };
            samples().into_iter().map(dear).collect()
        };
        let leaves = |time_ns| {
            let samples = dear(time_ns);
            grow(&samples.iter().collect::<Vec<_>>(), &[0, 1], &Weights::alike()).1.len()
        };
        assert_eq!((leaves(10.0), leaves(2000.0)), (2, 1));
    }

    /// Inputs 10 to 29 gain by choice 7 at once. On the next ones it has this share, and elsewhere it may not run.
    fn beside(share: f64) -> Vec<Sample> {
        let of = |own: Sample| {
            let at_once = match own.input {
                10..30 => Some(0.9),
                9 | 30 => Some(share),
                _ => None,
            };
            Sample { at_once: vec![(7, at_once)], ..own }
        };
        samples().into_iter().map(of).collect()
    }

    #[test]
    fn what_is_many_times_slower_just_beyond_a_leaf_does_not_run_at_once() {
        let decided = |share| {
            let samples = beside(share);
            let (_, decisions) = grow(&samples.iter().collect::<Vec<_>>(), &[1], &Weights::alike());
            decisions.contains(&Some(7))
        };
        assert!(decided(0.2), "the leaf ends before it");
        assert!(!decided(0.01));
    }

    #[test]
    fn of_equals_it_asks() {
        let samples: Vec<Sample> =
            samples().into_iter().map(|own| Sample { at_once: vec![(3, Some(0.6))], ..own }).collect();
        assert_eq!(
            grow(&samples.iter().collect::<Vec<_>>(), &[1], &Weights::alike()),
            (vec![Node::Leaf], vec![None])
        );
    }
}
