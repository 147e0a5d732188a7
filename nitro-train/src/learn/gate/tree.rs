//! Growing the tree of a gate: at each node the split after which the best thing to do on either side costs least.

use nitro_core::model::Node;

/// The most comparisons from root to leaf.
const MAX_DEPTH: usize = 5;
/// The least share of all samples in a leaf, and the least number.
const MIN_LEAF: (f64, usize) = (0.01, 5);
/// A split has to gain so much of the best choice's speed on each sample, in the mean over all.
const LEAST_GAIN: f64 = 2e-4;

/// One input on one device.
pub(super) struct Sample {
    pub(super) input: usize,
    /// Input features, then device features, as the run time compares them.
    pub(super) row: Vec<f32>,
    /// Net share of speed where the selector is asked.
    pub(super) asked: f64,
    /// Net share of speed where a choice runs at once.
    pub(super) at_once: Vec<(usize, f64)>,
}

impl Sample {
    /// What a decision achieves.
    pub(super) fn share(&self, decision: Option<usize>) -> f64 {
        let own = self.at_once.iter().find(|(choice, _)| Some(*choice) == decision);
        own.map_or(self.asked, |(_, share)| *share)
    }

    /// What asking and each choice achieve.
    fn shares(&self) -> impl Iterator<Item = f64> {
        std::iter::once(self.asked).chain(self.at_once.iter().map(|(_, share)| *share))
    }
}

/// Nodes in preorder, and what is decided at each leaf.
pub(super) type Grown = (Vec<Node>, Vec<Option<usize>>);

/// Grows a tree that looks at these columns.
pub(super) fn grow(samples: &[&Sample], columns: &[usize]) -> Grown {
    let min_leaf = ((MIN_LEAF.0 * samples.len() as f64) as usize).max(MIN_LEAF.1);
    let grown = (Vec::new(), Vec::new());
    let mut grower = Grower { columns, min_leaf, least_gain: LEAST_GAIN * samples.len() as f64, grown };
    grower.subtree(samples, 0);
    grower.grown
}

/// Where a row ends.
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
    min_leaf: usize,
    least_gain: f64,
    grown: Grown,
}

impl Grower<'_> {
    fn subtree(&mut self, samples: &[&Sample], depth: usize) {
        let sums = sums(samples);
        let split = if depth < MAX_DEPTH { self.best_split(samples, &sums) } else { None };
        let Some((column, threshold)) = split else {
            self.grown.0.push(Node::Leaf);
            self.grown.1.push(decision(samples, &sums));
            return;
        };
        self.grown.0.push(Node::Split { column: column as u16, threshold });
        let (upper, lower): (Vec<&Sample>, Vec<&Sample>) =
            samples.iter().partition(|sample| sample.row[column] > threshold);
        self.subtree(&lower, depth + 1);
        self.subtree(&upper, depth + 1);
    }

    fn best_split(&self, samples: &[&Sample], sums: &[f64]) -> Option<(usize, f32)> {
        let mut best = (most(sums) + self.least_gain, None);
        for &column in self.columns {
            let mut sorted: Vec<&Sample> = samples.to_vec();
            sorted.sort_by(|a, b| a.row[column].total_cmp(&b.row[column])); // stable
            let mut lower = vec![0.0; sums.len()];
            for (count, pair) in (1..).zip(sorted.windows(2)) {
                lower.iter_mut().zip(pair[0].shares()).for_each(|(sum, share)| *sum += share);
                let (below, above) = (pair[0].row[column], pair[1].row[column]);
                if below == above || count < self.min_leaf || sorted.len() - count < self.min_leaf {
                    continue;
                }
                let upper = sums.iter().zip(&lower).map(|(all, lower)| all - lower);
                let achieved = most(&lower) + upper.fold(f64::NEG_INFINITY, f64::max);
                if achieved > best.0 {
                    best = (achieved, Some((column, between(below, above))));
                }
            }
        }
        best.1
    }
}

/// A number that is not below `below` and is below `above`.
fn between(below: f32, above: f32) -> f32 {
    let middle = below + (above - below) / 2.0;
    if middle < above { middle } else { below }
}

/// What asking and each choice achieve on all samples together.
fn sums(samples: &[&Sample]) -> Vec<f64> {
    let width = samples.first().map_or(1, |sample| 1 + sample.at_once.len());
    let mut sums = vec![0.0; width];
    samples.iter().for_each(|sample| sums.iter_mut().zip(sample.shares()).for_each(|(sum, own)| *sum += own));
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
            Sample { input, row: vec![0.5, input as f32], asked: 0.6, at_once: vec![(3, 0.1), (7, at_once)] }
        };
        (0..40).map(sample).collect()
    }

    #[test]
    fn it_finds_for_which_inputs_asking_is_not_worth_it() {
        let samples = samples();
        let (nodes, decisions) = grow(&samples.iter().collect::<Vec<_>>(), &[0, 1]);
        assert_eq!((nodes.len(), &decisions[..]), (3, &[Some(7), None][..]));
        for sample in &samples {
            let decision = decide(&nodes, &decisions, &sample.row);
            assert_eq!(decision, (sample.input < 10).then_some(7));
        }
    }

    #[test]
    fn of_equals_it_asks() {
        let samples: Vec<Sample> =
            samples().into_iter().map(|own| Sample { at_once: vec![(3, 0.6)], ..own }).collect();
        assert_eq!(grow(&samples.iter().collect::<Vec<_>>(), &[1]), (vec![Node::Leaf], vec![None]));
    }
}
