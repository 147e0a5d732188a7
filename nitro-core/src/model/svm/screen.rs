//! Decision values in single precision, with a bound on their error: fast enough for a call, and exact enough for nearly all.
//!
//! What does not change from call to call is done once. The kernel is a product of one factor for the input and one for the device,
//! exp(-γ·‖u - v‖²) = exp(-γ·‖u' - v'‖²) · exp(-γ·‖u'' - v''‖²), so the device's factor goes into the coefficients; support vectors that then
//! lie at the same place (one input, measured on several devices, or in several classes) become one, with the sum of their coefficients.

use std::collections::BTreeMap;
use std::f64::consts::LOG2_E;

use super::kernel::{Kernel, LANES, ROUNDING, fastest_kernel, kernel_error};
use super::{Svm, squared_distance};
use crate::MAX_FEATURES;

/// An [`Svm`] folded for one device.
#[derive(Debug)]
pub(super) struct Screen {
    /// The input columns that tell inputs apart.
    columns: Vec<usize>,
    /// √(γ·log₂ e): scaled columns times this make the kernel 2^(-‖u - v‖²).
    unit: f64,
    /// Support vectors, feature-major: of each block all lanes of its first column, then of its second, ….
    vectors: Vec<[f32; LANES]>,
    /// For each block the end of its part of `terms`.
    ends: Vec<usize>,
    terms: Vec<Term>,
    /// For each pair of classes the offset, and how far the computed decision value may be from the exact one.
    duels: Vec<Duel>,
    kernel: Kernel,
}

/// What the vectors of a block weigh in the decision between one pair of classes.
#[derive(Debug)]
struct Term {
    pair: usize,
    coefficients: [f32; LANES],
}

#[derive(Clone, Copy, Debug)]
struct Duel {
    rho: f64,
    bound: f64,
}

/// Where support vectors lie, for the bits of their input columns in single precision: what they weigh together, by pair.
type Places = BTreeMap<Vec<u32>, Weights>;
type Weights = BTreeMap<usize, f64>;

impl Screen {
    /// `device` are the device columns, scaled.
    pub(super) fn new(svm: &Svm, device: &[f64]) -> Self {
        let width = svm.scaling.len();
        // A column that was constant in training scales to 0 for every input: it is as known as a device feature.
        let (columns, known): (Vec<usize>, Vec<usize>) =
            (0..width - device.len()).partition(|&column| svm.scaling[column].varies());
        let unit = (svm.gamma * LOG2_E).sqrt();
        // Squares of inputs that are beyond double precision while the kernel is not yet 0: no such machine is trained.
        let bound = if svm.gamma < 1e-300 { f64::INFINITY } else { 0.0 };
        let mut duels: Vec<Duel> = svm.rho.iter().map(|&rho| Duel { rho, bound }).collect();
        // What rounding does to the exact values, in double precision.
        let exact_error =
            |fixed: f64| ((svm.support() + width + 16) as f64 + svm.gamma * fixed) * f64::EPSILON;
        let mut places = Places::new();
        let mut farthest = 0.0_f64;
        for (index, own) in svm.owners().enumerate() {
            let row = &svm.vectors[index * width..(index + 1) * width];
            let fixed = squared_distance(&row[width - device.len()..], device)
                + known.iter().map(|&column| row[column] * row[column]).sum::<f64>();
            let factor = (-svm.gamma * fixed).exp();
            let place: Vec<f32> = columns.iter().map(|&column| (unit * row[column]) as f32).collect();
            farthest = place.iter().fold(farthest, |farthest, &value| farthest.max(f64::from(value).abs()));
            let weights = places.entry(place.iter().map(|value| value.to_bits()).collect()).or_default();
            for (pair, coefficient) in svm.weights(index, own) {
                *weights.entry(pair).or_default() += factor * coefficient;
                duels[pair].bound += exact_error(fixed) * (factor * coefficient).abs();
            }
        }
        let mut screen = Self {
            columns,
            unit,
            vectors: vec![],
            ends: vec![],
            terms: vec![],
            duels,
            kernel: fastest_kernel(),
        };
        screen.fill(places, farthest);
        screen
    }

