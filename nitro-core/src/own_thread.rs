//! A thread that a process has at most once, and that works while there is something to do.
//!
//! A process that was forked has not the thread of its parent: it sees so by the number of the process, and begins one
//! of its own.

use std::sync::atomic::{AtomicU32, Ordering};
use std::{io, process, thread};

/// The process whose thread is at work; 0 for none.
pub(crate) struct OwnThread(AtomicU32);

impl OwnThread {
    /// No thread yet.
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Starts the thread, unless this process has it.
    pub(crate) fn begin(&self, name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let (own, found) = (process::id(), self.0.load(Ordering::SeqCst));
        if found == own || !self.is_taken(found) {
            return Ok(());
        }
        let spawned = thread::Builder::new().name(name.into()).spawn(run);
        spawned.map(drop).inspect_err(|_| self.0.store(0, Ordering::SeqCst))
    }

    /// Returns true where the thread, which has nothing left to do, goes on. Somebody may have wanted something while
    /// it was still taken to be at work.
    pub(crate) fn goes_on(&self, is_wanted: impl FnOnce() -> bool) -> bool {
        self.0.store(0, Ordering::SeqCst);
        is_wanted() && self.is_taken(0)
    }

    /// Takes the place of the process that was found there; false where another thread was faster.
    fn is_taken(&self, found: u32) -> bool {
        self.0.compare_exchange(found, process::id(), Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}
