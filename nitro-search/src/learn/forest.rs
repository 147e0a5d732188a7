//! A forest of extremely randomised trees (Geurts, Ernst and Wehenkel 2006) that regresses one number. It estimates
//! what a source did not measure.
//!
//! It has few samples and many rows to predict. So no tree is kept: while it is grown, the rows are divided with
//! the samples.

use crate::random::Random;

/// The settings of growing trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forest {
    pub(super) trees: usize,
}

/// A row whose target is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) row: u32,
    pub(super) target: f32,
}

impl Forest {
    /// Returns what the trees say of every row in the mean.
    pub(super) fn predict(
        &self,
        columns: &[&[u16]],
        samples: &[Sample],
        rows: usize,
        random: &mut Random,
    ) -> Vec<f32> {
        let mut all: Vec<u32> = (0..rows as u32).collect();
        let mut samples = samples.to_vec();
        let mut grower = Grower { columns, random, sums: vec![0.0; rows] };
        (0..self.trees).for_each(|_| grower.subtree(&mut samples, &mut all));
        grower.sums.iter().map(|sum| sum / self.trees as f32).collect()
    }
}

struct Grower<'a> {
    columns: &'a [&'a [u16]],
    random: &'a mut Random,
    /// Row by row what the trees so far say.
    sums: Vec<f32>,
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
            rows.iter().for_each(|&row| self.sums[row as usize] += mean);
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
            let gain = explained(samples, column, threshold, total) - whole;
            if gain > best.as_ref().map_or(0.0, |best| best.gain) {
                best = Some(Split { column: number, threshold, gain });
            }
        }
        best
    }
}

/// Returns the variance that the means of the two sides explain, neither of which is empty.
fn explained(samples: &[Sample], column: &[u16], threshold: u16, total: f32) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0);
    for sample in samples {
        let lower = column[sample.row as usize] <= threshold;
        sum += if lower { sample.target } else { 0.0 };
        count += f32::from(u8::from(lower));
    }
    sum * sum / count + (total - sum) * (total - sum) / (samples.len() as f32 - count)
}

/// Brings what belongs to the lower side to the front; how many these are.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_found_and_what_was_seen_is_remembered() {
        let columns: [Vec<u16>; 2] = [(0..100).collect(), (0..100).map(|row| row * 37 % 101).collect()];
        let columns: Vec<&[u16]> = columns.iter().map(Vec::as_slice).collect();
        let target = |row: u32| if row < 50 { 1.0 } else { 3.0 };
        let samples: Vec<Sample> =
            (0..100).step_by(3).map(|row| Sample { row, target: target(row) }).collect();
        let predicted = Forest { trees: 16 }.predict(&columns, &samples, 100, &mut Random::new(1));
        let wrong = (0..100).filter(|&row| (predicted[row as usize] - target(row)).abs() > 0.5).count();
        assert!(wrong <= 6, "{wrong} of 100 rows are not near their target");
        assert!(samples.iter().all(|sample| predicted[sample.row as usize] == sample.target));
        assert_eq!(Forest { trees: 2 }.predict(&[], &samples[..1], 2, &mut Random::new(1)), [1.0, 1.0]);
    }
}
