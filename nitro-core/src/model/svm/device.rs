//! A support-vector machine on one device.

use super::screen::Screen;
use super::{Svm, squared_distance};
use crate::{MAX_FEATURES, MAX_VARIANTS};

/// An [`Svm`] resolved for one device. Its decisions are those of the machine itself, evaluated in double precision as LIBSVM does, on every processor;
/// most of them are known without that, from a [`Screen`].
#[derive(Debug)]
pub(crate) struct DeviceSvm {
    svm: Box<Svm>,
    /// The device columns, scaled.
    device: Vec<f64>,
    screen: Screen,
}

/// How many of its duels each class won.
pub(crate) struct Votes {
    won: [u8; MAX_VARIANTS],
    classes: usize,
}

impl Votes {
    /// How many of its duels a class won.
    pub(crate) fn won(&self, class: usize) -> u8 {
        self.won[class]
    }

    /// Share of its duels that a class won: 1 when it beat every other class.
    pub(crate) fn share(&self, class: usize) -> f64 {
        let duels = self.classes.saturating_sub(1);
        if duels == 0 { 1.0 } else { f64::from(self.won[class]) / duels as f64 }
    }
}

impl DeviceSvm {
    pub(super) fn new(svm: &Svm, device_features: &[f64]) -> Self {
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

    /// The variant (index into `Model::variants`) of a class.
    pub(crate) fn variant(&self, class: usize) -> usize {
        self.svm.classes[class].variant
    }

    /// One vote a pair of classes, from raw input features.
    pub(crate) fn votes(&self, features: &[f64]) -> Votes {
        // The decision values of all pairs live on the stack. Nearly every function has few classes, and clearing room
        // for 64 of them would cost more than the prediction.
        match self.svm.rho.len() {
            0..=6 => self.votes_with::<6>(features),
            7..=28 => self.votes_with::<28>(features),
            _ => self.votes_with::<{ MAX_VARIANTS * (MAX_VARIANTS - 1) / 2 }>(features),
        }
    }

    /// A function of its own for each size: the stack of the largest takes time to touch.
    #[inline(never)]
    fn votes_with<const PAIRS: usize>(&self, features: &[f64]) -> Votes {
        let mut decisions = [0.0; PAIRS];
        if !self.screen.decide(features, &mut decisions) {
            self.decide(features, &mut decisions);
        }
        let classes = self.svm.classes.len();
        let mut won = [0; MAX_VARIANTS];
        let mut decisions = decisions.iter();
        for first in 0..classes {
            for (second, decision) in (first + 1..classes).zip(&mut decisions) {
                let is_first = u8::from(*decision > 0.0); // no branch: a processor would guess wrong half of the time
                won[first] += is_first;
                won[second] += 1 - is_first;
            }
        }
        Votes { won, classes }
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
