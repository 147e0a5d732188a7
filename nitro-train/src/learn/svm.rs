//! C-SVC for several classes: one two-class machine a pair of classes, and a vote, as LIBSVM does it.

use nitro_core::model::{Class, Svm};
use rayon::prelude::*;

use super::smo::{BinaryProblem, BinarySolution, BinarySolver, Stop};
use super::space::{DeviceSpace, InputSpace, Sample, SampleKernel};

/// γ of the RBF kernel and C, the price of a violated margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hyperparameters {
    /// C.
    pub cost: f64,
    /// γ.
    pub gamma: f64,
}

/// A trained machine over the samples of a [`TrainingSet`].
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The variant of each class in the order of the vote: of two with the same votes the earlier one wins.
    pub classes: Vec<usize>,
    /// One a pair of classes: (0,1), (0,2), …, (1,2), ….
    pub duels: Vec<Duel>,
}

/// A two-class machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Duel {
    /// Support vectors (positions in the training set) with their `y α`.
    pub support: Vec<(usize, f64)>,
    /// Subtracted from the sum; above 0 the first class of the pair wins.
    pub rho: f64,
    /// Whether the solver reached its tolerance.
    pub converged: bool,
}

/// Samples grouped by class, the most frequent class first, which is the order of the vote: so a tie goes to the
/// variant that is best most often. Within a class samples keep the order they came in.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingSet {
    samples: Vec<Sample>,
    /// Variant and end of the range of its samples.
    classes: Vec<(usize, usize)>,
    /// What choosing a variant for a sample loses: one row a sample, one column a variant; empty where every error is equally bad.
    losses: Vec<Vec<f64>>,
}

/// Samples on which an error costs nothing still say where a class lies.
const LEAST_WEIGHT: f64 = 0.01;

impl TrainingSet {
    /// Groups the samples.
    pub fn new(samples: impl IntoIterator<Item = Sample>) -> Self {
        let mut samples: Vec<Sample> = samples.into_iter().collect();
        let mut counts = vec![0_usize; samples.iter().map(|sample| sample.variant + 1).max().unwrap_or(0)];
        samples.iter().for_each(|sample| counts[sample.variant] += 1);
        let place = |variant: usize| (std::cmp::Reverse(counts[variant]), variant);
        samples.sort_by_key(|sample| place(sample.variant)); // stable
        let ends = (1..=samples.len())
            .filter(|&end| end == samples.len() || samples[end].variant != samples[end - 1].variant);
        let classes = ends.map(|end| (samples[end - 1].variant, end)).collect();
        Self { samples, classes, losses: Vec::new() }
    }

    /// Weights each error by what it loses. `loss` tells it of a sample and a variant, as a share of the best variant's speed; none where the
    /// variant could not have been chosen.
    pub fn with_losses(mut self, loss: impl Fn(Sample, usize) -> Option<f64>) -> Self {
        let variants = self.samples.iter().map(|sample| sample.variant + 1).max().unwrap_or(0);
        let row =
            |&sample: &Sample| (0..variants).map(|variant| loss(sample, variant).unwrap_or(0.0)).collect();
        self.losses = self.samples.iter().map(row).collect();
        self
    }

    /// The weights of one pair's samples, 1 on average: what taking the other variant of the pair loses.
    fn weights(&self, chosen: &[usize], pair: (usize, usize)) -> Option<Vec<f64>> {
        if self.losses.is_empty() {
            return None;
        }
        let (first, second) = (self.classes[pair.0].0, self.classes[pair.1].0);
        let weight = |&index: &usize| {
            let other = if self.samples[index].variant == first { second } else { first };
            self.losses[index][other].max(LEAST_WEIGHT)
        };
        let weights: Vec<f64> = chosen.iter().map(weight).collect();
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        Some(weights.into_iter().map(|weight| weight / mean).collect())
    }

    /// The samples, grouped by class.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// How many variants are best somewhere.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    fn range(&self, class: usize) -> std::ops::Range<usize> {
        let start = if class == 0 { 0 } else { self.classes[class - 1].1 };
        start..self.classes[class].1
    }

    /// Trains one machine for each of several ascending C.
    pub fn train(
        &self,
        solver: &dyn BinarySolver,
        stop: Stop,
        inputs: &InputSpace,
        devices: &DeviceSpace,
        gamma: f64,
        costs: &[f64],
    ) -> Vec<Machine> {
        let all: Vec<(usize, usize)> = pairs(self.class_count()).collect();
        let train_pair = |&(first, second): &(usize, usize)| {
            let chosen: Vec<usize> = self.range(first).chain(self.range(second)).collect();
            let samples: Vec<Sample> = chosen.iter().map(|&index| self.samples[index]).collect();
            let positive: Vec<bool> = (0..chosen.len()).map(|at| at < self.range(first).len()).collect();
            let kernel = SampleKernel::new(&samples, inputs, devices, gamma);
            let weights = self.weights(&chosen, (first, second));
            let weights = weights.as_deref();
            let problem = BinaryProblem { kernel: &kernel, positive: &positive, weights, stop };
            let solutions = solver.solve_path(problem, costs);
            solutions.iter().map(|solution| duel(&chosen, &positive, solution)).collect::<Vec<Duel>>()
        };
        let paths: Vec<Vec<Duel>> = all.par_iter().map(train_pair).collect();
        let classes: Vec<usize> = self.classes.iter().map(|&(variant, _)| variant).collect();
        let machine = |at: usize| Machine {
            classes: classes.clone(),
            duels: paths.iter().map(|path| path[at].clone()).collect(),
        };
        (0..costs.len()).map(machine).collect()
    }
}

