//! Growing the tree of a gate: at each node the split after which the best thing to do on either side costs least.

use nitro_core::model::Node;

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

/// One input on one device.
pub(super) struct Sample {
    pub(super) input: usize,
    /// Input features, then device features, as the run time compares them.
    pub(super) row: Vec<f32>,
    /// The weight of the sample.
    pub(super) weight: f64,
    /// Net share of speed where the selector is asked.
    pub(super) asked: f64,
    /// Net share of speed where a choice runs at once.
    pub(super) at_once: Vec<(usize, f64)>,
}

impl Sample {
    /// Returns the share of a decision.
    pub(super) fn share(&self, decision: Option<usize>) -> f64 {
        let own = self.at_once.iter().find(|(choice, _)| Some(*choice) == decision);
        own.map_or(self.asked, |(_, share)| *share)
    }

    /// Returns the worth of asking and of each choice; what a choice at once loses counts [`CAUTION`] times.
    fn worth(&self, weights: &Weights) -> impl Iterator<Item = f64> {
        let asked = weights.worth(self.asked, self.weight);
        std::iter::once(asked).chain(self.at_once.iter().map(move |(_, share)| {
            let gain = weights.worth(*share, self.weight) - asked;
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
    grower.subtree(samples, 0);
    grower.grown
}

/// Returns the decision of the leaf where a row ends.
pub(super) fn decide(nodes: &[Node], decisions: &[Option<usize>], row: &[f32]) -> Option<usize> {
    let (mut node, mut leaf, mut skipped) = (0, 0, 0_usize);
    loop {
        match nodes[node] {
            Node::Leaf if skipped == 0 => return decisions[leaf],
            Node::Leaf => {
                skipped -= 1;
                leaf += 1;
            }
            Node::Split { .. } if skipped > 0 => skipped += 1,
            Node::Split { column, threshold } => skipped = usize::from(row[usize::from(column)] > threshold),
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
    /// Adds the subtree of these samples; whether all of its leaves ask.
    fn subtree(&mut self, samples: &[&Sample], depth: usize) -> bool {
        let sums = sums(samples, self.weights);
        let split = if depth < MAX_DEPTH { self.best_split(samples, &sums) } else { None };
        let Some(split) = split else {
            let decision = decision(samples, &sums);
            self.grown.0.push(Node::Leaf);
            self.grown.1.push(decision);
            return decision.is_none();
        };
        let at = self.grown.0.len();
        self.grown.0.push(Node::Leaf); // until it is known where to cut
        let (upper, lower): (Vec<&Sample>, Vec<&Sample>) =
            samples.iter().partition(|sample| sample.row[split.column] >= split.above);
        let (below, above) = (self.subtree(&lower, depth + 1), self.subtree(&upper, depth + 1));
        let (column, threshold) = (split.column as u16, split.threshold(below, above));
        self.grown.0[at] = Node::Split { column, threshold };
        below && above
    }

    fn best_split(&self, samples: &[&Sample], sums: &[f64]) -> Option<Split> {
        let mut best = (most(sums) + self.least_gain, None);
        // Every cut between two neighbours of a column, by one pass over the sorted samples: a side is worth what its
        // best single decision is worth.
        for &column in self.columns {
            let mut sorted: Vec<&Sample> = samples.to_vec();
            sorted.sort_by(|a, b| a.row[column].total_cmp(&b.row[column])); // stable
            let mut lower = vec![0.0; sums.len()];
            for (count, pair) in (1..).zip(sorted.windows(2)) {
                lower.iter_mut().zip(pair[0].worth(self.weights)).for_each(|(sum, own)| *sum += own);
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
fn sums(samples: &[&Sample], weights: &Weights) -> Vec<f64> {
    let width = samples.first().map_or(1, |sample| 1 + sample.at_once.len());
    let mut sums = vec![0.0; width];
    samples
        .iter()
        .for_each(|sample| sums.iter_mut().zip(sample.worth(weights)).for_each(|(sum, own)| *sum += own));
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
                at_once: vec![(3, 0.1), (7, at_once)],
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
            let decision = decide(&nodes, &decisions, &sample.row);
            assert_eq!(decision, (sample.input < 10).then_some(7));
        }
        assert_eq!(decide(&nodes, &decisions, &[0.5, 9.5]), None, "what was never seen asks");
    }

    #[test]
    fn of_equals_it_asks() {
        let samples: Vec<Sample> =
            samples().into_iter().map(|own| Sample { at_once: vec![(3, 0.6)], ..own }).collect();
        assert_eq!(
            grow(&samples.iter().collect::<Vec<_>>(), &[1], &Weights::alike()),
            (vec![Node::Leaf], vec![None])
        );
    }
}
