//! A support-vector machine on one device.

use super::super::scores::Points;
use super::screen::Screen;
use super::{Svm, squared_distance};
use crate::{MAX_CHOICES, MAX_FEATURES};

/// An [`Svm`] resolved for one device. Its decisions are those of the machine itself, evaluated in double precision
/// as LIBSVM does, on every processor; most of them are known without that, from a [`Screen`].
#[derive(Debug)]
pub(crate) struct DeviceSvm {
    svm: Box<Svm>,
    /// The device columns, scaled.
    device: Vec<f64>,
    screen: Screen,
}

impl DeviceSvm {
    /// The machine as it is on one device, whose features do not change from call to call.
    pub(crate) fn new(svm: &Svm, device_features: &[f64]) -> Self {
        let inputs = svm.scaling.len() - device_features.len();
        let scales = svm.scaling[inputs..].iter();
        let device: Vec<f64> =
            scales.zip(device_features).map(|(scale, &value)| scale.apply_within(value)).collect();
        Self { svm: Box::new(svm.clone()), screen: Screen::new(svm, &device), device }
    }

    /// Number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.svm.classes.len()
    }

    /// The choice (index into `Model::choices`) of a class.
    pub(crate) fn choice(&self, class: usize) -> usize {
        self.svm.classes[class].choice
    }

    /// Votes once for each pair of classes, from raw input features. Adds to the points of each class how many votes
    /// it won. Returns the share of its comparisons that one is.
    pub(crate) fn vote(&self, features: &[f64], points: &mut Points) -> f64 {
        // The decision values of all pairs live on the stack. Nearly every function has few classes, and clearing
        // room for more of them would cost more than the prediction; very many would not fit the stack of a small
        // thread.
        match self.svm.rho.len() {
            0..=6 => self.vote_with::<6>(features, points),
            7..=28 => self.vote_with::<28>(features, points),
            29..=120 => self.vote_with::<120>(features, points),
            _ => {
                let mut decisions = [0.0; MAX_CHOICES * (MAX_CHOICES - 1) / 2];
                self.decide(features, &mut decisions);
                self.count(&decisions, points);
            }
        }
        match self.classes().saturating_sub(1) {
            0 => {
                points[0] = 1; // there is nothing to compare it with
                1.0
            }
            others => 1.0 / others as f64,
        }
    }

    /// A function of its own for each size: the stack of the largest takes time to touch.
    #[inline(never)]
    fn vote_with<const PAIRS: usize>(&self, features: &[f64], points: &mut Points) {
        let mut decisions = [0.0; PAIRS];
        if !self.screen.decide(features, &mut decisions) {
            self.decide(features, &mut decisions);
        }
        self.count(&decisions, points);
    }

    #[inline]
    fn count(&self, decisions: &[f64], points: &mut Points) {
        let mut decisions = decisions.iter();
        for first in 0..self.classes() {
            for (second, decision) in (first + 1..self.classes()).zip(&mut decisions) {
                let is_first = u16::from(*decision > 0.0); // no branch: a processor would guess wrong half of the time
                points[first] += is_first;
                points[second] += 1 - is_first;
            }
        }
    }

    /// The decision value of each pair less its offset, exactly as LIBSVM computes it.
    #[cold]
    #[inline(never)]
    fn decide(&self, features: &[f64], decisions: &mut [f64]) {
        let mut scaled = [0.0; MAX_FEATURES];
        let scaled = &mut scaled[..self.svm.scaling.len() - self.device.len()];
        for ((column, scale), &value) in scaled.iter_mut().zip(&self.svm.scaling).zip(features) {
            *column = scale.apply(value);
        }
        decisions.fill(0.0);
        let width = self.svm.scaling.len();
        for (index, own) in self.svm.owners().enumerate() {
            let row = &self.svm.vectors[index * width..(index + 1) * width];
            let distance = squared_distance(row, scaled.iter().chain(&self.device));
            let kernel = (-self.svm.gamma * distance).exp();
            for (pair, coefficient) in self.svm.weights(index, own) {
                decisions[pair] += coefficient * kernel;
            }
        }
        decisions.iter_mut().zip(&self.svm.rho).for_each(|(decision, rho)| *decision -= rho);
    }
}

#[cfg(test)]
mod tests;
