//! Decision values in single precision, with a bound on their error. They are fast enough for a call, and exact
//! enough for nearly all.
//!
//! Work that does not change from call to call is done once. The kernel is a product of one factor for the input and
//! one for the device, exp(-γ·‖u - v‖²) = exp(-γ·‖u' - v'‖²) · exp(-γ·‖u'' - v''‖²), so the device's factor goes
//! into the coefficients. Support vectors that then lie at the same point (one input, measured on several devices,
//! or in several classes) become one, with the sum of their coefficients.

use std::cmp::Ordering;
use std::f64::consts::LOG2_E;

use super::kernel::{Block, Instructions, LANES, SUM_ERROR, Sum, Term, kernel_error};
use super::scaling::Columns;
use super::{Svm, squared_distance};
use crate::{MAX_FEATURES, order};

/// An [`Svm`] folded for one device.
#[derive(Debug)]
pub(super) struct Screen {
    /// The columns in multiples of √(γ·log₂ e), which makes the kernel 2^(-‖u - v‖²).
    columns: Columns,
    /// Number of columns.
    width: usize,
    /// Support vectors, feature-major: of each block all lanes of its first column, then of its second, ….
    vectors: Vec<[f32; LANES]>,
    /// The end of each block's part of `terms`.
    ends: Vec<usize>,
    terms: Vec<Term>,
    /// The offset of each pair of classes, and how far the computed decision value may be from the exact one.
    pairs: Vec<Pair>,
    instructions: Instructions,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    rho: f64,
    bound: f64,
}

/// A sum of so large weights is still one in single precision.
const LARGEST_WEIGHT: f64 = f32::MAX as f64 / LANES as f64;

/// A point at which support vectors lie: their input columns, and their weights by pair, in the order of pairs.
struct Point {
    columns: Vec<f32>,
    weights: Vec<(usize, f64)>,
}

impl Point {
    /// Compares two points by the bits of their columns, so that only equal ones are equal.
    fn compare_columns(&self, other: &Self) -> Ordering {
        let bits = self.columns.iter().map(|value| value.to_bits());
        bits.cmp(other.columns.iter().map(|value| value.to_bits()))
    }

    /// Adds the weights of another support vector here.
    fn add(&mut self, weights: &[(usize, f64)]) {
        for &(pair, weight) in weights {
            match self.weights.binary_search_by(|&(own, _)| own.cmp(&pair)) {
                Ok(at) => self.weights[at].1 += weight,
                Err(at) => self.weights.insert(at, (pair, weight)),
            }
        }
    }

    /// Compares the pairs in which two points weigh.
    fn compare_pairs(&self, other: &Self) -> Ordering {
        let pairs = self.weights.iter().map(|&(pair, _)| pair);
        pairs.cmp(other.weights.iter().map(|&(pair, _)| pair))
    }
}

impl Screen {
    /// Folds a machine. `device` are the device columns, scaled.
    pub(super) fn new(svm: &Svm, device: &[f64]) -> Self {
        let width = svm.scaling.len();
        // A column that was constant in training scales to 0 for every input: it is as known as a device feature.
        let (inputs, unit) = (&svm.scaling[..width - device.len()], (svm.gamma * LOG2_E).sqrt());
        let known: Vec<usize> = (0..inputs.len()).filter(|&column| !inputs[column].varies()).collect();
        let columns = Columns::new(inputs, unit);
        // Squares of inputs that are beyond double precision while the kernel is not yet 0: no such machine is
        // trained.
        let bound = if svm.gamma < 1e-300 { f64::INFINITY } else { 0.0 };
        let mut pairs: Vec<Pair> = svm.rho.iter().map(|&rho| Pair { rho, bound }).collect();
        // What rounding does to the exact values, in double precision, is this many times epsilon.
        let roundings = (svm.support() + width + 16) as f64;
        let mut points: Vec<Point> = Vec::with_capacity(svm.support());
        let mut farthest = 0.0_f64;
        for (index, own) in svm.owners().enumerate() {
            let row = &svm.vectors[index * width..(index + 1) * width];
            let fixed = squared_distance(&row[width - device.len()..], device)
                + known.iter().map(|&column| row[column] * row[column]).sum::<f64>();
            // The factor of the device goes into the coefficients.
            let factor = (-svm.gamma * fixed).exp();
            let point: Vec<f32> = columns.features().map(|column| (unit * row[column]) as f32).collect();
            farthest = point.iter().fold(farthest, |farthest, &value| farthest.max(f64::from(value).abs()));
            let exact_error = (roundings + svm.gamma * fixed) * f64::EPSILON;
            let weights =
                svm.weights(index, own).map(|(pair, coefficient)| (pair, factor * coefficient)).collect();
            let point = Point { columns: point, weights };
            point.weights.iter().for_each(|&(pair, weight)| pairs[pair].bound += exact_error * weight.abs());
            points.push(point);
        }
        let mut screen = Self {
            width: columns.len(),
            columns,
            vectors: vec![],
            ends: vec![],
            terms: vec![],
            pairs,
            instructions: Instructions::of_this_processor(),
        };
        let error = kernel_error(screen.width, farthest, screen.columns.magnitude(unit)) + SUM_ERROR;
        screen.fill(&merged(&points), error);
        screen
    }

