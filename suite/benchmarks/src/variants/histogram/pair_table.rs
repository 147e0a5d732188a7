//! Two pixels at a time.

use super::{BINS, private_tables};

/// Counters of all pairs of values.
const PAIRS: usize = BINS * BINS;
/// Pixels of a part at least: with fewer, clearing and reducing its table takes longer than counting.
const MIN_PART_PIXELS: usize = 128 * 1024;

/// Counts pairs of neighbouring pixels in a table of all pairs, which is reduced to single values at the end.
///
/// Half as many counter updates, in a table that fits no first-level cache: best for large images whose
/// neighbours are alike, so that only a part of the table is in use.
pub fn pair_table(pixels: &[u8], bins: &mut [u32; BINS]) {
    private_tables::in_parts(pixels, MIN_PART_PIXELS, bins, count);
}

/// Adds the counts of `pixels` to `bins`.
fn count(pixels: &[u8], bins: &mut [u32; BINS]) {
    // An array rather than a slice: no 16-bit index can lie outside it, so none is checked.
    let mut pairs: Box<[u32; PAIRS]> = vec![0; PAIRS].try_into().expect("a table of all pairs");
    let (groups, rest) = pixels.as_chunks::<8>();
    for group in groups {
        let word = u64::from_le_bytes(*group);
        for lane in 0..4 {
            pairs[usize::from((word >> (16 * lane)) as u16)] += 1;
        }
    }
    for &pixel in rest {
        bins[usize::from(pixel)] += 1;
    }
    reduce(&pairs, bins);
}

/// Adds a table of pairs to `bins`; the row is the second pixel of the pair, the column the first.
fn reduce(pairs: &[u32; PAIRS], bins: &mut [u32; BINS]) {
    for (second, row) in pairs.as_chunks::<BINS>().0.iter().enumerate() {
        super::add(bins, row);
        bins[second] += row.iter().sum::<u32>();
    }
}
