//! A Gaussian process after some evaluations, kept for all rows at once: an evaluation more costs one pass over the
//! rows for each one before.

use super::Features;
use super::kernel::{Kernel, Rows};

pub(crate) struct Posterior {
    /// The rows that were evaluated.
    rows: Vec<usize>,
    /// The Cholesky factor of their covariances, row by row.
    factor: Vec<Vec<f64>>,
    /// For each evaluation, what it explains of every row that those before do not: the solution of factor · x =
    /// covariances.
    explained: Vec<Vec<f32>>,
    /// The rest of the variance of every row.
    variances: Vec<f32>,
}

impl Posterior {
    pub(crate) fn new(features: &Features, kernel: &Kernel) -> Self {
        Self {
            rows: Vec::new(),
            factor: Vec::new(),
            explained: Vec::new(),
            variances: kernel.variances(features),
        }
    }

    /// The rows that were evaluated.
    pub(crate) fn rows(&self) -> &[usize] {
        &self.rows
    }

    pub(crate) fn variances(&self) -> &[f32] {
        &self.variances
    }

    /// Adds an evaluated row, whatever came out.
    pub(crate) fn add(&mut self, features: &Features, kernel: &Kernel, row: usize) {
        let mut left = kernel.covariances(features, row, Rows::All);
        let mut factor: Vec<f64> = self.explained.iter().map(|explained| f64::from(explained[row])).collect();
        for (explained, &own) in self.explained.iter().zip(&factor) {
            let own = own as f32;
            left.iter_mut().zip(explained).for_each(|(left, explained)| *left -= own * explained);
        }
        let last = (f64::from(self.variances[row]).max(0.0) + kernel.noise).sqrt();
        let inverse = (1.0 / last) as f32;
        for (left, variance) in left.iter_mut().zip(&mut self.variances) {
            *left *= inverse;
            *variance = (*variance - *left * *left).max(0.0);
        }
        factor.push(last);
        self.factor.push(factor);
        self.explained.push(left);
        self.rows.push(row);
    }

    /// Returns what is expected of every row beyond the prior mean, when so much was beyond it of the evaluated ones.
    pub(crate) fn means(&self, residuals: &[f64]) -> Vec<f32> {
        let mut means = vec![0.0; self.variances.len()];
        let mut solved: Vec<f64> = Vec::new();
        for ((factor, explained), residual) in self.factor.iter().zip(&self.explained).zip(residuals) {
            let known: f64 = factor.iter().zip(&solved).map(|(factor, solved)| factor * solved).sum();
            let own = (residual - known) / factor[solved.len()];
            solved.push(own);
            let own = own as f32;
            means.iter_mut().zip(explained).for_each(|(mean, explained)| *mean += own * explained);
        }
        means
    }

    /// Returns the place to go back to: proposals of one step are added as if what is expected of them had come out.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint { count: self.rows.len(), variances: self.variances.clone() }
    }

    /// Forgets what was added since.
    pub(crate) fn back_to(&mut self, checkpoint: Checkpoint) {
        self.rows.truncate(checkpoint.count);
        self.factor.truncate(checkpoint.count);
        self.explained.truncate(checkpoint.count);
        self.variances = checkpoint.variances;
    }
}

/// The state of a posterior.
pub(crate) struct Checkpoint {
    count: usize,
    variances: Vec<f32>,
}
