//! Checks that a mapping that was read is one that a GPU takes, and whose text is not without end.

use super::{Mapping, Tiling};
use crate::limits::MOST_THREADS;

/// The most points of a thread, in loops or at hand.
const MOST_POINTS: u64 = 1 << 16;
/// The most points of a thread where operands of all of them are staged.
const MOST_STAGED_POINTS: u64 = 1 << 10;
/// The most iterations that are staged or written out.
const MOST_ITERATIONS: u32 = 1024;
const MOST_TERMS: u32 = 1 << 20;
const MOST_STAGES: u32 = 8;
const MOST_NEIGHBOURS: u32 = 16;
/// The most blocks that a multiprocessor has.
const MOST_BLOCKS: u32 = 32;

impl Mapping {
    /// Returns what is wrong first.
    pub(crate) fn check(&self) -> Result<(), String> {
        let products = self.products.iter().chain(self.boxes.iter().flatten());
        let usual = self.usual.iter().chain(&self.sums).chain(products);
        usual.chain(self.own.iter().map(|(_, tiling)| tiling)).try_for_each(check)
    }
}

fn check(tiling: &Tiling) -> Result<(), String> {
    let Tiling { block, thread_tile, vector_width, tile_k, stages, split_k, unroll, min_blocks, .. } = tiling;
    if !are_within(block, MOST_THREADS.into()) {
        return Err(format!("blocks of {block:?} threads"));
    }
    if !are_within(thread_tile, if *tile_k > 0 { MOST_STAGED_POINTS } else { MOST_POINTS }) {
        return Err(format!("threads of {thread_tile:?} points"));
    }
    if !tiling.has_sound_slices() {
        return Err(format!("{} slices of blocks of {block:?} threads", tiling.sliced_k));
    }
    if tiling.matrix_units.is_some() && !tiling.has_sound_fragments() {
        return Err(format!("matrix units for blocks of {block:?} threads of {thread_tile:?} points"));
    }
    for (value, most, what) in [
        (*tile_k, MOST_ITERATIONS, "iterations that are staged or written out"),
        (*unroll, MOST_ITERATIONS, "iterations that are staged or written out"),
        (*split_k, MOST_TERMS, "terms of a sum"),
        (*stages, MOST_STAGES, "buffers"),
        (*vector_width, MOST_NEIGHBOURS, "neighbours"),
        (*min_blocks, MOST_BLOCKS, "blocks at the same time"),
    ] {
        if value > most {
            return Err(format!("{value} {what}"));
        }
    }
    Ok(())
}

/// Returns `true` if all extents are at least 1 and their product is not too large.
fn are_within(extents: &[u32; 3], most: u64) -> bool {
    extents.iter().all(|extent| (1..=most).contains(&u64::from(*extent)))
        && extents.iter().map(|extent| u64::from(*extent)).product::<u64>() <= most
}
