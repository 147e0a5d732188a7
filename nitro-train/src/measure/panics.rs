//! The panics of a process. What one leaves behind, such as a poisoned lock, may fail whatever runs there later.

use std::cell::RefCell;

/// The panics that this process has gone on after.
pub(super) struct Panics {
    /// True where a fresh process takes the place of this one after a panic.
    is_replaceable: bool,
    /// The first panic, in words.
    first: RefCell<Option<String>>,
}

impl Panics {
    /// Creates a record of panics, of which there was none.
    pub(super) fn new(is_replaceable: bool) -> Self {
        Self { is_replaceable, first: RefCell::default() }
    }

    /// Notes a panic that was caught.
    pub(super) fn note(&self, what: String) {
        self.first.borrow_mut().get_or_insert(what);
    }

    /// Returns the panic after which this process is to measure nothing more, if there was one.
    pub(super) fn ended_by(&self) -> Option<String> {
        self.first.borrow().clone().filter(|_| self.is_replaceable)
    }

    /// Returns the reason of a failure, with the panic before it that may be the cause.
    pub(super) fn reason(&self, failure: String) -> String {
        match &*self.first.borrow() {
            Some(first) => format!("{failure} (in the process in which {first}, which may be why)"),
            None => failure,
        }
    }
}
