//! C-SVC for several classes: one two-class machine a pair of classes, and a vote, as LIBSVM does it.

use nitro_core::model::{Class, Svm};
use rayon::prelude::*;

use super::kernel::SampleKernel;
use super::samples::SamplesByClass;
use super::smo::{BinaryProblem, BinarySolution, BinarySolver, Stop};
use crate::learners::Hyperparameters;
use crate::space::{DeviceSpace, InputKernel, InputSpace};
use crate::task::Sample;

/// γ of the RBF kernel and C, the price of a violated margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// C.
    pub cost: f64,
    /// γ.
    pub gamma: f64,
}

impl From<Parameters> for Hyperparameters {
    fn from(Parameters { cost, gamma }: Parameters) -> Self {
        [("C", cost), ("gamma", gamma)].into()
    }
}

impl From<&Hyperparameters> for Parameters {
    /// # Panics
    ///
    /// If they are those of another learner.
    fn from(found: &Hyperparameters) -> Self {
        Self { cost: found["C"], gamma: found["gamma"] }
    }
}

/// A trained machine over [`SamplesByClass`].
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The classes that are best somewhere, in the order of the vote: of two with the same votes the earlier one wins.
    pub classes: Vec<usize>,
    /// One a pair of classes: (0,1), (0,2), …, (1,2), ….
    pub classifiers: Vec<PairwiseClassifier>,
}

/// A classifier of the two classes of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairwiseClassifier {
    /// Support vectors (positions in the training set) with their `y α`.
    pub support: Vec<(usize, f64)>,
    /// Subtracted from the sum; above 0 the first class of the pair wins.
    pub rho: f64,
    /// True if the solver reached its tolerance.
    pub converged: bool,
}

impl SamplesByClass {
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
        let paths = all.par_iter().map(|&(first, second)| {
            let chosen: Vec<usize> = self.range(first).chain(self.range(second)).collect();
            let samples: Vec<Sample> = chosen.iter().map(|&index| self.samples()[index]).collect();
            let positive: Vec<bool> = (0..chosen.len()).map(|at| at < self.range(first).len()).collect();
            let kernel = SampleKernel::new(&samples, inputs, devices, gamma);
            let weights = self.weights(&chosen, (first, second));
            let weights = weights.as_deref();
            let problem = BinaryProblem { kernel: &kernel, positive: &positive, weights, stop };
            let solutions = solver.solve_path(problem, costs);
            solutions.iter().map(|solution| classifier(&chosen, &positive, solution)).collect()
        });
        let paths: Vec<Vec<PairwiseClassifier>> = paths.collect();
        let classes: Vec<usize> = self.classes.iter().map(|&(class, _)| class).collect();
        let mut machines = Vec::with_capacity(costs.len());
        for at in 0..costs.len() {
            let classifiers = paths.iter().map(|path| path[at].clone()).collect();
            machines.push(Machine { classes: classes.clone(), classifiers });
        }
        machines
    }
}

impl Machine {
    /// The machine as the run time reads it.
    pub fn to_svm(
        &self,
        set: &SamplesByClass,
        inputs: &InputSpace,
        devices: &DeviceSpace,
        gamma: f64,
    ) -> Svm {
        let mut is_support = vec![false; set.samples().len()];
        self.classifiers
            .iter()
            .flat_map(|pair| &pair.support)
            .for_each(|&(index, _)| is_support[index] = true);
        let support: Vec<usize> = (0..set.samples().len()).filter(|&index| is_support[index]).collect();
        let mut classes = Vec::with_capacity(self.classes.len());
        for (at, &choice) in self.classes.iter().enumerate() {
            classes.push(Class { choice, support: set.range(at).filter(|&index| is_support[index]).count() });
        }
        Svm {
            gamma,
            scaling: [inputs.scaling(), devices.scaling()].concat(),
            classes,
            vectors: support
                .iter()
                .flat_map(|&index| vector(set.samples()[index], inputs, devices))
                .collect(),
            coefficients: self.coefficients(set, &support),
            rho: self.classifiers.iter().map(|pair| pair.rho).collect(),
        }
    }

