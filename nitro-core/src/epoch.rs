//! Whether what a thread remembers of its choices still holds: one number, which everything that they rest on advances.
//!
//! Models, pins and settings change it when they are replaced ([`reload`](crate::reload())), and whoever wants to
//! know about every call: a recording, the file of captured calls. So a call that was made before pays one load for
//! all of them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

static EPOCH: AtomicU64 = AtomicU64::new(1);

/// Who wants to know about calls, on whatever thread: recordings, and the file of captured calls for as long as it
/// is not known that there is none. Nothing is remembered meanwhile.
static OBSERVERS: AtomicUsize = AtomicUsize::new(1);

/// The present epoch, at least 1. What is read after it is of this epoch or a later one.
#[inline]
pub(crate) fn now() -> u64 {
    EPOCH.load(Ordering::Acquire)
}

/// What calls did before says nothing any more of what they are to do. To be called behind the change.
pub(crate) fn advance() {
    EPOCH.fetch_add(1, Ordering::Release);
}

/// Whether anybody wants to know about calls.
pub(crate) fn is_observed() -> bool {
    OBSERVERS.load(Ordering::Relaxed) != 0
}

/// One more wants to know about calls, until [`unobserve`]. A call on this thread sees it at once, which is all
/// that a recording needs.
pub(crate) fn observe() {
    OBSERVERS.fetch_add(1, Ordering::Relaxed);
    advance();
}

/// One fewer wants to know.
pub(crate) fn unobserve() {
    OBSERVERS.fetch_sub(1, Ordering::Relaxed);
}
