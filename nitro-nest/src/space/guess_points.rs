//! A model of the cycles of kernels whose threads have points and neither stage the operands of a product nor share a
//! sum: what is done to each element, windows, and transpositions.

use super::guess::{CORES, MOST_RESIDENT_THREADS, SEEN, SHARED_BYTES};
use super::guess_sums::{AHEAD, BLOCK, LATENCY, MEMORY_BYTES, OTHER_REGISTERS, SEGMENT};
use super::shape::Shape;
use crate::limits::{LANES, REGISTERS, STATIC_SHARED_BYTES};
use crate::lower::Product;
use crate::mapping::Tiling;

/// Instructions for a term: a value is read, with its address, and added.
const TERM: f64 = 4.0;
/// Instructions for a point beside its terms.
const POINT: f64 = 12.0;
/// Instructions of a thread beside its points.
const THREAD: f64 = 40.0;
/// Instructions for an element that comes through shared memory.
const THROUGH_SHARED: f64 = 8.0;

/// Blocks that a multiprocessor has at a time.
pub(super) const MOST_RESIDENT_BLOCKS: f64 = 32.0;
/// By so much does it take longer for each row more that a warp touches at once.
pub(super) const NARROW: f64 = 0.15;
/// By so much for each point of a thread: registers are waited for, and conditions asked.
const LARGE: f64 = 0.01;

/// Returns about how many cycles the busiest multiprocessor takes.
pub(super) fn cycles_of_points(
    shape: &Shape,
    product: &Product,
    tiling: &Tiling,
    multiprocessors: f64,
) -> f64 {
    let (tile, block) = (tiling.tile().map(f64::from), tiling.block.map(f64::from));
    let along = [0, 1, 2].map(|axis| (product.extents[axis] / tile[axis]).ceil());
    let blocks = along.iter().product::<f64>() * product.others;
    let threads: f64 = block.iter().product();
    let points: f64 = tiling.thread_tile.map(f64::from).iter().product();
    let registers = REGISTERS as f64 / (threads * (OTHER_REGISTERS + points * f64::from(shape.words)));
    let shared = tile.iter().product::<f64>() * product.bytes;
    let is_staged = shape.reads_across && tiling.tile_k > 0 && shared <= STATIC_SHARED_BYTES as f64;
    let room = if is_staged { SHARED_BYTES / shared } else { f64::INFINITY };
    let most = (MOST_RESIDENT_THREADS / threads).min(MOST_RESIDENT_BLOCKS);
    let resident = most.min(registers).min(room).floor().max(1.0);
    let of_each = blocks / multiprocessors;
    let turns = (of_each / resident).ceil();
    let of_point = product.terms * TERM + POINT + if is_staged { THROUGH_SHARED } else { 0.0 };
    let warps = (threads / f64::from(LANES)).ceil() * f64::from(LANES);
    // Points outside of the extents take their time too.
    let issue = of_each.ceil() * warps * (points * of_point + THREAD) / CORES;
    // Each element is read once, and one is written for it; rows that begin anew take transactions more.
    let all = product.extents.iter().product::<f64>() * product.others;
    let segments = if shape.reads_across && !is_staged {
        SEGMENT / 2.0
    } else if is_staged {
        1.0 + SEGMENT / 4.0 / tile[0].min(tile[1]).max(1.0)
    } else {
        1.0 + SEGMENT / 4.0 / tile[0].min(product.extents[0])
    };
    let moved = 2.0 * all * product.bytes * segments / (multiprocessors * MEMORY_BYTES);
    let waits = turns * ((points * product.terms / AHEAD).ceil() * LATENCY / AHEAD + LATENCY + BLOCK);
    // The last blocks leave multiprocessors idle.
    let moved = moved * if turns < 4.0 { of_each.ceil() / of_each } else { 1.0 };
    let most = moved.max(issue).max(waits);
    let lanes = f64::from(LANES);
    // A warp that touches several rows at once takes turns in the cache.
    let narrow = 1.0 + NARROW * (lanes / block[0].min(lanes) - 1.0);
    (most + SEEN * (moved + issue + waits - most)) * narrow * (1.0 + LARGE * points)
}
