//! One thread, several tables.

use super::{BINS, add};

/// Tables counted side by side. One table alone would make a run of equal pixels wait for its own last store;
/// eight of them hide that latency and still leave most of the first-level cache to the image.
const TABLES: usize = 8;

/// Counts on one thread into several tables that are added at the end.
///
/// Best for small images, where waking other threads costs more than it saves.
pub fn multi_table(pixels: &[u8], bins: &mut [u32; BINS]) {
    bins.fill(0);
    count(pixels, bins);
}

/// Adds the counts of `pixels` to `bins`.
pub(super) fn count(pixels: &[u8], bins: &mut [u32; BINS]) {
    let mut tables = [[0u32; BINS]; TABLES];
    let (groups, rest) = pixels.as_chunks::<TABLES>();
    for group in groups {
        let word = u64::from_le_bytes(*group);
        for (lane, table) in tables.iter_mut().enumerate() {
            table[(word >> (8 * lane)) as u8 as usize] += 1;
        }
    }
    for &pixel in rest {
        bins[usize::from(pixel)] += 1;
    }
    tables.iter().for_each(|table| add(bins, table));
}
