//! Growing one tree.

use std::ops::Range;

use nitro_core::model::{MAX_DEPTH, Node, Transform};
use nitro_stats::random::Random;

use crate::scaling::{origin_of, unless_zero};

/// The samples that trees are grown from: features column by column, targets row by row.
///
/// A row holds the classes that are admissible there alone. Of tens of variants an input may have a handful, and a
/// split then costs by the handful.
pub(super) struct Samples {
    pub(super) classes: usize,
    columns: Vec<Column>,
    /// The end of each row in the two lists below.
    ends: Vec<u32>,
    /// The classes of a row, ascending.
    present: Vec<u16>,
    targets: Vec<Sum>,
}

/// Sum of targets, each times what its sample counts, and the sum of these counts.
type Sum = [f32; 2];

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
        Self { classes, columns: Vec::new(), ends: Vec::new(), present: Vec::new(), targets: Vec::new() }
    }

    pub(super) fn push_targets(&mut self, row: impl Iterator<Item = Option<f32>>, weight: f32) {
        for (class, target) in (0..).zip(row) {
            if let Some(target) = target {
                self.present.push(class);
                self.targets.push([weight * target, weight]);
            }
        }
        self.ends.push(self.present.len() as u32);
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
        self.ends.len()
    }

    /// Sums the rows of some samples.
    fn sums(&self, samples: &[u32]) -> Vec<Sum> {
        let mut sums = vec![[0.0; 2]; self.classes];
        self.add(&self.targets, &mut sums, samples);
        sums
    }

    /// Returns true if every class is admissible in every row.
    fn is_complete(&self) -> bool {
        self.present.len() == self.len() * self.classes
    }

    /// Returns where the row of a sample lies.
    fn row(&self, sample: u32) -> Range<usize> {
        let start = sample.checked_sub(1).map_or(0, |last| self.ends[last as usize] as usize);
        start..self.ends[sample as usize] as usize
    }

    /// Adds the rows of some samples, in their order; `targets` has the form of the samples' own.
    fn add(&self, targets: &[Sum], sums: &mut [Sum], samples: &[u32]) {
        for &sample in samples {
            let row = self.row(sample);
            let targets = &targets[row.clone()];
            if targets.len() == sums.len() {
                sums.iter_mut().zip(targets).for_each(|(sum, own)| *sum = [sum[0] + own[0], sum[1] + own[1]]);
                continue;
            }
            for (&class, own) in self.present[row].iter().zip(targets) {
                let sum = &mut sums[usize::from(class)];
                *sum = [sum[0] + own[0], sum[1] + own[1]];
            }
        }
    }
}

/// sum² / count: up to a constant of the node, what the mean of a class explains of its variance.
fn explained([sum, count]: Sum) -> f64 {
    if count > 0.0 { f64::from(sum).powi(2) / f64::from(count) } else { 0.0 }
}

/// Grows a tree that asks for these columns, until leaves would have fewer than `min_leaf` samples or no split explains
/// anything.
pub(super) fn grow(samples: &Samples, columns: Range<usize>, min_leaf: usize, seed: u64) -> Tree {
    let tree = Tree { nodes: Vec::new(), values: Vec::new(), gains: vec![0.0; samples.columns()] };
    let mut all: Vec<u32> = (0..samples.len() as u32).collect();
    let (lower, sums) = (all.clone(), vec![[0.0; 2]; samples.classes]);
    let centered = (!samples.is_complete()).then(|| samples.targets.clone());
    let mut grower = Grower { samples, centered, min_leaf: min_leaf.max(1), tree, lower, sums };
    // A class that was nowhere admissible is none to recommend: it counts as losing everything.
    let unknown = vec![1.0; samples.classes];
    let start = means(&samples.sums(&all), &unknown);
    grower.subtree(&mut all, &start, &columns.collect::<Vec<_>>(), Place { depth: 0, seed });
    grower.tree
}

/// Returns the mean of each class; where it is absent what is inherited.
fn means(sums: &[Sum], inherited: &[f32]) -> Vec<f32> {
    let both = sums.iter().zip(inherited);
    both.map(|(&[sum, count], &inherited)| if count > 0.0 { sum / count } else { inherited }).collect()
}

/// Number of times that levels of rows and means of classes are fitted to each other. A node begins with the means of
/// the node above, which are nearly its own.
const SWEEPS: usize = 4;
/// The rows that the mean of the node above stands for, where no row of a node has a class.
const SHRINKAGE: f32 = 10.0;

