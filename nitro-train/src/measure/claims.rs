//! The inputs that one recorder has claimed of those it shares with others.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::Instant;

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
    pub(super) fn claim(&self, store: &mut dyn Store, input: &str) -> bool {
        let Subject { function, device } = self.subject;
        let Share { owner, lease } = self.share;
        match store.claim(function.name(), device.entry().id(), input, owner, *lease) {
            Ok(true) => {
                self.current.replace(Some((input.to_owned(), Instant::now())));
                true
            }
            Ok(false) => {
                self.left.borrow_mut().insert(input.to_owned());
                false
            }
            Err(error) => {
                self.refused.set(Some(error));
                false
            }
        }
    }

    /// Keeps the input that is being measured.
    pub(super) fn renew(&self, store: &mut dyn Store) {
        let due = self.current.borrow().clone().filter(|(_, at)| at.elapsed() > self.share.lease / 4);
        if let Some((input, _)) = due {
            self.claim(store, &input);
        }
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
