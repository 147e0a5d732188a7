//! A value that all threads read without a lock, and that is replaced now and then.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

/// At first nothing. What is replaced is never freed, since a reader may go on with it for any time: meant for statics, and for what is
/// replaced on request.
pub(crate) struct Replaceable<T: 'static> {
    current: AtomicPtr<T>,
    /// All values so far. The lock orders those who make a new one; readers do not take it.
    kept: Mutex<Vec<&'static T>>,
}

impl<T> Replaceable<T> {
    pub(crate) const fn new() -> Self {
        Self { current: AtomicPtr::new(ptr::null_mut()), kept: Mutex::new(Vec::new()) }
    }

    /// The present value.
    #[inline]
    pub(crate) fn get(&self) -> Option<&'static T> {
        // SAFETY: the pointer is null or is that of a value that `publish` leaked before it stored the pointer.
        unsafe { self.current.load(Ordering::Acquire).as_ref() }
    }

    /// The present value; when there is none, what `make` makes. Of several threads one makes it and the others wait.
    #[inline]
    pub(crate) fn get_or_init(&self, make: impl FnOnce() -> T) -> &'static T {
        self.get().unwrap_or_else(|| self.init(make))
    }

    #[cold]
    fn init(&self, make: impl FnOnce() -> T) -> &'static T {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been first.
        self.get().unwrap_or_else(|| self.publish(&mut kept, make()))
    }

    /// Replaces the present value by what `make` makes of it; after an error it stays.
    pub(crate) fn try_replace<E>(
        &self,
        make: impl FnOnce(Option<&'static T>) -> Result<T, E>,
    ) -> Result<(), E> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let value = make(self.get())?;
        self.publish(&mut kept, value);
        Ok(())
    }

    fn publish(&self, kept: &mut Vec<&'static T>, value: T) -> &'static T {
        let value: &'static T = Box::leak(Box::new(value));
        kept.push(value);
        self.current.store(ptr::from_ref(value).cast_mut(), Ordering::Release);
        value
    }
}

#[cfg(test)]
mod tests {
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
                PAIR.try_replace(|_| Ok::<_, ()>((number, vec![number]))).expect("nothing fails");
            }
        });
        assert_eq!(*first, (0, vec![0]));
    }

    #[test]
    fn after_an_error_the_value_stays() {
        static NAME: Replaceable<&str> = Replaceable::new();
        assert_eq!(NAME.try_replace(|_| Err("none")), Err("none"));
        assert!(NAME.get().is_none());
        assert_eq!(*NAME.get_or_init(|| "first"), "first");
        assert_eq!(*NAME.get_or_init(|| unreachable!("there is one")), "first");
        assert_eq!(NAME.try_replace(|name| name.map_or(Ok("second"), |_| Err("no"))), Err("no"));
        assert_eq!(NAME.get(), Some(&"first"));
    }
}
