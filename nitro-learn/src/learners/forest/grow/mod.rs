//! Growing one tree.

use nitro_core::model::{MAX_DEPTH, Node, Transform};
use nitro_stats::random::Random;

use crate::scaling::{origin_of, unless_zero};

/// The samples that trees are grown from: features column by column, targets row by row.
pub(super) struct Samples {
    pub(super) classes: usize,
    columns: Vec<Column>,
    /// One row a sample: the targets times what the sample counts (0 where absent), then what it counts (0 where
    /// absent).
    targets: Vec<f32>,
}

struct Column {
    /// Raw values less the origin, in the precision in which the run time compares them.
    values: Vec<f32>,
    /// The origin that the run time subtracts before it rounds.
    origin: f64,
    /// Thresholds are drawn on this scale, so that decades are as likely to be cut as any other range.
    transform: Transform,
}

/// Nodes in preorder and a row of means a leaf.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) values: Vec<f32>,
    /// The variance that the splits on each column explain.
    pub(super) gains: Vec<f64>,
}

impl Samples {
    pub(super) fn new(classes: usize) -> Self {
        Self { classes, columns: Vec::new(), targets: Vec::new() }
    }

    pub(super) fn push_targets(&mut self, row: impl Iterator<Item = Option<f32>> + Clone, weight: f32) {
        self.targets.extend(row.clone().map(|target| weight * target.unwrap_or(0.0)));
        self.targets.extend(row.map(|target| weight * f32::from(u8::from(target.is_some()))));
    }

    pub(super) fn push_column(&mut self, values: &[f64], transform: Transform) {
        let origin = origin_of(values);
        let values = values.iter().map(|&value| (value - origin) as f32).collect();
        self.columns.push(Column { values, origin, transform });
    }

    /// Returns the origin of each column; none where all are 0.
    pub(super) fn origins(&self) -> Vec<f64> {
        unless_zero(self.columns.iter().map(|column| column.origin).collect())
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Leaves out all columns but these, which ascend.
    pub(super) fn keep(&mut self, columns: &[usize]) {
        let mut index = 0..;
        self.columns.retain(|_| index.next().is_some_and(|index| columns.binary_search(&index).is_ok()));
    }

    fn len(&self) -> usize {
        self.targets.len() / (2 * self.classes).max(1)
    }

    fn row(&self, sample: u32) -> &[f32] {
        let width = 2 * self.classes;
        &self.targets[sample as usize * width..(sample as usize + 1) * width]
    }

    /// Sums of targets, then of counts.
    fn sums(&self, samples: &[u32]) -> Vec<f32> {
        let mut sums = vec![0.0; 2 * self.classes];
        samples.iter().for_each(|&sample| add(&mut sums, self.row(sample)));
        sums
    }
}

fn add(sums: &mut [f32], row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
}

/// Σ sum² / count: up to a constant of the node, the variance that means over these samples explain.
fn explained(sums: &[f32]) -> f64 {
    let (targets, counts) = sums.split_at(sums.len() / 2);
    let known = targets.iter().zip(counts);
    known
        .map(|(&sum, &count)| if count > 0.0 { f64::from(sum).powi(2) / f64::from(count) } else { 0.0 })
        .sum()
}

/// Grows a tree until leaves would have fewer than `min_leaf` samples or no split explains anything.
pub(super) fn grow(samples: &Samples, min_leaf: usize, random: Random) -> Tree {
    let tree = Tree { nodes: Vec::new(), values: Vec::new(), gains: vec![0.0; samples.columns()] };
    let mut grower = Grower { samples, min_leaf: min_leaf.max(1), random, tree };
    let mut all: Vec<u32> = (0..samples.len() as u32).collect();
    // A class that was nowhere admissible is none to recommend: it counts as losing everything.
    let unknown = vec![1.0; samples.classes];
    grower.subtree(&mut all, &unknown, 0);
    grower.tree
}

struct Grower<'a> {
    samples: &'a Samples,
    min_leaf: usize,
    random: Random,
    tree: Tree,
}

struct Split {
    column: usize,
    threshold: f32,
    gain: f64,
}

