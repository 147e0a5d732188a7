//! What is known to be wrong, and what is proved, whatever candidates it is found in.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nitro_ptx::Edit;

use crate::exactness::Exactness;

/// Edits, and pairs of them, with which no candidate is right, and what is proved of single edits.
#[derive(Debug, Default)]
pub(crate) struct Blame(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// With the reason; of one edit both are the same.
    wrong: Vec<([Edit; 2], String)>,
    proofs: HashMap<Edit, Exactness>,
}

impl Blame {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blames edits for a fault, if they are one or two.
    pub(crate) fn add(&self, edits: &[Edit], why: &str) {
        let pair = match edits {
            [one] => [one.clone(), one.clone()],
            [one, other] => [one.clone(), other.clone()],
            _ => return,
        };
        self.known().wrong.push((pair, why.to_owned()));
    }

    /// Returns the places of edits that are to blame among these.
    pub(crate) fn places(&self, edits: &[Edit]) -> Option<[usize; 2]> {
        let place = |edit: &Edit| edits.iter().position(|own| own == edit);
        self.known().wrong.iter().find_map(|([one, other], _)| Some([place(one)?, place(other)?]))
    }

    /// Returns what is blamed, with the reasons.
    pub(crate) fn all(&self) -> Vec<([Edit; 2], String)> {
        self.known().wrong.clone()
    }

    /// Returns what is proved of an edit alone, once that is known.
    pub(crate) fn proof(&self, edit: &Edit) -> Option<Exactness> {
        self.known().proofs.get(edit).cloned()
    }

    /// Notes what is proved of an edit alone. One that is right by chance is to blame.
    pub(crate) fn note_proof(&self, edit: &Edit, proof: Exactness) {
        if let Exactness::ByChance { why } = &proof {
            let why = format!("results are the same by chance of the inputs that were tried: {why}");
            self.add(std::slice::from_ref(edit), &why);
        }
        self.known().proofs.insert(edit.clone(), proof);
    }
}
