//! Independent work on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Applies a function to each item, on so many threads; returns the results in the order of the items.
pub fn on_threads<T: Sync, R: Send>(threads: usize, items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let mut made: Vec<(usize, R)> = std::thread::scope(|scope| {
        // Each thread claims the next item, until none is left.
        let threads: Vec<_> = (0..threads.clamp(1, items.len().max(1)))
            .map(|_| {
                scope.spawn(|| {
                    let mut made = Vec::new();
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(at) else { return made };
                        made.push((at, make(item)));
                    }
                })
            })
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.flat_map(|made| made.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, made)| made).collect()
}

/// Returns the first finding among items that are looked at on so many threads; nothing is looked at in vain behind a
/// finding that is known already.
pub fn first_on_threads<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    look: impl Fn(&T) -> Option<R> + Sync,
) -> Option<R> {
    let first = AtomicUsize::new(usize::MAX);
    let numbered: Vec<(usize, &T)> = items.iter().enumerate().collect();
    let found = on_threads(threads, &numbered, |&(at, item)| {
        if at > first.load(Ordering::Relaxed) {
            return None;
        }
        let found = look(item)?;
        first.fetch_min(at, Ordering::Relaxed);
        Some(found)
    });
    found.into_iter().flatten().next()
}

/// Returns the number of cores, or one where that is not known.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_finding_does_not_depend_on_the_number_of_threads() {
        let items: Vec<usize> = (0..500).collect();
        for threads in [1, 2, 8] {
            let found = first_on_threads(threads, &items, |&item| (item % 97 == 96).then_some(item));
            assert_eq!(found, Some(96));
            assert_eq!(first_on_threads(threads, &items, |_| None::<usize>), None);
        }
    }
}