impl Grower<'_> {
    /// Adds the subtree of these samples. `inherited` are the means of the node above, for classes absent here.
    fn subtree(&mut self, samples: &mut [u32], inherited: &[f32], depth: usize) {
        let sums = self.samples.sums(samples);
        let (targets, counts) = sums.split_at(self.samples.classes);
        let means: Vec<f32> = (0..targets.len())
            .map(|at| if counts[at] > 0.0 { targets[at] / counts[at] } else { inherited[at] })
            .collect();
        let split = if depth < MAX_DEPTH { self.best_split(samples, &sums) } else { None };
        // Nodes are in preorder, so that the lower side of a split is the next node and leaves need no index.
        let Some(split) = split else {
            self.tree.nodes.push(Node::Leaf);
            self.tree.values.extend(means);
            return;
        };
        self.tree.gains[split.column] += split.gain;
        self.tree.nodes.push(Node::Split { column: split.column as u16, threshold: split.threshold });
        let (lower, upper) = self.divide(samples, &split);
        self.subtree(lower, &means, depth + 1);
        self.subtree(upper, &means, depth + 1);
    }

    /// One random threshold a column, and the best of these splits.
    fn best_split(&mut self, samples: &[u32], sums: &[f32]) -> Option<Split> {
        if samples.len() < 2 * self.min_leaf {
            return None;
        }
        // Every column is a candidate, and the one drawn threshold is all the randomness: K = number of columns in
        // Geurts, Ernst and Wehenkel (2006), table 1.
        let whole = explained(sums);
        let mut best: Option<Split> = None;
        for column in 0..self.samples.columns.len() {
            let Some(threshold) = self.draw(samples, column) else { continue };
            let gain = self.gain(samples, sums, column, threshold).map(|explained| explained - whole);
            // Below rounding all samples have the same targets.
            let least = best.as_ref().map_or(1e-6 * whole.max(1e-3), |best| best.gain);
            if let Some(gain) = gain.filter(|&gain| gain > least) {
                best = Some(Split { column, threshold, gain });
            }
        }
        best
    }

    /// A threshold between the extremes of a column; none where all values are the same.
    fn draw(&mut self, samples: &[u32], column: usize) -> Option<f32> {
        let Column { values, origin, transform } = &self.samples.columns[column];
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        for &sample in samples {
            let value = values[sample as usize];
            (low, high) = (low.min(value), high.max(value));
        }
        if low >= high {
            return None;
        }
        // Uniform on the scale of the feature, and rounded as the run time will round it.
        let [from, to] = [low, high].map(|end| transform.apply(origin + f64::from(end)));
        let drawn = (transform.undo(from + self.random.unit() * (to - from)) - origin) as f32;
        // The undone value may be a rounding away from the ends; something has to be above it.
        Some(if drawn >= low && drawn < high { drawn } else { low })
    }

    /// Returns what the two sides of a split explain; none where one has too few samples.
    fn gain(&self, samples: &[u32], sums: &[f32], column: usize, threshold: f32) -> Option<f64> {
        let values = &self.samples.columns[column].values;
        let mut lower = vec![0.0; sums.len()];
        let mut count = 0;
        for &sample in samples {
            if values[sample as usize] <= threshold {
                add(&mut lower, self.samples.row(sample));
                count += 1;
            }
        }
        if count < self.min_leaf || samples.len() - count < self.min_leaf {
            return None;
        }
        // The upper side is what the node has beside the lower one: one pass over the samples is enough.
        let upper: Vec<f32> = sums.iter().zip(&lower).map(|(all, lower)| all - lower).collect();
        Some(explained(&lower) + explained(&upper))
    }

    /// Brings the samples of the lower side to the front, in the order they came in.
    fn divide<'s>(&self, samples: &'s mut [u32], split: &Split) -> (&'s mut [u32], &'s mut [u32]) {
        let values = &self.samples.columns[split.column].values;
        samples.sort_by_key(|&sample| values[sample as usize] > split.threshold); // stable
        let count = samples.partition_point(|&sample| values[sample as usize] <= split.threshold);
        samples.split_at_mut(count)
    }
}

#[cfg(test)]
mod tests;
