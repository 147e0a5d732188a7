//! Independent work on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What a function makes of each item, on so many threads, in the order of the items.
pub fn on_threads<T: Sync, R: Send>(threads: usize, items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let mut made: Vec<(usize, R)> = std::thread::scope(|scope| {
        let worker = || {
            let claim = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < items.len());
            std::iter::from_fn(claim).map(|at| (at, make(&items[at]))).collect::<Vec<_>>()
        };
        let threads: Vec<_> =
            (0..threads.clamp(1, items.len().max(1))).map(|_| scope.spawn(worker)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.flat_map(|made| made.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, made)| made).collect()
}
