//! Merge sort of keys made of runs.

use super::key::{Bits, Key, by_bits};
use super::merge::{merge_here, sort_parts};

/// Mean length of runs from which merging them is faster than sorting anew.
const MIN_MEAN_RUN: usize = 48;

/// Stable merge sort that takes over the runs it finds, on each thread's part; the parts are merged on all threads of
/// the pool. Keys without runs are left to the standard library's stable sort.
///
/// Best for keys made of sorted runs.
pub fn merge<K: Key>(keys: &mut [K]) {
    by_bits(keys, |bits| sort_parts(bits, &sort_runs));
}

/// Merges the runs that the keys are made of, pair by pair; sorts by the standard library if they are too short.
pub(super) fn sort_runs<B: Bits>(keys: &mut [B]) {
    let Some(mut ends) = find_runs(keys) else { return keys.sort() };
    if ends.len() <= 1 {
        return;
    }
    let mut buffer = vec![B::default(); keys.len()];
    let (mut from, mut to) = (&mut *keys, buffer.as_mut_slice());
    let mut in_buffer = false;
    while ends.len() > 1 {
        ends = merge_pairs(from, to, &ends);
        (from, to) = (to, from);
        in_buffer = !in_buffer;
    }
    if in_buffer {
        keys.copy_from_slice(&buffer);
    }
}

/// The ends of the runs, after descending ones have been turned around; none if runs are short on average.
fn find_runs<B: Bits>(keys: &mut [B]) -> Option<Vec<usize>> {
    let mut ends = Vec::new();
    let mut start = 0;
    while start < keys.len() {
        let rest = &mut keys[start..];
        // Equal keys must not be turned around, so a descending run has none.
        let falls = rest.len() > 1 && rest[1] < rest[0];
        let in_run = |pair: &[B]| if falls { pair[1] < pair[0] } else { pair[0] <= pair[1] };
        let length = 1 + rest.windows(2).take_while(|pair| in_run(pair)).count();
        if falls {
            rest[..length].reverse();
        }
        start += length;
        ends.push(start);
        // Given up as soon as the first runs show it, so that keys without runs lose no time here.
        if ends.len() >= 8 && start < ends.len() * MIN_MEAN_RUN {
            return None;
        }
    }
    Some(ends)
}

/// Merges every run with its neighbour from one array to the other and returns where the new runs end.
fn merge_pairs<B: Bits>(from: &[B], to: &mut [B], ends: &[usize]) -> Vec<usize> {
    let mut start = 0;
    let mut merged = Vec::with_capacity(ends.len().div_ceil(2));
    for pair in ends.chunks(2) {
        let (middle, end) = (pair[0], pair[pair.len() - 1]);
        merge_here(&from[start..middle], &from[middle..end], &mut to[start..end]);
        merged.push(end);
        start = end;
    }
    merged
}
