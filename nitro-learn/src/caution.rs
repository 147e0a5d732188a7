//! Caution where a selector is unsure: the choice that it ranks first runs, or the default.
//!
//! A choice that is expected to be less than a fiftieth of the best speed ahead of the default is as often behind
//! it. So the default in its place is tried on what the validation holds out, strategy by strategy, and kept where
//! it brings something. That is little: on devices left out `auto` has 97.8 instead of 97.6 % on `sort`, and the
//! same on `histogram` and `transpose` (98.1 and 98.8), the three functions on which it is kept. For inputs that
//! are *far* from the training the default was tried too: it reached 46 to 83 % on the host's functions and 46 to
//! 100 % on the GPU's, where the selectors reach 95 to 100 all the same, so that is done only where it is asked
//! for.

use nitro_core::model::{Caution, Ranked};

use super::performance::PerformanceTable;

/// The lead that a choice needs, in shares of the best choice's speed.
const MARGIN: f64 = 0.02;

/// The choice that runs where a selector is unsure.
///
/// ```
/// use nitro_learn::{FitOptions, WhenUnsure};
///
/// let careful = FitOptions { when_unsure: WhenUnsure::Default, ..FitOptions::default() };
/// assert_eq!(FitOptions::default().when_unsure, WhenUnsure::Decided);
/// # let _ = careful;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenUnsure {
    /// The default choice where another is hardly ahead of it, if that does better on what is held out of the sources.
    #[default]
    Decided,
    /// The default choice, where another is hardly ahead of it and for inputs that are far from those of the training.
    Default,
    /// The choice that the selector ranks first, always.
    Best,
}

/// Returns the caution by which the default runs where another is hardly ahead; none without a known default.
pub fn hardly_ahead(performance: &PerformanceTable) -> Option<Caution> {
    let choice = performance.classes().default()? as u16;
    Some(Caution { choice, margin: MARGIN, far: false })
}

/// A ranking as this caution has it.
pub fn with_caution(caution: &Caution, mut ranked: Vec<Ranked>) -> Vec<Ranked> {
    let of_default = ranked.iter().position(|own| own.choice == usize::from(caution.choice));
    if let Some(at) = of_default
        && caution.is_hardly_ahead(ranked[0].confidence, ranked[at].confidence)
    {
        ranked[..=at].rotate_right(1);
    }
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_comes_first_where_another_is_hardly_ahead() {
        let ranked = |confidences: [f64; 3]| {
            let own =
                |choice: usize| Ranked { choice, confidence: confidences[choice], expected_slowdown: None };
            let mut ranked = [0, 1, 2].map(own).to_vec();
            ranked.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
            ranked
        };
        let caution = Caution { choice: 2, margin: 0.02, far: false };
        let order = |confidences| {
            let ranked = with_caution(&caution, ranked(confidences));
            ranked.iter().map(|own| own.choice).collect::<Vec<_>>()
        };
        assert_eq!(order([0.99, 0.985, 0.98]), [2, 0, 1]);
        assert_eq!(order([0.99, 0.5, 0.96]), [0, 2, 1]);
        assert_eq!(order([0.5, 0.5, 0.96]), [2, 0, 1], "it is first anyway");
    }
}
