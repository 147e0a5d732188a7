//! The inputs that one recorder has claimed of those it shares with others, and the evaluations of searches.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nitro_store::store::{ChoiceName, SharedStore, StoreError};

use super::share::Share;
use super::subject::Subject;

/// A store that the threads of a recording use in turn.
pub(super) struct LockedStore<'s>(Mutex<&'s mut dyn SharedStore>);

impl<'s> LockedStore<'s> {
    pub(super) fn new(store: &'s mut dyn SharedStore) -> Self {
        Self(Mutex::new(store))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, &'s mut dyn SharedStore> {
        lock(&self.0)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the name under which the evaluation of a choice on an input is claimed.
pub(crate) fn evaluation_of(input: &str, choice: ChoiceName<'_>) -> String {
    serde_json::json!([input, choice.variant, choice.configuration]).to_string()
}

/// The claims of one recorder for one function and device.
pub(super) struct Claims<'a, 's> {
    function: &'static str,
    device: &'static str,
    share: &'a Share,
    store: &'a LockedStore<'s>,
    /// The input that was claimed last, and the parts that were taken, while they are not measured yet. Locked before
    /// the store is.
    held: Mutex<BTreeSet<String>>,
    /// Inputs that were claimed before it, and not measured then: not kept, and given back in the end.
    passed: Mutex<BTreeSet<String>>,
    /// Inputs that others had claimed when their turn came.
    left: Mutex<BTreeSet<String>>,
    /// The error of a claim, after which nothing is claimed any more.
    refused: Mutex<Option<StoreError>>,
}

impl<'a, 's> Claims<'a, 's> {
    pub(super) fn new(subject: Subject<'_>, share: &'a Share, store: &'a LockedStore<'s>) -> Self {
        let (function, device) = (subject.function.name(), subject.device.entry().id());
        let (held, passed, left, refused) = Default::default();
        Self { function, device, share, store, held, passed, left, refused }
    }

    /// Claims an input, and returns true where it is this recorder's from now on.
    ///
    /// The input before is not kept. One that is another recorder's is noted as left.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) fn claim(&self, input: &str) -> Result<bool, StoreError> {
        let mut held = lock(&self.held);
        let claimed = self.ask(input, self.share.lease())?;
        match claimed {
            true => {
                lock(&self.passed).append(&mut held);
                held.insert(input.to_owned());
            }
            false => drop(lock(&self.left).insert(input.to_owned())),
        }
        Ok(claimed)
    }

    /// Claims a part of an input that others may work on too; returns true where it is this recorder's.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) fn take(&self, part: &str) -> Result<bool, StoreError> {
        let mut held = lock(&self.held);
        let taken = self.ask(part, self.share.lease())?;
        if taken {
            held.insert(part.to_owned());
        }
        Ok(taken)
    }

    fn ask(&self, input: &str, lease: Duration) -> Result<bool, StoreError> {
        self.store.lock().claim(self.function, self.device, input, &self.share.owner, lease)
    }

    /// Returns true for the input that was claimed last, while it is not measured yet.
    pub(super) fn has(&self, input: &str) -> bool {
        lock(&self.held).contains(input)
    }

    /// Renews what is claimed. Where that fails, somebody else may measure it too, and no more harm is done.
    pub(super) fn renew(&self) {
        let held = lock(&self.held);
        for one in held.iter() {
            let _ = self.ask(one, self.share.lease());
        }
    }

    /// Ends the claim of what is measured: it expires after others have seen that it is recorded.
    pub(super) fn end(&self, one: &str) {
        lock(&self.held).remove(one);
    }

    /// Gives back the claim of an input that is measured: whoever claims it next finds that it is recorded. Where
    /// that fails, the claim expires.
    pub(super) fn give_back(&self, input: &str) {
        let mut held = lock(&self.held);
        if held.remove(input) {
            lock(&self.passed).remove(input);
            let _ = self.ask(input, Duration::ZERO);
        }
    }

    /// Gives back all claims, so that nobody has to wait for them to expire. Where that fails, they wait.
    pub(super) fn release(&self) {
        let (mut held, mut passed) = (lock(&self.held), lock(&self.passed));
        passed.append(&mut held);
        for one in std::mem::take(&mut *passed) {
            let _ = self.ask(&one, Duration::ZERO);
        }
    }

    /// Notes the error of a claim, where nobody can be told. Nothing is claimed any more.
    pub(super) fn refuse(&self, error: StoreError) {
        lock(&self.refused).get_or_insert(error);
    }

    /// Takes the inputs that others had claimed.
    pub(super) fn take_left(&self) -> BTreeSet<String> {
        std::mem::take(&mut lock(&self.left))
    }

    /// Returns true if a claim has failed.
    pub(super) fn has_refused(&self) -> bool {
        lock(&self.refused).is_some()
    }

    /// Takes the error of a claim, if one has failed.
    pub(super) fn take_refused(&self) -> Option<StoreError> {
        lock(&self.refused).take()
    }
}
