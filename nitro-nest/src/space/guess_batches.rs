//! A model of the cycles of batches of products, of which a block may have several: those of small matrices move bytes.

use super::guess::{
    BARRIER_CYCLES, CACHE_BYTES, COPY, CORES, CUT_OFF, MOST_RESIDENT_THREADS, SEEN, SHARED_BYTES, TILE,
};
use super::guess_points::MOST_RESIDENT_BLOCKS;
use super::guess_sums::{AHEAD, BLOCK, LATENCY, MEMORY_BYTES, OTHER_REGISTERS, SEGMENT};
use super::questions::warps;
use super::shape::Shape;
use crate::limits::{LANES, REGISTERS};
use crate::lower::{Operand, Product};
use crate::mapping::Tiling;

/// Instructions for an element that a thread reads, with its address, where it has no tile in shared memory.
const READ: f64 = 2.0;
/// Elements that a thread reads of shared memory at once.
const WIDE: f64 = 4.0;

/// Returns about how many cycles the busiest multiprocessor takes.
pub(super) fn cycles_of_batches(
    shape: &Shape,
    product: &Product,
    tiling: &Tiling,
    multiprocessors: f64,
) -> f64 {
    let (tile, points) = (tiling.tile().map(f64::from), tiling.thread_tile.map(f64::from));
    let blocks: f64 = (0..3).map(|axis| (product.extents[axis] / tile[axis]).ceil()).product();
    let own_blocks = (blocks * product.others / multiprocessors).ceil();
    let (threads, slices) = (f64::from(LANES * warps(tiling)), f64::from(tiling.sliced_k.max(1)));
    let elements: f64 = points.iter().product();
    let staged: f64 = product.operands.iter().map(|operand| operand.elements(tile)).sum();
    let depth = f64::from(tiling.tile_k) * slices;
    let shared = staged * depth * f64::from(tiling.stages.max(1)) * product.bytes;
    let registers = REGISTERS as f64 / (threads * (OTHER_REGISTERS + elements * f64::from(shape.words)));
    let resident = [own_blocks, MOST_RESIDENT_BLOCKS, MOST_RESIDENT_THREADS / threads, registers];
    let resident = resident.into_iter().fold(SHARED_BYTES / shared, f64::min).floor().max(1.0);
    // Several neighbours of a tile in shared memory are one read.
    let is_staged = tiling.tile_k > 0;
    let at_once = |operand: &Operand| {
        let is_wide = (0..3).any(|axis| operand.differs[axis] && points[axis] % WIDE == 0.0);
        if is_staged && is_wide { WIDE } else { 1.0 }
    };
    let reads: f64 = product.operands.iter().map(|one| one.elements(points) / at_once(one)).sum();
    let terms = product.terms / slices;
    let (instructions, waits) = if is_staged {
        let tiles = (product.terms / depth).ceil();
        let in_tiles = (product.innermost / depth).floor() * depth / product.innermost;
        let copied = tiles * (staged * depth * COPY / threads + TILE);
        let products = terms * (elements + reads) * (1.0 + CUT_OFF * (1.0 - in_tiles).max(0.0));
        (products + copied, tiles * (LATENCY + BARRIER_CYCLES))
    } else {
        (terms * (elements + READ * reads), (terms / AHEAD).ceil() * LATENCY)
    };
    let issue = own_blocks * threads * instructions / CORES;
    let read = own_blocks * threads * terms * reads / f64::from(LANES);
    let waits = (own_blocks / resident).ceil() * (waits + BLOCK);
    let cached =
        own_blocks * staged * product.terms * product.bytes * (1.0 + SEGMENT / 4.0 / tile[0]) / CACHE_BYTES;
    let results: f64 = product.extents.iter().product::<f64>() * product.others;
    let all = product.operands.iter().map(|one| one.elements(product.extents) * product.terms).sum::<f64>();
    let moved = (results + all * product.others) * product.bytes / (multiprocessors * MEMORY_BYTES);
    let parts = [issue, read, waits, cached, moved];
    let most = parts.into_iter().fold(0.0, f64::max);
    most + SEEN * (parts.iter().sum::<f64>() - most)
}
