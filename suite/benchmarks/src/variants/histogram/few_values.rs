//! Comparing instead of counting, for images of few values.

use super::{BINS, multi_table, private_tables};

/// Pixels whose matches are summed in 8 bits, the narrowest and so the widest vectors: a multiple of them below 256.
const GROUP_PIXELS: usize = 192;
/// Pixels of a block: it stays in the first-level cache while it is compared with one value after the other.
const BLOCK_PIXELS: usize = 16 * GROUP_PIXELS;
/// Pixels of a block that are looked at to find its values.
const PROBES: usize = 64;
/// Values up to which comparing a block with each of them is cheaper than counting its pixels one by one.
const MAX_VALUES: usize = 8;

/// Pixels of a part at least: comparing is so fast that fewer would not pay for waking another thread.
const MIN_PART_PIXELS: usize = 64 * 1024;

/// Counts each value of a block by comparing all its pixels with it, and blocks of many values one by one.
///
/// Best for masks, drawings and other images whose every neighbourhood has few values. Large images
/// are shared among the threads of the pool.
pub fn few_values(pixels: &[u8], bins: &mut [u32; BINS]) {
    private_tables::in_parts(pixels, MIN_PART_PIXELS, bins, count);
}

/// Adds the counts of `pixels` to `bins`.
fn count(pixels: &[u8], bins: &mut [u32; BINS]) {
    let mut crowded = 0..0;
    for (index, block) in pixels.chunks(BLOCK_PIXELS).enumerate() {
        if count_few(block, bins) {
            continue;
        }
        // Blocks of many values that follow each other are counted in one go.
        let start = index * BLOCK_PIXELS;
        if crowded.end != start {
            multi_table::count(&pixels[crowded], bins);
            crowded = start..start;
        }
        crowded.end = start + block.len();
    }
    multi_table::count(&pixels[crowded], bins);
}

/// Counts a block whose values are all among its probes; otherwise changes nothing and returns false.
fn count_few(block: &[u8], bins: &mut [u32; BINS]) -> bool {
    let Some((values, found)) = probe(block) else { return false };
    let mut counts = [0; MAX_VALUES];
    let mut left = block.len() as u32;
    for (count, &value) in counts.iter_mut().zip(&values[..found]) {
        *count = occurrences(block, value);
        left -= *count;
    }
    if left == 0 {
        for (count, &value) in counts.iter().zip(&values[..found]) {
            bins[usize::from(value)] += count;
        }
    }
    left == 0
}

/// The different values among evenly spaced pixels, and how many they are; `None` if too many.
fn probe(block: &[u8]) -> Option<([u8; MAX_VALUES], usize)> {
    let mut values = [0; MAX_VALUES];
    let mut found = 0;
    let step = (block.len() / PROBES).max(1);
    for &pixel in block.iter().step_by(step) {
        if !values[..found].contains(&pixel) {
            *values.get_mut(found)? = pixel;
            found += 1;
        }
    }
    Some((values, found))
}

/// How often `value` occurs.
fn occurrences(block: &[u8], value: u8) -> u32 {
    let count = |group: &[u8]| group.iter().map(|&pixel| u8::from(pixel == value)).sum::<u8>();
    block.chunks(GROUP_PIXELS).map(|group| u32::from(count(group))).sum()
}
