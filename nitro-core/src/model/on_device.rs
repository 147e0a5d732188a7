//! A selector resolved for one device: what is left open are the input features.

use super::forest::DeviceForest;
use super::svm::{DeviceSvm, Votes};
use super::{Ranked, Selector};
use crate::MAX_VARIANTS;

/// A [`Selector`] on one device, ready to rank variants for many inputs.
#[derive(Debug)]
pub struct OnDevice(Rule);

#[derive(Debug)]
enum Rule {
    Constant(usize),
    Svm(DeviceSvm),
    Forest(DeviceForest),
}

impl Selector {
    /// Resolves what depends on the device alone. `device_features` are raw values in the order of the model's names.
    ///
    /// # Panics
    /// When there are fewer values than the selector has device features.
    #[must_use]
    pub fn on_device(&self, device_features: &[f64]) -> OnDevice {
        OnDevice(match self {
            Self::Constant { variant } => Rule::Constant(*variant),
            Self::Svm(svm) => Rule::Svm(svm.on_device(device_features)),
            Self::Forest(forest) => Rule::Forest(forest.on_device(device_features)),
        })
    }
}

impl OnDevice {
    /// All variants that the selector learned to choose, best first. `features` are raw values in the order of the model's names.
    #[must_use]
    pub fn rank(&self, features: &[f64]) -> Vec<Ranked> {
        let scores = self.scores(features);
        let mut classes: Vec<usize> = (0..scores.count).collect();
        classes.sort_by(|&a, &b| scores.value(b).total_cmp(&scores.value(a))); // stable
        let ranked = |class: usize| Ranked {
            variant: self.variant(class),
            confidence: scores.confidence(class),
            expected_slowdown: scores.expected_slowdown(class),
        };
        classes.into_iter().map(ranked).collect()
    }

    /// The first of the ranking, as dispatch finds it where every variant is admissible; allocates nothing.
    #[must_use]
    pub fn first(&self, features: &[f64]) -> Option<usize> {
        self.scores(features).best(|_| true).map(|class| self.variant(class))
    }

    /// Whether the input has no say.
    pub(crate) fn is_constant(&self) -> bool {
        matches!(self.0, Rule::Constant(_))
    }

    /// What the selector thinks of each of its classes for an input.
    pub(crate) fn scores(&self, features: &[f64]) -> Scores {
        match &self.0 {
            Rule::Constant(_) => Scores { values: Values::Constant, count: 1 },
            Rule::Svm(svm) => {
                let votes = svm.votes(features);
                Scores { count: votes.classes(), values: Values::Votes(votes) }
            }
            Rule::Forest(forest) => {
                Scores { values: Values::Shares(forest.shares(features)), count: forest.variants() }
            }
        }
    }

    /// The variant (index into `Model::variants`) of a class.
    pub(crate) fn variant(&self, class: usize) -> usize {
        match &self.0 {
            Rule::Constant(variant) => *variant,
            Rule::Svm(svm) => svm.variant(class),
            Rule::Forest(_) => class,
        }
    }
}

/// One value a class, the higher the better; on the stack, because a selection allocates nothing.
pub(crate) struct Scores {
    values: Values,
    count: usize,
}

enum Values {
    Constant,
    Votes(Votes),
    Shares([f32; MAX_VARIANTS]),
}

impl Scores {
    /// The best class among those that `allowed` accepts; of equals the first.
    pub(crate) fn best(&self, mut allowed: impl FnMut(usize) -> bool) -> Option<usize> {
        let mut best: Option<(f32, usize)> = None;
        for class in 0..self.count {
            let value = self.value(class);
            if best.is_none_or(|(highest, _)| value > highest) && allowed(class) {
                best = Some((value, class));
            }
        }
        best.map(|(_, class)| class)
    }

    /// Between 0 and 1: of a machine the share of its comparisons that the class won, of a forest the share of the best
    /// variant's speed that it expects.
    pub(crate) fn confidence(&self, class: usize) -> f64 {
        match &self.values {
            Values::Constant => 1.0,
            Values::Votes(votes) => votes.share(class),
            Values::Shares(shares) => f64::from(shares[class]),
        }
    }

    /// Time over the best variant's time, at least 1, where the selector knows it.
    fn expected_slowdown(&self, class: usize) -> Option<f64> {
        match &self.values {
            Values::Constant | Values::Votes(_) => None,
            Values::Shares(shares) => Some(1.0 / f64::from(shares[class]).max(0.0)),
        }
    }

    fn value(&self, class: usize) -> f32 {
        match &self.values {
            Values::Constant => 1.0,
            Values::Votes(votes) => f32::from(votes.won(class)),
            Values::Shares(shares) => shares[class],
        }
    }
}