    /// Arranges the points in blocks. `error` is the bound on the error of a vector of weight 1.
    fn fill(&mut self, points: &[Point], error: f64) {
        // Those that weigh in the same pairs come together, so that a block has few terms.
        let order = order::order(points.len(), &|one, other| points[one].compare_pairs(&points[other]));
        for block in order.chunks(LANES) {
            for column in 0..self.width {
                let mut lanes = [0.0; LANES];
                for (lane, &point) in lanes.iter_mut().zip(block) {
                    *lane = points[point].columns[column];
                }
                self.vectors.push(lanes);
            }
            let first = self.terms.len();
            for (lane, &point) in block.iter().enumerate() {
                for &(pair, weight) in &points[point].weights {
                    let at = self.terms[first..].partition_point(|term| term.pair < pair) + first;
                    if self.terms.get(at).is_none_or(|term| term.pair != pair) {
                        self.terms.insert(at, Term { pair, coefficients: [0.0; LANES] });
                    }
                    self.terms[at].coefficients[lane] = weight as f32;
                    let is_in_range = weight.abs() <= LARGEST_WEIGHT;
                    let bound = error * weight.abs() + f64::from(f32::MIN_POSITIVE);
                    self.pairs[pair].bound += if is_in_range { bound } else { f64::INFINITY };
                }
            }
            self.ends.push(self.terms.len());
        }
    }

    /// Computes the decision value of each pair, less its offset, from raw input features. Returns whether all of
    /// them are so far from 0 that the exact ones have the same signs.
    pub(super) fn decide<const PAIRS: usize>(&self, features: &[f64], decisions: &mut [f64; PAIRS]) -> bool {
        let mut row = [0.0; MAX_FEATURES];
        self.columns.scale(self.instructions, features, &mut row);
        let row = &row[..self.width];
        let mut sums: [Sum; PAIRS] = [[0.0; 4]; PAIRS];
        let mut first = 0;
        for (block, &end) in self.ends.iter().enumerate() {
            let columns = &self.vectors[block * row.len()..(block + 1) * row.len()];
            let block = Block { columns, terms: &self.terms[first..end] };
            self.instructions.weigh(&block, row, &mut sums);
            first = end;
        }
        let mut is_certain = true;
        for ((decision, sum), pair) in decisions.iter_mut().zip(sums).zip(&self.pairs) {
            *decision = sum.iter().sum::<f64>() - pair.rho;
            is_certain &= decision.abs() > pair.bound; // not so for NaN
        }
        is_certain
    }

    /// Number of points that are left of the support vectors.
    #[cfg(test)]
    pub(super) fn points(&self) -> usize {
        let is_used = |block: usize, lane: usize| {
            let first = if block == 0 { 0 } else { self.ends[block - 1] };
            self.terms[first..self.ends[block]].iter().any(|term| term.coefficients[lane] != 0.0)
        };
        let lanes = |block| (0..LANES).filter(move |&lane| is_used(block, lane));
        (0..self.ends.len()).flat_map(lanes).count()
    }

    /// For each pair how far the computed decision value may be from the exact one.
    #[cfg(test)]
    pub(super) fn bounds(&self) -> impl Iterator<Item = f64> {
        self.pairs.iter().map(|pair| pair.bound)
    }
}

/// Makes one point of all at the same place, and leaves out what weighs nothing.
fn merged(points: &[Point]) -> Vec<Point> {
    let order = order::order(points.len(), &|one, other| points[one].compare_columns(&points[other]));
    let mut merged: Vec<Point> = Vec::new();
    for point in order.into_iter().map(|at| &points[at]) {
        match merged.last_mut().filter(|last| last.compare_columns(point).is_eq()) {
            Some(last) => last.add(&point.weights),
            None => {
                let mut first = Point { columns: point.columns.clone(), weights: vec![] };
                first.add(&point.weights);
                merged.push(first);
            }
        }
    }
    merged.iter_mut().for_each(|point| point.weights.retain(|&(_, weight)| weight != 0.0));
    merged.retain(|point| !point.weights.is_empty());
    merged
}
