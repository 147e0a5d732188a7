//! Comparison sort in place.

use super::key::{Bits, Key, by_bits};

/// Keys that one thread sorts at least: fewer would not pay for waking another.
const TASK_KEYS: usize = 8 * 1024;
/// Keys that the pivot is the median of.
const PIVOT_SAMPLE: usize = 15;

/// Quicksort in place: keys are divided among the threads of the pool until each sorts its part by the standard
/// library's unstable sort.
///
/// Best for few keys, and for keys of few different values.
pub fn quick<K: Key>(keys: &mut [K]) {
    by_bits(keys, |bits| {
        let parts = rayon::current_num_threads();
        if parts == 1 || bits.len() <= 2 * TASK_KEYS || bits.is_sorted() {
            return bits.sort_unstable();
        }
        // Parts come out uneven, so there are some more of them than threads.
        let task = (bits.len() / (4 * parts)).max(TASK_KEYS);
        divide(bits, task, 2 * bits.len().ilog2());
    });
}

/// Divides until parts have at most `task` keys, which are sorted; gives up dividing after `depth` steps.
fn divide<B: Bits>(keys: &mut [B], task: usize, depth: u32) {
    if keys.len() <= task || depth == 0 {
        return keys.sort_unstable();
    }
    let pivot = pivot(keys);
    let smaller = partition(keys, |key| key < pivot);
    let (low, high) = keys.split_at_mut(smaller);
    // Few smaller keys mean that many may equal the pivot: those are in their place and need no sorting.
    let equal = if low.len() < high.len() / 8 { partition(high, |key| key <= pivot) } else { 0 };
    let high = &mut high[equal..];
    rayon::join(|| divide(low, task, depth - 1), || divide(high, task, depth - 1));
}

/// The median of some evenly spaced keys.
fn pivot<B: Bits>(keys: &[B]) -> B {
    let mut sample = [B::default(); PIVOT_SAMPLE];
    let step = keys.len() / PIVOT_SAMPLE;
    for (index, key) in sample.iter_mut().enumerate() {
        *key = keys[index * step + step / 2];
    }
    sample.sort_unstable();
    sample[PIVOT_SAMPLE / 2]
}

/// Moves the keys that belong in front there and returns how many they are.
fn partition<B: Bits>(keys: &mut [B], in_front: impl Fn(B) -> bool) -> usize {
    let mut front = 0;
    // Every key is swapped and the border moved or not: no jump depends on a comparison.
    for index in 0..keys.len() {
        let key = keys[index];
        keys.swap(index, front);
        front += usize::from(in_front(key));
    }
    front
}