    /// LIBSVM's `sv_coef`: a support vector's coefficient against class `c` stands in row `c`, or `c - 1` if its
    /// own class comes before `c`.
    fn coefficients(&self, set: &SamplesByClass, support: &[usize]) -> Vec<f64> {
        let mut column = vec![0; set.samples().len()];
        support.iter().enumerate().for_each(|(at, &index)| column[index] = at);
        let mut coefficients = vec![0.0; self.classes.len().saturating_sub(1) * support.len()];
        for ((first, second), classifier) in pairs(self.classes.len()).zip(&self.classifiers) {
            for &(index, coefficient) in &classifier.support {
                let row = if set.range(first).contains(&index) { second - 1 } else { first };
                coefficients[row * support.len() + column[index]] = coefficient;
            }
        }
        coefficients
    }

    /// Returns, for each of some training inputs, the sum of each pair, split by the device of the support vector
    /// (pairs × devices). Joined with the kernel between a device and the sources this gives the decision values on
    /// that device, whatever the device features are, so machines that several subsets share are evaluated once for
    /// all of them.
    pub fn partial_sums(
        &self,
        set: &SamplesByClass,
        kernel: &InputKernel<'_>,
        inputs: &[usize],
        devices: usize,
    ) -> Vec<Vec<f64>> {
        // A support vector is in a pair with every other class. Several inputs at once share what it takes to find it.
        const LANES: usize = 8;
        let mut all = Vec::with_capacity(inputs.len());
        for block in inputs.chunks(LANES) {
            let rows: Vec<&[f32]> = block.iter().map(|&input| kernel.row(input)).collect();
            let mut values = vec![[0.0; LANES]; set.samples().len()];
            for (values, sample) in values.iter_mut().zip(set.samples()) {
                values.iter_mut().zip(&rows).for_each(|(value, row)| *value = f64::from(row[sample.input]));
            }
            let mut sums = vec![[0.0; LANES]; self.classifiers.len() * devices];
            for (classifier, sums) in self.classifiers.iter().zip(sums.chunks_mut(devices.max(1))) {
                for &(index, coefficient) in &classifier.support {
                    let sums = &mut sums[set.samples()[index].device];
                    sums.iter_mut().zip(&values[index]).for_each(|(sum, value)| *sum += coefficient * value);
                }
            }
            all.extend((0..block.len()).map(|lane| sums.iter().map(|sums| sums[lane]).collect()));
        }
        all
    }

    /// The classes from most votes to fewest, from [`partial_sums`](Self::partial_sums) and the kernel between the
    /// device and the sources.
    pub fn ranking(&self, partial_sums: &[f64], device_kernel: &[f64]) -> Vec<usize> {
        let mut votes = vec![0_u32; self.classes.len()];
        let sums = partial_sums.chunks(device_kernel.len().max(1));
        for (((first, second), classifier), sums) in
            pairs(self.classes.len()).zip(&self.classifiers).zip(sums)
        {
            let decision: f64 = sums.iter().zip(device_kernel).map(|(sum, kernel)| sum * kernel).sum();
            votes[if decision > classifier.rho { first } else { second }] += 1;
        }
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        order.sort_by_key(|&class| std::cmp::Reverse(votes[class])); // stable
        order.into_iter().map(|class| self.classes[class]).collect()
    }

    /// Returns true if every classifier reached the solver's tolerance.
    pub fn converged(&self) -> bool {
        self.classifiers.iter().all(|pair| pair.converged)
    }
}

fn classifier(chosen: &[usize], positive: &[bool], solution: &BinarySolution) -> PairwiseClassifier {
    let mut support = Vec::new();
    for (at, &alpha) in solution.alpha.iter().enumerate().filter(|(_, alpha)| **alpha > 0.0) {
        support.push((chosen[at], if positive[at] { alpha } else { -alpha }));
    }
    PairwiseClassifier { support, rho: solution.rho, converged: solution.converged }
}

/// A sample's scaled features: those of the input, then those of the device.
fn vector(sample: Sample, inputs: &InputSpace, devices: &DeviceSpace) -> Vec<f64> {
    [inputs.row(sample.input), devices.row(sample.device)].concat()
}

/// All pairs of classes in LIBSVM's order.
fn pairs(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |first| (first + 1..classes).map(move |second| (first, second)))
}
