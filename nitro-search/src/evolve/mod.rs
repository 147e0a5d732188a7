//! Evolution of edits, after GEVO (Liou, Forrest and Wu): which edits of something that runs already make it
//! faster, and how much error each takes.
//!
//! - What is edited, a [`PatchSpace`] knows: it draws edits, and says which go together. Here an edit is a value
//!   that has an order.
//! - An [`Evolution`] proposes what to evaluate and learns from what that gave: time and error, both the less the
//!   better (NSGA-II).
//! - [`minimise`] leaves the edits that matter, [`explain`] says what each brings alone and among the others.
//!
//! Inputs are of three kinds that have nothing in common. Those of the *search* ([`Purpose::Search`],
//! [`Purpose::Again`]) decide what survives. Those of the *validation* ([`Purpose::Validation`]) are shown what is
//! on the front, now and then: what fails there is out, and how fast it was there is kept apart. Whoever evaluates
//! may try what [looks faster](Evolution::to_beat_ns) with them at once, and tell what is wrong there as failed.
//! Those of the *test* never come in here: whoever accepts a [`Finalist`] runs them once.
//!
//! What another evolution of the program has found can join the first generation ([`Evolution::with_patches`]):
//! times that were taken elsewhere count for nothing.
//!
//! The first individuals have one edit each, since of random edits most fail, and of three together nearly all. By
//! the rules of the paper those of the next generation are unions of three that ran. By those of the model
//! ([`Rules::Model`]) every suggestion is tried alone, and effects are estimated from everything that was measured:
//! most edits pay less than times vary, and yet effects add up. Where the paper leaves something open: times that
//! differ by less than a margin (1 %) are the same; elites, and the program as it is, are measured again in every
//! generation and have the median of their times, and the worst of their errors; what has the same machine code has
//! been measured already.

mod breed;
mod evolution;
mod explain;
mod guided;
mod minimise;
mod model;
mod plan;
mod rank;
mod records;
mod ridge;
mod together;

use std::fmt;

pub use self::evolution::Evolution;
pub use self::explain::{Explanation, Influence, explain};
pub use self::minimise::minimise;
pub use self::plan::{EvolvePlan, Finalist, Fitness, Purpose, Report, Rules, Trial, TrialId};

/// A program that is edited, of which the search knows its edits alone.
///
/// ```
/// use nitro_search::evolve::PatchSpace;
///
/// /// A program of nine switches, of which 3 and 4 exclude each other.
/// struct Switches;
///
/// impl PatchSpace for Switches {
///     type Edit = u8;
///
///     fn mutate(&self, edits: &[u8], seed: u64) -> Option<u8> {
///         let open = (0..9).filter(|edit| !edits.contains(edit) && self.is_valid(&[edits, &[*edit]].concat()));
///         let open: Vec<u8> = open.collect();
///         (!open.is_empty()).then(|| open[seed as usize % open.len()])
///     }
///
///     fn is_valid(&self, edits: &[u8]) -> bool {
///         !(edits.contains(&3) && edits.contains(&4))
///     }
/// }
///
/// assert_eq!(Switches.mutate(&[0, 1, 2, 4, 5, 6, 7], 3), Some(8));
/// ```
pub trait PatchSpace: Sync {
    /// One change. Those of an individual are a set: in which order they come makes no difference.
    type Edit: Clone + fmt::Debug + Ord + Send + Sync;

    /// Draws an edit that can be made together with these; none where nothing was found. The same seed
    /// draws the same.
    fn mutate(&self, edits: &[Self::Edit], seed: u64) -> Option<Self::Edit>;

    /// Returns true if these edits can be made together. Without any it is the program as it is, which can.
    fn is_valid(&self, edits: &[Self::Edit]) -> bool;

    /// Returns the number of edits that something speaks for.
    fn suggestions(&self) -> usize {
        0
    }

    /// Makes one of those edits alone, by its number; none where it cannot be made. The same seed makes the same.
    fn suggestion(&self, number: usize, seed: u64) -> Option<Self::Edit> {
        let _ = (number, seed);
        None
    }
}

impl<P: PatchSpace> PatchSpace for &P {
    type Edit = P::Edit;

    fn mutate(&self, edits: &[Self::Edit], seed: u64) -> Option<Self::Edit> {
        (**self).mutate(edits, seed)
    }

    fn is_valid(&self, edits: &[Self::Edit]) -> bool {
        (**self).is_valid(edits)
    }

    fn suggestions(&self) -> usize {
        (**self).suggestions()
    }

    fn suggestion(&self, number: usize, seed: u64) -> Option<Self::Edit> {
        (**self).suggestion(number, seed)
    }
}

#[cfg(test)]
mod tests;
