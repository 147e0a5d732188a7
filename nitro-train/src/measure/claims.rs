//! The inputs that one recorder has claimed of those it shares with others.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::share::Share;
use super::subject::Subject;
use crate::store::{Store, StoreError};

/// Claims of one recorder for one function and device.
pub(super) struct Claims<'a> {
    subject: Subject<'a>,
    share: &'a Share,
    /// The input that is being measured, and when it was claimed the last time.
    current: RefCell<Option<(String, Instant)>>,
    /// Inputs that others had claimed when their turn came.
    left: RefCell<BTreeSet<String>>,
    /// What went wrong with a claim; nothing is claimed any more.
    refused: Cell<Option<StoreError>>,
}

impl<'a> Claims<'a> {
    pub(super) fn new(subject: Subject<'a>, share: &'a Share) -> Self {
        let (current, left, refused) = Default::default();
        Self { subject, share, current, left, refused }
    }

    /// Whether the input is this recorder's from now on.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) fn claim(&self, store: &mut dyn Store, input: &str) -> Result<bool, StoreError> {
        let Subject { function, device } = self.subject;
        let Share { owner, lease } = self.share;
        let claimed = store.claim(function.name(), device.entry().id(), input, owner, *lease)?;
        if claimed {
            self.current.replace(Some((input.to_owned(), Instant::now())));
        } else {
            self.left.borrow_mut().insert(input.to_owned());
        }
        Ok(claimed)
    }

    /// Keeps the input that is being measured.
    pub(super) fn renew(&self, store: &mut dyn Store) {
        let due = self.current.borrow().clone().filter(|(_, at)| at.elapsed() > self.share.lease / 4);
        if let Some((input, _)) = due
            && let Err(error) = self.claim(store, &input)
        {
            self.refuse(error);
        }
    }

    /// Gives back the input that is being measured, so that nobody has to wait for the claim to expire. Where that fails, they wait.
    pub(super) fn release(&self, store: &mut dyn Store) {
        let Subject { function, device } = self.subject;
        if let Some((input, _)) = self.current.take() {
            let _ =
                store.claim(function.name(), device.entry().id(), &input, &self.share.owner, Duration::ZERO);
        }
    }

    /// How long a claim lasts.
    pub(super) fn lease(&self) -> Duration {
        self.share.lease
    }

    /// Keeps what went wrong, where nobody can be told; the input is not this recorder's.
    pub(super) fn refuse(&self, error: StoreError) -> bool {
        self.refused.set(Some(error));
        false
    }

    /// The inputs that others had claimed, from now on forgotten here.
    pub(super) fn take_left(&self) -> BTreeSet<String> {
        self.left.take()
    }

    /// What went wrong with the last claim, if it did.
    pub(super) fn refused(&self) -> Option<StoreError> {
        self.refused.take()
    }
}
