//! Calls that run what the first of them chose.

use std::marker::PhantomData;
use std::thread::LocalKey;

use crate::inline_cache::InlineCache;

/// Holds the choice of a function on this thread: while it lives, calls run what the first of them chose, and compute
/// no feature. `FUNCTION::hold()` makes it.
///
/// A choice with a constraint or an approximate one is not held: each call asks for it as always. So do calls on
/// another device, on other threads, and of a program that records or captures them. Where several live, the first one
/// holds.
///
/// ```
/// use nitro_core::__private::{Call, InlineCache, hold};
///
/// thread_local! { static CACHE: InlineCache<u8, 1> = const { InlineCache::new() } }
/// let held = hold(&CACHE); // as `FUNCTION::hold()` does
/// drop(held);              // calls choose by their own inputs again
/// ```
#[must_use = "calls choose by their own inputs once this is dropped: bind it to a variable"]
pub struct Held {
    function: &'static dyn Hold,
    /// What is held is the thread's own.
    of_thread: PhantomData<*const ()>,
}

/// The memory of one function on each thread.
trait Hold {
    fn begin(&'static self);
    fn end(&'static self);
}

impl<C: Copy, const N: usize> Hold for LocalKey<InlineCache<C, N>> {
    fn begin(&'static self) {
        let _of_ending_thread = self.try_with(InlineCache::begin_hold);
    }

    fn end(&'static self) {
        let _of_ending_thread = self.try_with(InlineCache::end_hold);
    }
}

/// Begins to hold the choice of the function of this memory.
pub fn hold<C: Copy, const N: usize>(function: &'static LocalKey<InlineCache<C, N>>) -> Held {
    function.begin();
    Held { function, of_thread: PhantomData }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.function.end();
    }
}
