//! What would refuse a patch after the search, looked for during it.
//!
//! The checks that a patch has to pass in the end take seconds, and so do proofs. A search that is not told of a fault
//! makes all that it finds of an edit that is wrong. So some cores look at what it believes in most, and what is to
//! blame is in no later candidate.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nitro_ptx::Edit;
use nitro_search::evolve::minimise;
use nitro_search::threads::on_threads;

use crate::check::{Check, CheckOutcome, Depth, Objection};
use crate::deadline::Deadline;
use crate::stages::Conditions;

/// One of so many threads of a search looks at what it believes in; where there are fewer, none does.
const ONE_IN: usize = 6;
/// The longest look at a patch for faults, and at one edit for a proof.
const MOST_TIME: Duration = Duration::from_secs(3);
/// The most parts of a patch that are looked at for what is to blame for a fault.
const MOST_PARTS: usize = 60;

/// A look at patches beside a search.
pub(crate) struct Early<'a> {
    conditions: Conditions<'a>,
    pub threads: usize,
    /// The end of the search.
    until: Deadline,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What is to be looked at next, those that have to be exact first.
    next: Vec<Believed>,
    is_busy: bool,
    is_over: bool,
}

/// A patch that a search believes in.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Believed {
    pub edits: Vec<Edit>,
    pub must_be_exact: bool,
}

/// Ends a look when the search ends, however it does.
pub(crate) struct Ending<'e, 'a>(pub &'e Early<'a>);

impl Drop for Ending<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_all();
    }
}

/// A look that is under way; it ends also where that panics.
struct Busy<'e, 'a>(&'e Early<'a>);

impl Drop for Busy<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_busy = false;
        if std::thread::panicking() {
            state.next.clear();
        }
        drop(state);
        self.0.changed.notify_all();
    }
}

impl<'a> Early<'a> {
    /// Creates a look beside a search on so many threads.
    pub(crate) fn new(conditions: Conditions<'a>, threads: usize, until: Deadline) -> Self {
        let (state, changed) = Default::default();
        Self { conditions, threads: threads / ONE_IN, until, state, changed }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what a search believes in now, in the place of what it did before.
    ///
    /// Where times are counted, it waits for the look, so that a run is the same on whatever cores.
    pub(crate) fn look_at(&self, believed: Vec<Believed>) {
        let is_counted = self.conditions.efforts.first.is_none();
        let mut state = self.lock();
        state.next = believed;
        self.changed.notify_all();
        while is_counted && (state.is_busy || !state.next.is_empty()) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Looks at patches until the search ends.
    pub(crate) fn work(&self) {
        let mut seen = HashSet::new();
        while let Some(believed) = self.next() {
            let _busy = Busy(self);
            if seen.insert(believed.clone()) {
                self.look(believed);
            }
        }
    }

    fn next(&self) -> Option<Believed> {
        let mut state = self.lock();
        loop {
            if state.is_over {
                return None;
            }
            if !state.next.is_empty() {
                state.is_busy = true;
                return Some(state.next.remove(0));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Looks for faults of a patch and for what of it is to blame, then for proofs of its edits.
    fn look(&self, Believed { mut edits, must_be_exact }: Believed) {
        let until = self.until.within(MOST_TIME);
        while let Some((check, found)) = self.fault(&edits, must_be_exact, until) {
            let culprits = self.culprits(&edits, must_be_exact, (check, &found), until);
            if culprits.is_empty() || until.is_over() {
                return;
            }
            self.conditions.blame.add(&culprits, &found.what);
            edits.retain(|edit| *edit != culprits[0]);
        }
        if !must_be_exact {
            return;
        }
        let Conditions { blame, .. } = self.conditions;
        edits.retain(|edit| !edit.operation.keeps_meaning() && blame.proof(edit).is_none());
        for edits in edits.chunks(self.threads) {
            if self.lock().is_over {
                return;
            }
            let until = self.until.within(MOST_TIME);
            let prove = |edit: &Edit| self.conditions.prove(std::slice::from_ref(edit), until);
            let proofs = on_threads(self.threads, edits, prove);
            if self.until.is_over() {
                return;
            }
            edits.iter().zip(proofs).for_each(|(edit, proof)| blame.note_proof(edit, proof));
        }
    }

    /// Returns the first fault that a thorough check on cores finds.
    fn fault(
        &self,
        edits: &[Edit],
        must_be_exact: bool,
        until: Deadline,
    ) -> Option<(&'a dyn Check, Objection)> {
        let ptx = self.conditions.subject.patched(edits).ok()?;
        let own = self.conditions.checks.iter().map(|check| &**check);
        let all = self.conditions.required_small_inputs().into_iter().chain(own);
        all.filter(|check| !check.takes_seconds()).find_map(|check| {
            let outcome = check.check_on(self.threads, &ptx, Depth::Thorough, until);
            fault_of(outcome, must_be_exact).map(|found| (check, found))
        })
    }

    /// Returns the fewest edits that have the same fault; none where that is not known in time.
    fn culprits(
        &self,
        edits: &[Edit],
        must_be_exact: bool,
        (check, found): (&dyn Check, &Objection),
        until: Deadline,
    ) -> Vec<Edit> {
        let mut left = MOST_PARTS;
        let culprits = minimise(edits, |some| {
            if left == 0 || until.is_over() {
                return false;
            }
            left -= 1;
            let patched = self.conditions.subject.patched(some);
            let outcome = patched.map(|ptx| check.check_again(&ptx, found, until));
            outcome.is_ok_and(|outcome| fault_of(outcome, must_be_exact).is_some())
        });
        if left == 0 { Vec::new() } else { culprits }
    }
}

/// Returns what an outcome objects to; any error is something in a patch that has to be exact.
fn fault_of(outcome: CheckOutcome, must_be_exact: bool) -> Option<Objection> {
    match outcome {
        CheckOutcome::Found(found) => Some(found),
        CheckOutcome::Off { by, .. } if must_be_exact => Some(by),
        CheckOutcome::Clean | CheckOutcome::Off { .. } | CheckOutcome::NotRun(_) => None,
    }
}
