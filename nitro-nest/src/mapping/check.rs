//! Whether a mapping that was read is one that a GPU takes, and whose text is not without end.

use super::{Mapping, Tiling};

const MOST_THREADS: u64 = 1024;
/// Of a thread, in loops or at hand.
const MOST_POINTS: u64 = 1 << 16;
/// Where operands of all of them are staged.
const MOST_STAGED_POINTS: u64 = 1 << 10;
/// Iterations that are staged or written out.
const MOST_ITERATIONS: u32 = 1024;
const MOST_TERMS: u32 = 1 << 20;
const MOST_BUFFERS: u32 = 8;
const MOST_NEIGHBOURS: u32 = 16;
/// As many blocks as a multiprocessor has.
const MOST_RESIDENT: u32 = 32;

impl Mapping {
    /// What is wrong first.
    pub(crate) fn check(&self) -> Result<(), String> {
        let usual = self.usual.iter().chain(&self.sums).chain(&self.products);
        usual.chain(self.own.iter().map(|(_, tiling)| tiling)).try_for_each(check)
    }
}

fn check(tiling: &Tiling) -> Result<(), String> {
    let Tiling { block, points, neighbours, inner, buffers, terms, unroll, resident_blocks, .. } = tiling;
    let is_within = |extents: &[u32; 3], most: u64| {
        extents.iter().all(|extent| (1..=most).contains(&u64::from(*extent)))
            && extents.iter().map(|extent| u64::from(*extent)).product::<u64>() <= most
    };
    if !is_within(block, MOST_THREADS) {
        return Err(format!("blocks of {block:?} threads"));
    }
    if !is_within(points, if *inner > 0 { MOST_STAGED_POINTS } else { MOST_POINTS }) {
        return Err(format!("threads of {points:?} points"));
    }
    if !tiling.has_sound_slices() {
        return Err(format!("{} slices of blocks of {block:?} threads", tiling.slices));
    }
    match [*inner, *unroll].into_iter().find(|iterations| *iterations > MOST_ITERATIONS) {
        Some(iterations) => Err(format!("{iterations} iterations that are staged or written out")),
        None if *terms > MOST_TERMS => Err(format!("{terms} terms of a sum")),
        None if *buffers > MOST_BUFFERS => Err(format!("{buffers} buffers")),
        None if *neighbours > MOST_NEIGHBOURS => Err(format!("{neighbours} neighbours")),
        None if *resident_blocks > MOST_RESIDENT => Err(format!("{resident_blocks} blocks at the same time")),
        None => Ok(()),
    }
}
