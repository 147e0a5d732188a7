//! A list that only grows, which all threads read and append to without a lock.

use once_cell::race::OnceBox;

/// A list that only grows: it has no lock, and what it holds never moves. The few devices of a process are found by
/// walking it.
///
/// Threads that ask for a value at once may each make one, of which one prevails. So nobody waits for a thread that
/// another process has, after a `fork`, and what makes a value may ask for it.
///
/// ```
/// use nitro_core::provide::Chain;
///
/// static OPENED: Chain<String> = Chain::new();
///
/// let first = OPENED.find_or_insert(|name| name == "cuda:0", || "cuda:0".to_owned());
/// OPENED.push("cuda:1".to_owned());
/// let again = OPENED.find_or_insert(|name| name == "cuda:0", || unreachable!("it is there"));
/// assert!(std::ptr::eq(first, again), "what is in it stays where it is");
/// assert_eq!(OPENED.iter().count(), 2);
/// ```
pub struct Chain<T> {
    head: OnceBox<Node<T>>,
}

struct Node<T> {
    value: T,
    next: Chain<T>,
}

impl<T> Default for Chain<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Chain<T> {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { head: OnceBox::new() }
    }

    /// The values so far, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let nodes = std::iter::successors(self.head.get(), |node| node.next.head.get());
        nodes.map(|node| &node.value)
    }

    /// The first value that `wanted` accepts.
    #[inline]
    pub fn find(&self, wanted: impl Fn(&T) -> bool) -> Option<&T> {
        self.iter().find(|value| wanted(value))
    }

    /// Appends a value.
    pub fn push(&self, value: T) -> &T {
        match self.insert(|_| false, || value) {
            Ok(new) => new,
            Err(_) => unreachable!("no value is wanted"),
        }
    }

    /// The first value that `wanted` accepts; when there is none, `make` appends one.
    ///
    /// # Panics
    /// When `make` does.
    pub fn find_or_insert(&self, wanted: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> &T {
        match self.insert(wanted, make) {
            Ok(value) | Err(value) => value,
        }
    }

    /// Appends what `make` gives, unless there is a value that `wanted` accepts: that one is the error.
    pub(crate) fn insert(&self, wanted: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> Result<&T, &T> {
        let mut make = Some(make);
        let mut made = None;
        let mut chain = self;
        loop {
            // What is there already, also what another thread appended while this one made its own.
            while let Some(node) = chain.head.get() {
                if wanted(&node.value) {
                    return Err(&node.value);
                }
                chain = &node.next;
            }
            let new =
                made.take().or_else(|| Some(Box::new(Node { value: make.take()?(), next: Self::new() })));
            let Err(rejected) = chain.head.set(new.expect("it is made once, and comes back until it is in"))
            else {
                return Ok(&chain.head.get().expect("it has just been set").value);
            };
            made = Some(rejected);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_race_for_one_entry_get_the_same() {
        static CHAIN: Chain<usize> = Chain::new();
        let find = |n| std::ptr::from_ref(CHAIN.find_or_insert(|&own| own == n, || n)).addr();
        let find_all = || (0..50).map(find).collect::<Vec<_>>();
        let found: Vec<Vec<usize>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(find_all)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(found.iter().all(|addresses| *addresses == found[0]));
    }

    #[test]
    fn what_makes_a_value_may_ask_for_it() {
        let chain: Chain<u32> = Chain::new();
        let outer = *chain.find_or_insert(|&own| own > 0, || *chain.find_or_insert(|&own| own > 0, || 1) + 1);
        assert_eq!((outer, chain.iter().count()), (1, 1), "the inner one was there first");
    }

    #[test]
    fn every_value_that_threads_append_at_once_is_there() {
        let chain = Chain::new();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let chain = &chain;
                scope.spawn(move || {
                    (0..50).for_each(|n| assert_eq!(*chain.push(50 * thread + n), 50 * thread + n))
                });
            }
        });
        let mut all: Vec<i32> = chain.iter().copied().collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..200));
    }
}
