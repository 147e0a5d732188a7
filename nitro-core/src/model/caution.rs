//! Caution: where a selector is hardly ahead of the default, or far from all that it was trained on, the default runs.

use serde::{Deserialize, Serialize};

/// When a model is unsure, and what runs then.
///
/// ```
/// use nitro_core::model::Caution;
///
/// // Within a twentieth of the best choice's speed the first choice of the model is as good.
/// let caution = Caution { choice: 0, margin: 0.05, far: false };
/// assert!(caution.is_hardly_ahead(0.99, 0.96));
/// assert!(!caution.is_hardly_ahead(0.99, 0.90));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Caution {
    /// What runs: an index into [`Model::choices`](super::Model::choices).
    pub choice: u16,
    /// By how much the confidence ([`Ranked::confidence`](super::Ranked::confidence)) of another choice has to be
    /// above this one's.
    pub margin: f64,
    /// Whether it also runs for inputs that are far from those of the training
    /// ([`Coverage::inputs`](super::Coverage::inputs)).
    pub far: bool,
}

impl Caution {
    /// Whether a choice of which the selector is this confident is not far enough ahead of the one that runs where
    /// it is unsure.
    #[must_use]
    pub fn is_hardly_ahead(&self, best: f64, own: f64) -> bool {
        best - own < self.margin
    }

    /// Whether its numbers fit a model with so many choices.
    pub(super) fn check(&self, choices: usize) -> Result<(), &'static str> {
        match () {
            () if usize::from(self.choice) >= choices => Err("choice where the model is unsure"),
            () if !(0.0..=1.0).contains(&self.margin) => Err("margin where the model is unsure"),
            () => Ok(()),
        }
    }
}