    /// Arranges the places in blocks; those that weigh in the same pairs come together.
    fn fill(&mut self, mut places: Places, farthest: f64) {
        let error = kernel_error(self.columns.len(), farthest) + SUM_ERROR;
        places.values_mut().for_each(|weights| weights.retain(|_, weight| *weight != 0.0));
        places.retain(|_, weights| !weights.is_empty());
        let mut places: Vec<(Vec<u32>, Weights)> = places.into_iter().collect();
        places.sort_by(|(_, a), (_, b)| a.keys().cmp(b.keys()));
        for block in places.chunks(LANES) {
            for column in 0..self.columns.len() {
                let mut lanes = [0.0; LANES];
                for (lane, (place, _)) in lanes.iter_mut().zip(block) {
                    *lane = f32::from_bits(place[column]);
                }
                self.vectors.push(lanes);
            }
            let mut terms: BTreeMap<usize, [f32; LANES]> = BTreeMap::new();
            for (lane, (_, weights)) in block.iter().enumerate() {
                for (&pair, &weight) in weights {
                    terms.entry(pair).or_insert([0.0; LANES])[lane] = weight as f32;
                    self.duels[pair].bound += error * weight.abs() + f64::from(f32::MIN_POSITIVE);
                }
            }
            self.terms.extend(terms.into_iter().map(|(pair, coefficients)| Term { pair, coefficients }));
            self.ends.push(self.terms.len());
        }
    }

    /// Computes the decision value of each pair, less its offset, from the scaled input columns. Returns whether all of them are so far from 0
    /// that the exact ones have the same signs.
    pub(super) fn decide<const PAIRS: usize>(&self, scaled: &[f64], decisions: &mut [f64; PAIRS]) -> bool {
        let mut row = [0.0; MAX_FEATURES];
        let row = &mut row[..self.columns.len()];
        for (value, &column) in row.iter_mut().zip(&self.columns) {
            *value = (self.unit * scaled[column]) as f32;
        }
        let mut sums = [[0.0; 4]; PAIRS];
        let mut values = [0.0; LANES];
        let mut first = 0;
        for (block, &end) in self.ends.iter().enumerate() {
            let columns = &self.vectors[block * row.len()..(block + 1) * row.len()];
            // SAFETY: `fastest_kernel` found that this processor has what the function is compiled for.
            unsafe { (self.kernel)(columns, row, &mut values) };
            weigh(&self.terms[first..end], &values, &mut sums);
            first = end;
        }
        let mut is_certain = true;
        for ((decision, sum), duel) in decisions.iter_mut().zip(sums).zip(&self.duels) {
            *decision = sum.iter().sum::<f64>() - duel.rho;
            is_certain &= decision.abs() > duel.bound; // not so for NaN
        }
        is_certain
    }

    /// Number of places that are left of the support vectors.
    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
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
        self.duels.iter().map(|duel| duel.bound)
    }
}

/// Adds to the sums of each pair what the vectors of a block weigh, in few roundings: four lanes at a time, added up in double precision.
#[inline(never)]
fn weigh(terms: &[Term], kernel: &[f32; LANES], sums: &mut [[f64; 4]]) {
    for term in terms {
        let mut quad = [0.0; 4];
        for (coefficients, kernel) in term.coefficients.chunks_exact(4).zip(kernel.chunks_exact(4)) {
            for lane in 0..4 {
                quad[lane] += coefficients[lane] * kernel[lane];
            }
        }
        for (sum, part) in sums[term.pair].iter_mut().zip(quad) {
            *sum += f64::from(part);
        }
    }
}

/// What a weighted kernel may be off by besides: the coefficient and the product are rounded, and the sums of a block.
const SUM_ERROR: f64 = 1.5 * ROUNDING * (2.0 + (LANES / 4) as f64);
