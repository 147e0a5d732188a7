//! Who wants to know about calls. Nearly always nobody does, and a call finds that out at the price of one load.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Recordings that go on, on whatever thread, and one more while calls may be captured, as before it is known that they are not.
static WATCHERS: AtomicUsize = AtomicUsize::new(1);

/// Whether anybody may want to know about the calls of this thread.
#[inline]
pub(crate) fn anybody() -> bool {
    WATCHERS.load(Relaxed) != 0
}

/// One more wants to know, until [`leave`] is called. A thread sees its own entering, which is all that a recording needs.
pub(crate) fn enter() {
    WATCHERS.fetch_add(1, Relaxed);
}

/// One fewer wants to know.
pub(crate) fn leave() {
    WATCHERS.fetch_sub(1, Relaxed);
}