struct Grower<'a> {
    samples: &'a Samples,
    /// The targets less the level of their row, where rows lack classes.
    centered: Option<Vec<Sum>>,
    min_leaf: usize,
    tree: Tree,
    /// Room for the samples of one side of a split, and for their sums.
    lower: Vec<u32>,
    sums: Vec<Sum>,
}

/// The samples of a node with what every split of it needs.
struct NodeSums<'a> {
    samples: &'a [u32],
    sums: &'a [Sum],
    /// The classes that some sample has: the others explain nothing, and there may be tens of them.
    present: Vec<usize>,
}

struct Split {
    column: usize,
    threshold: f32,
    gain: f64,
}

/// The place of a node in its tree.
///
/// Each node has a seed of its own, and each column in it. With one stream for a tree, a split that differs would
/// change all that is drawn behind it, and so would times that were measured anew: of test inputs 3.5 instead of 2.0 %
/// then had another choice (`sort`), and 2.4 instead of 1.1 (`cuda_spmv`).
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    seed: u64,
}

impl Place {
    /// The place below, on side 0 or 1.
    fn below(self, side: u64) -> Self {
        // Columns count from the other end.
        Self { depth: self.depth + 1, seed: mixed(self.seed, !side) }
    }
}

/// Returns the seed of one of what a seed stands for.
fn mixed(seed: u64, index: u64) -> u64 {
    Random::new(seed ^ index.rotate_left(32)).next_u64()
}

