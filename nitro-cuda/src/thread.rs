//! The device that a thread works on.

use std::cell::Cell;

use crate::Cuda;

thread_local! {
    static ENTERED: Cell<Option<Cuda>> = const { Cell::new(None) };
}

/// The device that the thread entered.
pub(crate) fn entered() -> Option<Cuda> {
    ENTERED.get()
}

impl Cuda {
    /// Makes this thread work on the device from now on: [`current`](crate::current()) and
    /// [`Stream::current`](crate::Stream::current) are its.
    pub fn enter(self) {
        ENTERED.set(Some(self));
    }

    /// Runs `work` with this thread working on the device, and goes back after that, also after a panic.
    pub fn scope<R>(self, work: impl FnOnce() -> R) -> R {
        struct Back(Option<Cuda>);
        impl Drop for Back {
            fn drop(&mut self) {
                ENTERED.set(self.0);
            }
        }
        let _back = Back(ENTERED.replace(Some(self)));
        work()
    }
}
