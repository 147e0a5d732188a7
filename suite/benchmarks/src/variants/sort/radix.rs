//! Radix sort.

use super::key::{Bits, Key, by_bits};
use super::merge::sort_parts;

/// Values of a digit. Bytes as digits keep the places that are written to at a time in the first-level cache.
const RADIX: usize = 256;
/// Keys below which counting digits costs more than comparing.
const MIN_KEYS: usize = 64;

/// Least significant digit first, one byte a pass, on each thread's part; the parts are merged on all threads.
///
/// Passes over bytes that all keys share are left out. Best for many keys in no order, the shorter the better.
pub fn radix<K: Key>(keys: &mut [K]) {
    by_bits(keys, |bits| sort_parts(bits, &sort_part));
}

/// Sorts on this thread.
fn sort_part<B: Bits>(keys: &mut [B]) {
    if keys.len() < MIN_KEYS {
        return keys.sort_unstable();
    }
    let counts = count_digits(keys);
    let mut buffer = vec![B::default(); keys.len()];
    let (mut from, mut to) = (&mut *keys, buffer.as_mut_slice());
    let mut in_buffer = false;
    for (byte, counts) in counts.iter().enumerate().take(B::BYTES) {
        if counts[from[0].byte(byte)] as usize == from.len() {
            continue;
        }
        scatter(from, to, byte, counts);
        (from, to) = (to, from);
        in_buffer = !in_buffer;
    }
    if in_buffer {
        keys.copy_from_slice(&buffer);
    }
}

/// How often each value occurs at each byte, for all bytes in one pass.
fn count_digits<B: Bits>(keys: &[B]) -> [[u32; RADIX]; 8] {
    let mut counts = [[0; RADIX]; 8];
    for key in keys {
        for (byte, counts) in counts.iter_mut().enumerate().take(B::BYTES) {
            counts[key.byte(byte)] += 1;
        }
    }
    counts
}

/// Moves keys to where they stand by one byte; keys that are alike there keep their order.
fn scatter<B: Bits>(from: &[B], to: &mut [B], byte: usize, counts: &[u32; RADIX]) {
    let mut places = [0; RADIX];
    let mut end = 0;
    for (place, count) in places.iter_mut().zip(counts) {
        *place = end;
        end += *count as usize;
    }
    for key in from {
        let place = &mut places[key.byte(byte)];
        to[*place] = *key;
        *place += 1;
    }
}
