//! A forest of extremely randomised trees (Geurts, Ernst and Wehenkel 2006) that regresses one number, made for being grown anew every few evaluations: it
//! has few samples, and many rows to predict. So no tree is kept: while it is grown, the rows to predict are divided with the samples.

use crate::random::Random;

/// How trees are grown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forest {
    pub(crate) trees: usize,
    /// Least number of samples in a leaf.
    pub(crate) min_leaf: usize,
}

/// A row whose target is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) row: u32,
    pub(crate) target: f32,
}

/// What the trees say of every row.
#[derive(Clone, Debug)]
pub(crate) struct Prediction {
    pub(crate) mean: Vec<f32>,
    /// Standard deviation between the trees.
    pub(crate) deviation: Vec<f32>,
}

impl Forest {
    /// Predictions for all rows of the columns.
    pub(crate) fn predict(&self, columns: &[&[u16]], samples: &[Sample], random: &mut Random) -> Prediction {
        let rows = columns.first().map_or(0, |column| column.len());
        let mut all: Vec<u32> = (0..rows as u32).collect();
        let mut samples = samples.to_vec();
        let mut grower = Grower {
            columns,
            random,
            min_leaf: self.min_leaf.max(1),
            sum: vec![0.0; rows],
            square: vec![0.0; rows],
        };
        for _ in 0..self.trees {
            grower.subtree(&mut samples, &mut all);
        }
        let count = self.trees as f32;
        let mean: Vec<f32> = grower.sum.iter().map(|sum| sum / count).collect();
        let variance = grower.square.iter().zip(&mean).map(|(square, mean)| square / count - mean * mean);
        let deviation = variance.map(|variance| variance.max(0.0).sqrt()).collect();
        Prediction { mean, deviation }
    }
}

struct Grower<'a> {
    columns: &'a [&'a [u16]],
    random: &'a mut Random,
    min_leaf: usize,
    sum: Vec<f32>,
    square: Vec<f32>,
}

struct Split {
    column: usize,
    threshold: u16,
    gain: f32,
}

impl Grower<'_> {
    fn subtree(&mut self, samples: &mut [Sample], rows: &mut [u32]) {
        if rows.is_empty() {
            return;
        }
        let Some(split) = self.best_split(samples) else {
            let mean = samples.iter().map(|sample| sample.target).sum::<f32>() / samples.len().max(1) as f32;
            for &row in &*rows {
                self.sum[row as usize] += mean;
                self.square[row as usize] += mean * mean;
            }
            return;
        };
        let column = self.columns[split.column];
        let middle = partition(samples, |sample| column[sample.row as usize] <= split.threshold);
        let (lower, upper) = samples.split_at_mut(middle);
        let middle = partition(rows, |row| column[*row as usize] <= split.threshold);
        let (lower_rows, upper_rows) = rows.split_at_mut(middle);
        self.subtree(lower, lower_rows);
        self.subtree(upper, upper_rows);
    }

    /// One random threshold a column, and of these splits the one that explains most.
    fn best_split(&mut self, samples: &[Sample]) -> Option<Split> {
        if samples.len() < 2 * self.min_leaf {
            return None;
        }
        let total: f32 = samples.iter().map(|sample| sample.target).sum();
        let whole = total * total / samples.len() as f32;
        let mut best: Option<Split> = None;
        for (number, column) in self.columns.iter().enumerate() {
            let values = samples.iter().map(|sample| column[sample.row as usize]);
            let (low, high) =
                values.fold((u16::MAX, 0), |(low, high), value| (low.min(value), high.max(value)));
            if low >= high {
                continue;
            }
            let threshold = low + self.random.below(usize::from(high - low)) as u16;
            let least = best.as_ref().map_or(0.0, |best| best.gain);
            let gain =
                gain(samples, column, threshold, total, self.min_leaf).map(|explained| explained - whole);
            if let Some(gain) = gain.filter(|&gain| gain > least) {
                best = Some(Split { column: number, threshold, gain });
            }
        }
        best
    }
}

/// What the means of the two sides explain; none where one has too few samples.
fn gain(samples: &[Sample], column: &[u16], threshold: u16, total: f32, min_leaf: usize) -> Option<f32> {
    let (mut sum, mut count) = (0.0, 0);
    for sample in samples {
        let lower = column[sample.row as usize] <= threshold;
        sum += if lower { sample.target } else { 0.0 };
        count += usize::from(lower);
    }
    let above = samples.len() - count;
    let explained = sum * sum / count as f32 + (total - sum) * (total - sum) / above as f32;
    (count >= min_leaf && above >= min_leaf).then_some(explained)
}

/// Brings what belongs to the lower side to the front; how many these are. In place, and the same order for the same input.
fn partition<T>(items: &mut [T], lower: impl Fn(&T) -> bool) -> usize {
    let mut count = 0;
    for at in 0..items.len() {
        if lower(&items[at]) {
            items.swap(at, count);
            count += 1;
        }
    }
    count
}
