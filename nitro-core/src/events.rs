//! Events that come up while something is made that calls of all threads wait for. They are told when it is there:
//! whoever listens may call the very function that it is made for.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

type Event = Box<dyn FnOnce()>;

/// The events that are held back, on the stack of the holder.
type List = Cell<Vec<Event>>;

thread_local! {
    /// The innermost list of this thread, or null. No destructor, so that a thread that ends has it to the last.
    static HELD: Cell<*const List> = const { Cell::new(ptr::null()) };
}

/// Events that were held back. Dropped, they are never told.
#[must_use]
pub(crate) struct HeldEvents(Vec<Event>);

/// Does `work`, whose events are held back. Where the thread has no storage left they are told at once.
pub(crate) fn hold<R>(work: impl FnOnce() -> R) -> (R, HeldEvents) {
    let list = List::default();
    let outer = HELD.try_with(|held| held.replace(&raw const list)).unwrap_or(ptr::null());
    let back = Restore(outer);
    let result = work();
    drop(back);
    (result, HeldEvents(list.take()))
}

/// Gives back the list that was there before, also when the work panics.
struct Restore(*const List);

impl Drop for Restore {
    fn drop(&mut self) {
        let _ = HELD.try_with(|held| held.set(self.0));
    }
}

impl HeldEvents {
    /// Tells them, in order.
    pub(crate) fn tell(self) {
        self.0.into_iter().for_each(tell);
    }
}

/// Tells an event, at once or when what is being made on this thread is there. That may be a device's measured
/// features, or what a model means on a device. The event may then call functions with variants.
///
/// A panic of a listener is shown as any panic is, and the call that had something to tell goes on. In the
/// destructor of a thread-local it would end the process.
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
    tell_boxed(Box::new(event));
}

/// The same of any event, so that a program has this but once.
fn tell_boxed(event: Box<dyn FnOnce()>) {
    let held = HELD.try_with(Cell::get).unwrap_or(ptr::null());
    // SAFETY: null, or the list of a `hold` on this thread that has not returned: it takes its list out of `HELD`
    // before that.
    let Some(list) = (unsafe { held.as_ref() }) else {
        let _ = catch_unwind(AssertUnwindSafe(event));
        return;
    };
    let mut events = list.take();
    events.push(event);
    // To make room allocates, and an allocator of the program's may have had something to tell.
    events.extend(list.take());
    list.set(events);
}

/// Writes a line to stderr where the application listens to no events. It is for what its developer or user has to
/// change.
pub(crate) fn line_where_nobody_listens(message: fmt::Arguments<'_>) {
    if !tracing::dispatcher::has_been_set() {
        let _ = write_line(&format!("nitro: {message}\n")); // nobody to tell is no reason to fail
    }
}

/// Writes past the lock of the standard library: a thread may have held it when this process was forked.
#[cfg(unix)]
fn write_line(line: &str) -> io::Result<()> {
    use std::fs::File;
    use std::mem::ManuallyDrop;
    use std::os::fd::FromRawFd as _;
    // SAFETY: the descriptor is not closed here, since the file is never dropped. Where it is closed, to write fails.
    let stderr = ManuallyDrop::new(unsafe { File::from_raw_fd(2) });
    (&*stderr).write_all(line.as_bytes())
}

#[cfg(not(unix))]
fn write_line(line: &str) -> io::Result<()> {
    io::stderr().write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
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
        assert!(HELD.get().is_null());
    }

    #[test]
    fn a_listener_that_panics_ends_neither_the_call_nor_what_others_hear() {
        let told = Rc::new(Cell::new(false));
        let tell_it = Rc::clone(&told);
        let ((), held) = hold(|| {
            tell(|| panic!("on purpose"));
            tell(move || tell_it.set(true));
        });
        held.tell();
        assert!(told.get());
    }
}
