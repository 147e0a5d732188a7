//! What a panic leaves behind in a process, such as a lock that is poisoned, may fail whatever runs there later.

use std::cell::RefCell;

/// The panics that this process has gone on after.
pub(super) struct Panics {
    /// Whether a fresh process takes the place of this one where that is asked for.
    is_replaceable: bool,
    /// What panicked first, in words.
    first: RefCell<Option<String>>,
}

impl Panics {
    pub(super) fn new(is_replaceable: bool) -> Self {
        Self { is_replaceable, first: RefCell::default() }
    }

    /// Notes a panic that was caught.
    pub(super) fn note(&self, what: String) {
        self.first.borrow_mut().get_or_insert(what);
    }

    /// Returns what panicked, if that is why this process is to measure nothing more.
    pub(super) fn ended_by(&self) -> Option<String> {
        self.first.borrow().clone().filter(|_| self.is_replaceable)
    }

    /// Returns why a variant failed, with the panic before it in this process that may be the reason.
    pub(super) fn reason(&self, failure: String) -> String {
        match &*self.first.borrow() {
            Some(first) => format!("{failure} (in the process in which {first}, which may be why)"),
            None => failure,
        }
    }
}
