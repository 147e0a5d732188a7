//! A sort for keys that are nearly sorted.

use super::key::{Bits, Key, by_bits};
use super::merge::sort_parts;

/// Keys dropped in a row after which the blame is put on the keys kept before them.
const PATIENCE: usize = 8;
/// One key in so many may be out of place; with more of them, another sort is faster.
const MAX_DROPPED_SHARE: usize = 4;
/// Keys looked at before the share of dropped ones counts.
const TRIAL_KEYS: usize = 256;

/// Takes the keys that are out of place out of the others, which are sorted without them, sorts those few, and
/// merges the two; on each thread's part, and the parts are merged on all threads of the pool.
///
/// Best for keys of which up to a tenth is out of place. Descending keys are turned around first, and keys in no
/// order are left to the standard library.
pub fn drop_merge<K: Key>(keys: &mut [K]) {
    by_bits(keys, |bits| sort_parts(bits, &sort_part));
}

/// Sorts on this thread.
fn sort_part<B: Bits>(keys: &mut [B]) {
    if mostly_descends(keys) {
        keys.reverse();
    }
    match drop_misplaced(keys) {
        Some(mut dropped) => {
            dropped.sort_unstable();
            merge_back(keys, &dropped);
        }
        None => keys.sort(),
    }
}

/// Whether most of some evenly spaced pairs of neighbours descend.
fn mostly_descends<B: Bits>(keys: &[B]) -> bool {
    let step = (keys.len() / 32).max(1);
    let (mut pairs, mut descending) = (0, 0);
    for pair in keys.windows(2).step_by(step) {
        pairs += 1;
        descending += usize::from(pair[1] < pair[0]);
    }
    descending * 4 > pairs * 3
}

/// Moves an ascending subsequence to the front and returns the keys that are not part of it, which is room for as
/// many at the back. With too many of them all keys are left, in another order, and none are returned.
fn drop_misplaced<B: Bits>(keys: &mut [B]) -> Option<Vec<B>> {
    let (mut kept, mut read, mut in_a_row) = (0, 0, 0);
    let mut dropped = Vec::new();
    while read < keys.len() {
        let key = keys[read];
        read += 1;
        if kept == 0 || keys[kept - 1] <= key {
            keys[kept] = key;
            kept += 1;
            in_a_row = 0;
        } else if kept > 1 && in_a_row == 0 && keys[kept - 2] <= key {
            // Only the last key kept is too large: it is the one out of place.
            dropped.push(keys[kept - 1]);
            keys[kept - 1] = key;
        } else {
            dropped.push(key);
            in_a_row += 1;
            if in_a_row == PATIENCE {
                // The keys since are in order more likely than those few that they are smaller than.
                read -= PATIENCE;
                dropped.truncate(dropped.len() - PATIENCE);
                let least = keys[read..read + PATIENCE].iter().max().copied().unwrap_or(key);
                let stay = keys[..kept].partition_point(|kept| *kept <= least);
                dropped.extend_from_slice(&keys[stay..kept]);
                kept = stay;
                in_a_row = 0;
            }
        }
        if dropped.len() > TRIAL_KEYS && dropped.len() * MAX_DROPPED_SHARE > read {
            keys[kept..read].copy_from_slice(&dropped);
            return None;
        }
    }
    Some(dropped)
}

/// Merges sorted keys into the sorted ones before them, from the largest down; they fill the room at the back.
fn merge_back<B: Bits>(keys: &mut [B], dropped: &[B]) {
    let mut kept = keys.len() - dropped.len();
    let mut left = dropped;
    while let [rest @ .., largest] = left {
        let place = kept + left.len() - 1;
        if kept > 0 && keys[kept - 1] > *largest {
            kept -= 1;
            keys[place] = keys[kept];
        } else {
            keys[place] = *largest;
            left = rest;
        }
    }
}
