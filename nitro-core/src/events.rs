//! Events that come up while something is made that calls of all threads wait for. They are told when it is there: whoever listens may call
//! the very function that it is made for.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Write as _};

type Event = Box<dyn FnOnce()>;

thread_local! {
    /// What is held back on this thread, if anything is.
    static HELD: RefCell<Option<Vec<Event>>> = const { RefCell::new(None) };
}

/// Events that were held back. Dropped, they are never told.
#[must_use]
pub(crate) struct Held(Vec<Event>);

/// Does `work`, whose events are held back.
pub(crate) fn hold<R>(work: impl FnOnce() -> R) -> (R, Held) {
    let hold = Hold(HELD.replace(Some(Vec::new())));
    let result = work();
    let held = HELD.take().unwrap_or_default();
    drop(hold);
    (result, Held(held))
}

/// Gives back what was held before, also when the work panics.
struct Hold(Option<Vec<Event>>);

impl Drop for Hold {
    fn drop(&mut self) {
        HELD.set(self.0.take());
    }
}

impl Held {
    /// Tells them, in order.
    pub(crate) fn tell(self) {
        self.0.into_iter().for_each(tell);
    }
}

/// Tells an event: at once, or when what is being made on this thread is there, as a device's measured features or what a model means on
/// a device. What `event` does may then call functions with variants.
///
/// ```
/// use std::{cell::Cell, rc::Rc};
/// use nitro_core::provide::tell_event;
///
/// let told = Rc::new(Cell::new(false));
/// let tell = told.clone();
/// tell_event(move || tell.set(true)); // in a crate of devices `tracing::warn!(..)` or the like
/// assert!(told.get(), "nothing is being made on this thread");
/// ```
pub fn tell(event: impl FnOnce() + 'static) {
    let now = HELD.with_borrow_mut(|held| match held {
        Some(held) => {
            held.push(Box::new(event));
            None
        }
        None => Some(event),
    });
    if let Some(event) = now {
        event();
    }
}

/// Writes a line to stderr where the application listens to no events: for what its developer or user has to change.
pub(crate) fn line_where_nobody_listens(message: fmt::Arguments<'_>) {
    if !tracing::dispatcher::has_been_set() {
        let _ = writeln!(io::stderr(), "nitro: {message}"); // nobody to tell is no reason to fail
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn events_are_told_in_order_when_the_outermost_work_is_done() {
        let told = Rc::new(RefCell::new(Vec::new()));
        let note = |what: u32| {
            let told = Rc::clone(&told);
            tell(move || told.borrow_mut().push(what));
        };
        note(0);
        let ((), outer) = hold(|| {
            note(1);
            let ((), inner) = hold(|| note(2));
            note(3);
            inner.tell();
            let ((), dropped) = hold(|| note(4));
            drop(dropped);
        });
        assert_eq!(*told.borrow(), [0]);
        outer.tell();
        note(5);
        assert_eq!(*told.borrow(), [0, 1, 3, 2, 5]);
    }

    #[test]
    fn after_a_panic_nothing_is_held_back() {
        let panicked = std::panic::catch_unwind(|| hold(|| panic!("on purpose")).0);
        assert!(panicked.is_err());
        assert!(HELD.take().is_none());
    }
}
