//! The samples that a machine is trained on.

use crate::folds::sample;
use crate::learners::TrainingSet;
use crate::task::Sample;

/// Samples grouped by class, the most frequent class first, which is the order of the vote: so a tie goes to the
/// class that is best most often. Within a class samples keep the order they came in.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplesByClass {
    samples: Vec<Sample>,
    /// Class and end of the range of its samples.
    pub(super) classes: Vec<(usize, usize)>,
    /// The loss of choosing a class for a sample: one row a sample, one column a class; empty where every error is
    /// equally bad.
    losses: Vec<Vec<f64>>,
    /// The weight of each sample; empty where all count alike.
    certainties: Vec<f64>,
}

/// The pairs of eleven classes. Functions have rarely more, and up to here the number of samples alone counts.
const FEW_PAIRS: f64 = 55.0;
/// Bound on the effort of a machine that ships: 16,000 samples of eleven classes, 3,400 of fifty.
pub const FINAL_EFFORT: f64 = 2.6e8;
/// Bound on the effort of one of the hundreds of machines of a search: 1,500 samples of eleven classes, 320 of fifty.
pub const SEARCH_EFFORT: f64 = 2.3e6;

/// Samples on which an error costs nothing still say where a class lies.
const LEAST_WEIGHT: f64 = 0.01;

impl SamplesByClass {
    /// The samples of a training set, weighted by what an error loses or all alike. Where all of them would take more
    /// than `effort`, those of some inputs, which are drawn.
    pub fn of(set: &TrainingSet<'_>, by_regret: bool, effort: f64) -> Self {
        let samples = Self::new(set.task.samples(set.sources, set.inputs));
        let kept = (effort / samples.effort()).sqrt();
        if kept >= 1.0 {
            return samples.weighted(set, by_regret);
        }
        let inputs = sample(set.inputs.to_vec(), (kept * set.inputs.len() as f64) as usize, set.task.seed);
        let set = TrainingSet { inputs: &inputs, ..*set };
        Self::new(set.task.samples(set.sources, &inputs)).weighted(&set, by_regret)
    }

    /// Returns the square of the number of samples, times what tens of classes take more than a few: each is in a pair
    /// with every other one, and each pair is a machine.
    fn effort(&self) -> f64 {
        let classes = self.class_count();
        let pairs = classes * classes.saturating_sub(1) / 2;
        (self.samples.len() as f64).powi(2) * (pairs as f64 / FEW_PAIRS).max(1.0)
    }

    fn weighted(self, set: &TrainingSet<'_>, by_regret: bool) -> Self {
        if !by_regret {
            return self.with_certainties(set);
        }
        self.with_losses(|Sample { input, device, .. }, class| {
            let shares = set.task.performance.shares(set.sources[device], set.task.inputs[input])?;
            let weight = set.task.weight(set.sources[device], input);
            shares[class].map(|share| weight * (1.0 - share))
        })
    }

    /// Groups the samples.
    pub fn new(samples: impl IntoIterator<Item = Sample>) -> Self {
        let mut samples: Vec<Sample> = samples.into_iter().collect();
        let mut counts = vec![0_usize; samples.iter().map(|sample| sample.class + 1).max().unwrap_or(0)];
        samples.iter().for_each(|sample| counts[sample.class] += 1);
        samples.sort_by_key(|sample| (std::cmp::Reverse(counts[sample.class]), sample.class)); // stable
        let ends = (1..=samples.len())
            .filter(|&end| end == samples.len() || samples[end].class != samples[end - 1].class);
        let classes = ends.map(|end| (samples[end - 1].class, end)).collect();
        Self { samples, classes, losses: Vec::new(), certainties: Vec::new() }
    }

    /// Weights samples by how certain their class is, where some were measured under load.
    fn with_certainties(mut self, set: &TrainingSet<'_>) -> Self {
        let performance = &set.task.performance;
        if performance.has_doubts() {
            for own in &self.samples {
                let input = set.task.inputs[own.input];
                self.certainties.push(performance.certainty(set.sources[own.device], input));
            }
        }
        self
    }

    /// Weights each error by what it loses. `loss` tells it of a sample and a class, as a share of the best
    /// variant's speed; none where the class could not have been chosen.
    fn with_losses(mut self, loss: impl Fn(Sample, usize) -> Option<f64>) -> Self {
        let classes = self.samples.iter().map(|sample| sample.class + 1).max().unwrap_or(0);
        for &sample in &self.samples {
            self.losses.push((0..classes).map(|class| loss(sample, class).unwrap_or(0.0)).collect());
        }
        self
    }

    /// The weights of one pair's samples, 1 on average: what taking the other class of the pair loses, or how certain
    /// the own class is.
    pub(super) fn weights(&self, chosen: &[usize], pair: (usize, usize)) -> Option<Vec<f64>> {
        if self.losses.is_empty() && self.certainties.is_empty() {
            return None;
        }
        let (first, second) = (self.classes[pair.0].0, self.classes[pair.1].0);
        let mut weights = Vec::with_capacity(chosen.len());
        for &index in chosen {
            let other = if self.samples[index].class == first { second } else { first };
            let loss = self.losses.get(index).map_or(1.0, |losses| losses[other].max(LEAST_WEIGHT));
            weights.push(loss * self.certainties.get(index).copied().unwrap_or(1.0));
        }
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        Some(weights.into_iter().map(|weight| weight / mean).collect())
    }

    /// The samples, grouped by class.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Counts the classes that are best somewhere.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// Positions of a class's samples.
    pub(super) fn range(&self, class: usize) -> std::ops::Range<usize> {
        let start = if class == 0 { 0 } else { self.classes[class - 1].1 };
        start..self.classes[class].1
    }
}