impl Grower<'_> {
    /// Adds the subtree of these samples. `inherited` are the means of the node above, for classes absent here;
    /// `columns` are those that had several values there.
    fn subtree(&mut self, samples: &mut [u32], inherited: &[f32], columns: &[usize], place: Place) {
        let mut sums = self.samples.sums(samples);
        let means = match self.centered {
            None => means(&sums, inherited),
            Some(_) => self.center(samples, &mut sums, inherited),
        };
        let present = (0..sums.len()).filter(|&class| sums[class][1] > 0.0).collect();
        let node = NodeSums { samples, sums: &sums, present };
        let (split, columns) = if place.depth < MAX_DEPTH {
            self.best_split(&node, columns, place.seed)
        } else {
            (None, Vec::new())
        };
        // Nodes are in preorder, so that the lower side of a split is the next node and leaves need no index.
        let Some(split) = split else {
            self.tree.nodes.push(Node::Leaf);
            // With levels of rows, only differences between classes say anything. The best has no loss, so that what
            // the others lose is not cut off where a model keeps it in a byte.
            let best = means.iter().copied().fold(f32::INFINITY, f32::min);
            let best = if self.centered.is_some() { best } else { 0.0 };
            self.tree.values.extend(means.iter().map(|mean| mean - best));
            return;
        };
        self.tree.gains[split.column] += split.gain;
        self.tree.nodes.push(Node::Split { column: split.column as u16, threshold: split.threshold });
        let (lower, upper) = self.divide(samples, &split);
        self.subtree(lower, &means, &columns, place.below(0));
        self.subtree(upper, &means, &columns, place.below(1));
    }

    /// Fits `target = level of the row + mean of the class` to the samples of a node by least squares. Returns the
    /// means, and leaves the targets less the levels, with their sums.
    ///
    /// Which classes a row has is no accident: a database may list the four fastest only. A mean over what happens to
    /// be listed would compare classes over different rows, the fast ones over rows where all are fast.
    fn center(&mut self, samples: &[u32], sums: &mut [Sum], inherited: &[f32]) -> Vec<f32> {
        let own = self.samples;
        let centered = self.centered.as_mut().expect("the caller has looked");
        let mut fitted = inherited.to_vec();
        // A row counts the same for all its classes.
        let weight =
            |sample: &u32| own.targets.get(own.row(*sample).start).map_or(0.0, |[_, weight]| *weight);
        let whole: f32 = samples.iter().map(weight).sum();
        for _ in 0..SWEEPS {
            sums.iter_mut().for_each(|sum| sum[0] = 0.0);
            for &sample in samples {
                let row = own.row(sample);
                let (targets, classes) = (&own.targets[row.clone()], &own.present[row.clone()]);
                let (mut above, mut count) = (0.0, 0.0);
                for (&[target, weight], &class) in targets.iter().zip(classes) {
                    above += target - weight * fitted[usize::from(class)];
                    count += weight;
                }
                let level = if count > 0.0 { above / count } else { 0.0 };
                for ((&[target, weight], &class), out) in targets.iter().zip(classes).zip(&mut centered[row])
                {
                    *out = [target - weight * level, weight];
                    sums[usize::from(class)][0] += out[0];
                }
            }
            // What few of the rows have is drawn to the node above; what all have is not.
            for ((own, above), &[sum, count]) in fitted.iter_mut().zip(inherited).zip(&*sums) {
                let drawn = SHRINKAGE * (1.0 - count / whole);
                if count > 0.0 {
                    *own = (sum + drawn * above) / (count + drawn);
                }
            }
        }
        fitted
    }

    /// One random threshold a column, and the best of these splits; with it the columns that have several values.
    fn best_split(
        &mut self,
        node: &NodeSums<'_>,
        columns: &[usize],
        seed: u64,
    ) -> (Option<Split>, Vec<usize>) {
        if node.samples.len() < 2 * self.min_leaf {
            return (None, Vec::new());
        }
        // Every column is a candidate, and the one drawn threshold is all the randomness: K = number of columns in
        // Geurts, Ernst and Wehenkel (2006), table 1.
        let whole: f64 = node.present.iter().map(|&class| explained(node.sums[class])).sum();
        let mut best: Option<Split> = None;
        let mut varying = Vec::with_capacity(columns.len());
        for &column in columns {
            // Below a node that knows one value of a column all know that one.
            let Some(threshold) = self.draw(node.samples, column, seed) else { continue };
            varying.push(column);
            let gain = self.explained_by(node, column, threshold).map(|explained| explained - whole);
            // Below rounding all samples have the same targets.
            let least = best.as_ref().map_or(1e-6 * whole.max(1e-3), |best| best.gain);
            if let Some(gain) = gain.filter(|&gain| gain > least) {
                best = Some(Split { column, threshold, gain });
            }
        }
        (best, varying)
    }

    /// A threshold between the extremes of a column; none where all values are the same.
    fn draw(&self, samples: &[u32], column: usize, seed: u64) -> Option<f32> {
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
        let unit = Random::new(mixed(seed, column as u64)).unit();
        let [from, to] = [low, high].map(|end| transform.apply(origin + f64::from(end)));
        let drawn = (transform.undo(from + unit * (to - from)) - origin) as f32;
        // The undone value may be a rounding away from the ends; something has to be above it.
        Some(if drawn >= low && drawn < high { drawn } else { low })
    }

    /// Returns what the two sides of a split explain; none where one has too few samples.
    fn explained_by(&mut self, node: &NodeSums<'_>, column: usize, threshold: f32) -> Option<f64> {
        let count = self.collect_lower(node.samples, column, threshold);
        if count < self.min_leaf || node.samples.len() - count < self.min_leaf {
            return None;
        }
        node.present.iter().for_each(|&class| self.sums[class] = [0.0; 2]);
        let targets = self.centered.as_deref().unwrap_or(&self.samples.targets);
        self.samples.add(targets, &mut self.sums, &self.lower[..count]);
        // The upper side is what the node has beside the lower one: one pass over the samples is enough.
        let (mut lower_side, mut upper_side) = (0.0, 0.0);
        for &class in &node.present {
            let (all, lower) = (node.sums[class], self.sums[class]);
            lower_side += explained(lower);
            upper_side += explained([all[0] - lower[0], all[1] - lower[1]]);
        }
        Some(lower_side + upper_side)
    }

    /// Puts the samples of the lower side of a split into [`Self::lower`], in their order, and counts them.
    fn collect_lower(&mut self, samples: &[u32], column: usize, threshold: f32) -> usize {
        let values = &self.samples.columns[column].values;
        let mut count = 0;
        // Without a branch, since no processor could predict it.
        for &sample in samples {
            self.lower[count] = sample;
            count += usize::from(values[sample as usize] <= threshold);
        }
        count
    }

    /// Brings the samples of the lower side to the front; both sides keep the order they came in.
    fn divide<'s>(&mut self, samples: &'s mut [u32], split: &Split) -> (&'s mut [u32], &'s mut [u32]) {
        let count = self.collect_lower(samples, split.column, split.threshold);
        let values = &self.samples.columns[split.column].values;
        let mut end = samples.len();
        for at in (0..samples.len()).rev() {
            if values[samples[at] as usize] > split.threshold {
                end -= 1;
                samples[end] = samples[at];
            }
        }
        samples[..count].copy_from_slice(&self.lower[..count]);
        samples.split_at_mut(count)
    }
}

#[cfg(test)]
mod tests;
