//! Every thread counts a part of the image into a table of its own.

use rayon::prelude::*;

use super::{BINS, add, multi_table};

/// Pixels of a part at least: with fewer, adding its tables takes as long as counting.
const MIN_PART_PIXELS: usize = 8 * 1024;

/// Counts parts of the image on all threads of the pool, each into private tables, and adds the tables.
///
/// Best for large images with many values.
pub fn private_tables(pixels: &[u8], bins: &mut [u32; BINS]) {
    in_parts(pixels, MIN_PART_PIXELS, bins, multi_table::count);
}

/// Applies `count` to parts of at least `min_part` pixels on all threads of the pool and adds up what it counted.
pub(super) fn in_parts(
    pixels: &[u8],
    min_part: usize,
    bins: &mut [u32; BINS],
    count: impl Fn(&[u8], &mut [u32; BINS]) + Sync,
) {
    bins.fill(0);
    let threads = rayon::current_num_threads();
    // One part a thread: the work of equally long parts hardly differs, and every part more is a table more.
    let part = pixels.len().div_ceil(threads).max(min_part);
    if pixels.len() <= part {
        return count(pixels, bins);
    }
    let tables: Vec<[u32; BINS]> = pixels
        .par_chunks(part)
        .map(|part| {
            let mut table = [0; BINS];
            count(part, &mut table);
            table
        })
        .collect();
    tables.iter().for_each(|table| add(bins, table));
}
