//! The epoch of what threads remember: one number, which everything that choices rest on advances.
//!
//! Models, pins and settings change it when they are replaced ([`reload`](crate::reload())), and whoever wants to
//! know about every call: a recording, the file of captured calls. So a call that was made before pays one load for
//! all of them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

static EPOCH: AtomicU64 = AtomicU64::new(1);

/// The number of observers of calls, on whatever thread. They are recordings, and the file of captured calls for as
/// long as it is not known that there is none. Nothing is remembered meanwhile.
static OBSERVERS: AtomicUsize = AtomicUsize::new(1);

/// The present epoch, at least 1. What is read after it is of this epoch or a later one.
#[inline]
pub(crate) fn now() -> u64 {
    EPOCH.load(Ordering::Acquire)
}

/// Voids all that threads remember. To be called behind the change.
pub(crate) fn advance() {
    EPOCH.fetch_add(1, Ordering::Release);
}

/// Returns true while anybody observes calls.
pub(crate) fn is_observed() -> bool {
    OBSERVERS.load(Ordering::Relaxed) != 0
}

/// Adds an observer of calls, until [`unobserve`]. A call on this thread sees it at once, which is all that a
/// recording needs.
pub(crate) fn observe() {
    OBSERVERS.fetch_add(1, Ordering::Relaxed);
    advance();
}

/// Removes an observer of calls.
pub(crate) fn unobserve() {
    OBSERVERS.fetch_sub(1, Ordering::Relaxed);
}
