//! The proposer of the candidates of an input, where they depend on what was measured before.

use nitro_store::store::{Evaluated, Store};

use super::candidate::Candidate;
use super::error::BoxError;
use super::spent::Spent;

/// A source of the candidates to evaluate on each input, which learns from those before.
///
/// [`evaluate_inputs`](super::evaluate_inputs) asks it, tells it, and keeps every evaluation in the store. Its
/// proposals depend on what it was told alone: whoever begins an input again, and tells it what the store has, is
/// where it was.
pub trait Proposer: Send {
    /// Returns the candidates that are known before an input is met; its first run tells which it admits.
    fn listed(&self) -> &[Candidate];

    /// Begins with an input, which admits these of the listed candidates. What was begun before is forgotten.
    ///
    /// # Errors
    /// When nothing can be proposed for the input.
    fn begin(&mut self, input: &str, admitted: Vec<Candidate>) -> Result<(), BoxError>;

    /// Looks up in the store what other devices know of the input. Does nothing by default.
    ///
    /// # Errors
    /// When the store fails.
    fn consult(&mut self, store: &mut dyn Store) -> Result<(), BoxError> {
        let _ = store;
        Ok(())
    }

    /// Returns the candidates to evaluate now, in any order, by whomever; none once there is nothing more to try.
    ///
    /// # Errors
    /// When nothing can be proposed.
    fn open(&mut self) -> Result<Vec<Candidate>, BoxError>;

    /// Returns what is probably asked for after the [open](Self::open) candidates; nothing by default.
    fn ahead(&self) -> Vec<Candidate> {
        Vec::new()
    }

    /// Takes what is known of the [open](Self::open) candidates, in their order. The others stay open.
    fn tell(&mut self, known: Vec<Option<Evaluated>>);

    /// Hears what the evaluations of the input took, in this process, before it ends. Does nothing by default.
    fn spend(&mut self, spent: Spent) {
        let _ = spent;
    }

    /// Ends the input: its runs could be compared to the last, so that what was found on it counts.
    fn finish(&mut self);
}
