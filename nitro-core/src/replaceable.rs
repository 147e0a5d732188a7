//! A value that all threads read without a lock, and that is replaced now and then.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::events;

/// At first nothing. What is replaced is never freed, since a reader may go on with it for any time: meant for
/// statics, and for what is replaced on request. There is no lock in it, so a thread that dies or is not there
/// after a `fork` holds nobody up.
pub(crate) struct Replaceable<T: 'static> {
    current: AtomicPtr<Publication<T>>,
}

struct Publication<T: 'static> {
    value: T,
    /// Keeps what was replaced within reach of tools that look for leaks.
    _replaced: Option<&'static Publication<T>>,
}

impl<T> Replaceable<T> {
    pub(crate) const fn new() -> Self {
        Self { current: AtomicPtr::new(ptr::null_mut()) }
    }

    #[inline]
    fn published(&self) -> Option<&'static Publication<T>> {
        // SAFETY: the pointer is null or is that of a value that `publish` leaked before it stored the pointer.
        unsafe { self.current.load(Ordering::Acquire).as_ref() }
    }

    /// The present value.
    #[inline]
    pub(crate) fn get(&self) -> Option<&'static T> {
        self.published().map(|published| &published.value)
    }

    /// The present value; when there is none, what `make` makes. Of several threads that make one at once, one
    /// prevails; what the others had to tell is not told.
    #[inline]
    pub(crate) fn get_or_init(&self, make: impl FnOnce() -> T) -> &'static T {
        self.get().unwrap_or_else(|| self.init(make))
    }

    #[cold]
    fn init(&self, make: impl FnOnce() -> T) -> &'static T {
        let (value, events) = events::hold(make);
        match self.publish(None, value) {
            Ok(value) => {
                events.tell();
                value
            }
            Err(prevailing) => prevailing,
        }
    }

    /// Replaces the present value by what `make` makes of it. Where it makes none, and after an error, the present
    /// one stays. `make` is asked again when another thread was faster.
    pub(crate) fn try_replace<E>(
        &self,
        make: impl Fn(Option<&'static T>) -> Result<Option<T>, E>,
    ) -> Result<(), E> {
        loop {
            let old = self.published();
            let (value, events) = events::hold(|| make(old.map(|old| &old.value)));
            let Some(value) = value? else {
                events.tell();
                return Ok(());
            };
            if self.publish(old, value).is_ok() {
                events.tell();
                return Ok(());
            }
        }
    }

    /// Puts a value in the place of the old one, unless another has got there.
    fn publish(&self, old: Option<&'static Publication<T>>, value: T) -> Result<&'static T, &'static T> {
        let new = Box::into_raw(Box::new(Publication { value, _replaced: old }));
        let expected = old.map_or(ptr::null_mut(), |old| ptr::from_ref(old).cast_mut());
        let exchanged = self.current.compare_exchange(expected, new, Ordering::AcqRel, Ordering::Acquire);
        match exchanged {
            // SAFETY: `new` is a leaked box.
            Ok(_) => Ok(unsafe { &(*new).value }),
            Err(prevailing) => {
                // SAFETY: `new` is the box from above, which nobody else has seen. What prevails was published, and
                // is never freed.
                Err(unsafe {
                    drop(Box::from_raw(new));
                    &(*prevailing).value
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[test]
    fn readers_see_whole_values_and_keep_the_old_one() {
        static PAIR: Replaceable<(usize, Vec<usize>)> = Replaceable::new();
        assert!(PAIR.get().is_none());
        let first = PAIR.get_or_init(|| (0, vec![0]));
        std::thread::scope(|scope| {
            let reader = || {
                let mut last = 0;
                while last < 1000 {
                    let (number, repeated) = PAIR.get().expect("there is a value");
                    assert!(*number >= last && *repeated == [*number]);
                    last = *number;
                }
            };
            scope.spawn(reader);
            scope.spawn(reader);
            for number in 1..=1000 {
                PAIR.try_replace(|_| Ok::<_, ()>(Some((number, vec![number])))).expect("nothing fails");
            }
        });
        assert_eq!(*first, (0, vec![0]));
    }

    #[test]
    fn of_several_that_replace_at_once_each_builds_on_the_one_before() {
        static COUNT: Replaceable<usize> = Replaceable::new();
        std::thread::scope(|scope| {
            let add = |count: Option<&usize>| Ok::<_, ()>(Some(count.map_or(1, |count| count + 1)));
            for _ in 0..4 {
                scope.spawn(move || (0..250).for_each(|_| COUNT.try_replace(add).expect("nothing fails")));
            }
        });
        assert_eq!(COUNT.get(), Some(&1000));
    }

    #[test]
    fn after_an_error_the_value_stays() {
        static NAME: Replaceable<&str> = Replaceable::new();
        assert_eq!(NAME.try_replace(|_| Err("none")), Err("none"));
        assert!(NAME.get().is_none());
        assert_eq!(*NAME.get_or_init(|| "first"), "first");
        assert_eq!(*NAME.get_or_init(|| unreachable!("there is one")), "first");
        assert_eq!(NAME.try_replace(|name| name.map_or(Ok(Some("second")), |_| Err("no"))), Err("no"));
        assert_eq!(NAME.try_replace(|_| Ok::<_, ()>(None)), Ok(()));
        assert_eq!(NAME.get(), Some(&"first"));
    }

    #[test]
    fn who_listens_to_the_making_may_ask_for_the_value() {
        static NAME: Replaceable<&str> = Replaceable::new();
        let heard = Rc::new(Cell::new(None));
        let hear = Rc::clone(&heard);
        let name = NAME.get_or_init(|| {
            events::tell(move || hear.set(NAME.get()));
            "made"
        });
        assert_eq!((*name, heard.get()), ("made", Some(&"made")));
    }
}
