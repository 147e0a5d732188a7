//! The rule for an unsure model. The default runs where a selector is hardly ahead of it, or far from all that it
//! was trained on.

use super::format::wire::wire_structs;

/// The case in which a model is unsure, and the choice that runs then.
///
/// ```
/// use nitro_core::model::Caution;
///
/// // Within a twentieth of the best choice's speed the first choice of the model is as good.
/// let caution = Caution { choice: 0, margin: 0.05, far: false };
/// assert!(caution.is_hardly_ahead(0.99, 0.96));
/// assert!(!caution.is_hardly_ahead(0.99, 0.90));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Caution {
    /// The choice that runs: an index into [`Model::choices`](super::Model::choices).
    pub choice: u16,
    /// The lead that another choice needs over this one, in confidence
    /// ([`Ranked::confidence`](super::Ranked::confidence)).
    pub margin: f64,
    /// True where it also runs for inputs that are far from those of the training
    /// ([`Coverage::inputs`](super::Coverage::inputs)).
    pub far: bool,
}

wire_structs! { Caution { choice, margin, far } }

impl Caution {
    /// Returns true where the selector is hardly surer of a choice than of the cautious one. `best` and `own` are
    /// its confidence in them.
    #[must_use]
    pub fn is_hardly_ahead(&self, best: f64, own: f64) -> bool {
        best - own < self.margin
    }

    /// Checks that its numbers fit a model with so many choices.
    pub(super) fn check(&self, choices: usize) -> Result<(), &'static str> {
        match () {
            () if usize::from(self.choice) >= choices => Err("choice where the model is unsure"),
            () if !(0.0..=1.0).contains(&self.margin) => Err("margin where the model is unsure"),
            () => Ok(()),
        }
    }
}
