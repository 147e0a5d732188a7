//! Models of the cycles of sums that several threads add up, and of kernels of whole rows.
//!
//! Both move bytes: what counts is how many are on their way at a time, what they wait for, and what is added
//! atomically.

use super::guess::MOST_RESIDENT_THREADS;
use super::guess_points::NARROW;
use super::shape::Shape;
use crate::limits::{LANES, REGISTERS};
use crate::lower::Product;
use crate::mapping::Tiling;

/// Bytes that a multiprocessor gets of memory in a cycle.
pub(super) const MEMORY_BYTES: f64 = 15.0;
/// By how many times as much it gets where most others have nothing to do.
const MOST_SHARES: f64 = 2.0;
/// Cycles from asking memory for something to having it.
pub(super) const LATENCY: f64 = 700.0;
/// Values that a thread asks for before it waits.
pub(super) const AHEAD: f64 = 8.0;
/// Cycles for a block that begins and ends.
pub(super) const BLOCK: f64 = 500.0;
/// Cycles between two atomic additions to an element.
const ADDITION: f64 = 4.0;
/// Values whose bytes are a transaction of memory.
pub(super) const SEGMENT: f64 = 8.0;
/// Values of a line of the cache.
const LINE: f64 = 32.0;
/// Registers of a thread beside its values.
pub(super) const OTHER_REGISTERS: f64 = 32.0;
/// The share of the time that rows take again for each step, if they are not in registers.
const AGAIN: f64 = 0.7;
/// By how much it takes longer if values do not come several at once.
const ONE_BY_ONE: f64 = 0.1;

/// Returns about how many cycles sums take that threads add up along axes.
pub(super) fn cycles_of_sums(_: &Shape, product: &Product, tiling: &Tiling, multiprocessors: f64) -> f64 {
    let (tile, block) = (tiling.tile().map(f64::from), tiling.block.map(f64::from));
    let extents = product.extents;
    let along = [0, 1, 2].map(|axis| (extents[axis] / tile[axis]).ceil());
    let blocks = along.iter().product::<f64>() * product.others;
    let threads: f64 = block.iter().product();
    // Of a block's values a thread has as many as come out, and some threads have none.
    let values: f64 = (0..3).map(|axis| (tile[axis].min(extents[axis]) / block[axis]).ceil()).product();
    let resident = (MOST_RESIDENT_THREADS / threads).floor().max(1.0);
    let turns = (blocks / (multiprocessors * resident)).ceil();
    let all = extents.iter().product::<f64>() * product.others * product.terms;
    let segments = 1.0 + SEGMENT / 2.0 / block[0];
    let moved = all * product.bytes * segments / (multiprocessors * MEMORY_BYTES);
    let waits = turns * ((values * product.terms / AHEAD).ceil() * LATENCY + BLOCK);
    let summed = (0..3).filter(|axis| product.is_summed[*axis]);
    // Threads that sum along x have one element for each warp, or for the block where there is but one.
    let is_one = product.is_summed[0] && (0..3).all(|axis| product.is_summed[axis] || extents[axis] == 1.0);
    let lanes = match (is_one, product.is_summed[0]) {
        (true, _) => threads,
        (false, true) => f64::from(LANES),
        (false, false) => 1.0,
    };
    let added = summed.map(|axis| along[axis] * block[axis]).product::<f64>() / lanes;
    moved.max(waits) + 0.5 * moved.min(waits) + added * ADDITION
}

/// Returns about how many cycles rows take that the threads of a block share.
pub(super) fn cycles_of_rows(shape: &Shape, product: &Product, tiling: &Tiling, multiprocessors: f64) -> f64 {
    let of_row = f64::from(tiling.threads_of_row());
    let along = tiling.rows_of_block().map(f64::from);
    let rows: f64 = along.iter().product();
    let (kept, wide) = (f64::from(tiling.thread_tile[0]), f64::from(tiling.vector_width.max(1)));
    let threads = of_row * rows;
    let length = product.terms;
    let values = (length / (of_row * wide)).ceil() * wide;
    let number = product.extents.iter().product::<f64>() * product.others;
    let registers = REGISTERS as f64 / (threads * (OTHER_REGISTERS + kept));
    let resident = (MOST_RESIDENT_THREADS / threads).min(registers).floor().max(1.0);
    let blocks: f64 = (0..2).map(|axis| (product.extents[axis] / along[axis]).ceil()).product();
    let blocks = blocks * product.extents[2] * product.others;
    let turns = (blocks / (multiprocessors * resident)).ceil();
    let fits = of_row * kept >= length;
    let again = if fits && kept > 1.0 || !shape.has_steps { 0.0 } else { AGAIN };
    let segments = if shape.is_across { 1.0 + SEGMENT / 4.0 / rows } else { 1.0 };
    let comes_wide = wide > 1.0 && fits && kept > 1.0;
    let singly = if comes_wide || shape.is_across { 0.0 } else { ONE_BY_ONE };
    // Where others have no block, a multiprocessor gets more of memory.
    // A warp that touches a part of several rows at once takes turns in the cache.
    let at_once = of_row * if comes_wide { wide } else { 1.0 };
    let apart = (length / at_once).min(LINE / at_once).max(1.0);
    let busy = (MOST_SHARES * blocks).min(multiprocessors);
    let moved = number * length * product.bytes * segments / (busy * MEMORY_BYTES);
    let waits = turns * ((values / AHEAD).ceil() * LATENCY + LATENCY + of_row / 4.0 + BLOCK);
    let all = moved.max(waits) + 0.5 * moved.min(waits);
    // Without effect on rows of other lengths, more registers than needed are not worth asking for.
    all * (1.0 + again + singly) * (1.0 + NARROW * (apart - 1.0)) * (1.0 + 0.001 * kept)
}