impl Machine {
    /// The machine as the run time reads it.
    pub fn to_svm(&self, set: &TrainingSet, inputs: &InputSpace, devices: &DeviceSpace, gamma: f64) -> Svm {
        let mut is_support = vec![false; set.samples.len()];
        self.duels.iter().flat_map(|duel| &duel.support).for_each(|&(index, _)| is_support[index] = true);
        let support: Vec<usize> = (0..set.samples.len()).filter(|&index| is_support[index]).collect();
        let class = |(at, &variant): (usize, &usize)| Class {
            variant,
            support: set.range(at).filter(|&index| is_support[index]).count(),
        };
        Svm {
            gamma,
            scaling: [inputs.scaling(), devices.scaling()].concat(),
            classes: self.classes.iter().enumerate().map(class).collect(),
            vectors: support.iter().flat_map(|&index| vector(set.samples[index], inputs, devices)).collect(),
            coefficients: self.coefficients(set, &support),
            rho: self.duels.iter().map(|duel| duel.rho).collect(),
        }
    }

    /// LIBSVM's `sv_coef`: a support vector's coefficient against class `c` stands in row `c`, or `c - 1` if its own class
    /// comes before `c`.
    fn coefficients(&self, set: &TrainingSet, support: &[usize]) -> Vec<f64> {
        let mut column = vec![0; set.samples.len()];
        support.iter().enumerate().for_each(|(at, &index)| column[index] = at);
        let mut coefficients = vec![0.0; self.classes.len().saturating_sub(1) * support.len()];
        for ((first, second), duel) in pairs(self.classes.len()).zip(&self.duels) {
            for &(index, coefficient) in &duel.support {
                let row = if set.range(first).contains(&index) { second - 1 } else { first };
                coefficients[row * support.len() + column[index]] = coefficient;
            }
        }
        coefficients
    }

    /// For one training input: each duel's sum, split by the device of the support vector (duels × devices). Joined
    /// with the kernel between a device and the sources this gives the decision values on that device, whatever the
    /// device features are, so machines that several subsets share are evaluated once for all of them.
    pub fn partial_sums(&self, set: &TrainingSet, kernel_row: &[f32], devices: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.duels.len() * devices];
        for (duel, sums) in self.duels.iter().zip(sums.chunks_mut(devices.max(1))) {
            for &(index, coefficient) in &duel.support {
                let sample = set.samples[index];
                sums[sample.device] += coefficient * f64::from(kernel_row[sample.input]);
            }
        }
        sums
    }

    /// The variants from most votes to fewest, from [`partial_sums`](Self::partial_sums) and the kernel between the
    /// device and the sources.
    pub fn ranking(&self, partial_sums: &[f64], device_kernel: &[f64]) -> Vec<usize> {
        let mut votes = vec![0_u32; self.classes.len()];
        let sums = partial_sums.chunks(device_kernel.len().max(1));
        for (((first, second), duel), sums) in pairs(self.classes.len()).zip(&self.duels).zip(sums) {
            let decision: f64 = sums.iter().zip(device_kernel).map(|(sum, kernel)| sum * kernel).sum();
            votes[if decision > duel.rho { first } else { second }] += 1;
        }
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        order.sort_by_key(|&class| std::cmp::Reverse(votes[class])); // stable
        order.into_iter().map(|class| self.classes[class]).collect()
    }

    /// Whether every duel reached the solver's tolerance.
    pub fn converged(&self) -> bool {
        self.duels.iter().all(|duel| duel.converged)
    }
}

fn duel(chosen: &[usize], positive: &[bool], solution: &BinarySolution) -> Duel {
    let signed = |(at, &alpha): (usize, &f64)| (chosen[at], if positive[at] { alpha } else { -alpha });
    let support = solution.alpha.iter().enumerate().filter(|(_, alpha)| **alpha > 0.0).map(signed).collect();
    Duel { support, rho: solution.rho, converged: solution.converged }
}

/// A sample's scaled features: those of the input, then those of the device.
fn vector(sample: Sample, inputs: &InputSpace, devices: &DeviceSpace) -> Vec<f64> {
    [inputs.row(sample.input), devices.row(sample.device)].concat()
}

/// All pairs of classes in LIBSVM's order.
fn pairs(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |first| (first + 1..classes).map(move |second| (first, second)))
}

#[cfg(test)]
mod tests;
