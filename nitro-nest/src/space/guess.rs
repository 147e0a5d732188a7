//! Guesses: the tilings of products and sums that a model takes for the fastest at given sizes. A search begins with
//! them.
//!
//! The model counts what an analysis by hand would: blocks that come out even, instructions of a thread beside its
//! products, warps that hide each other's latencies, barriers, and the bytes of operands. It orders tilings before
//! anything is compiled, and says nothing about their times.

use std::cmp::Ordering;

use nitro_search::Crossing;

use super::MappingSpace;
use super::guess_batches::cycles_of_batches;
use super::guess_points::cycles_of_points;
use super::guess_sums::{MEMORY_BYTES, cycles_of_rows, cycles_of_sums};
use super::questions::{Question, answer, is_sound, questions, resident_blocks, tiling, warps};
use super::shape::Shape;
use crate::limits::LANES;
use crate::lower::{Operand, Product, grouped};
use crate::mapping::{Mapping, Schedule, Tiling};

/// The most guesses for an input.
pub(super) const MOST_GUESSES: usize = 5;
/// The most of them with fused loops, so that there are others.
const MOST_FUSED: usize = 3;
/// The most tilings of a kernel among which these are found: some differ in nothing that is written.
const MOST_RANKED: usize = 20;
/// Threads that a multiprocessor has at a time, and the bytes of its shared memory.
pub(super) const MOST_RESIDENT_THREADS: f64 = 2048.0;
pub(super) const SHARED_BYTES: f64 = 200.0 * 1024.0;
/// Products of a multiprocessor in a cycle.
pub(super) const CORES: f64 = 128.0;
/// Bytes that a multiprocessor gets of the second-level cache in a cycle.
pub(super) const CACHE_BYTES: f64 = 40.0;
/// Elements of a transaction of global memory.
const SEGMENT: f64 = 8.0;
/// By so much more does a term of a tile take that is cut off along the sum.
pub(super) const CUT_OFF: f64 = 1.0;
/// Instructions of a copy to shared memory, with those for its addresses.
pub(super) const COPY: f64 = 5.0;
/// Instructions of a thread for each tile, whatever it copies.
pub(super) const TILE: f64 = 60.0;
/// Cycles that a block waits at a barrier, and for what it has sent for.
pub(super) const BARRIER_CYCLES: f64 = 60.0;
/// Warps of a multiprocessor whose time latencies take: of so many there would be work for half of the time.
const LATE_WARPS: f64 = 1.0;
/// Cycles of a multiprocessor for an element that is added atomically.
const ADDITION: f64 = 1.0 / 16.0;
/// Cycles that a launch takes, whatever it does.
const LAUNCH_CYCLES: f64 = 3000.0;
/// What overlaps least: of the lesser of two times, so much is seen.
pub(super) const SEEN: f64 = 0.2;

/// Questions that are not searched by the model, each with the answer that is usual for products.
const USUAL: [(&str, u32); 5] =
    [("neighbours", 4), ("buffers", 2), ("transposed", 1), ("unroll", 0), ("wide sums", 1)];

impl MappingSpace {
    /// Returns paths whose kernels have tilings that are likely fast at these sizes, best first.
    ///
    /// They are those of the presets `sane` and `split` otherwise, with rows, with partial results, or without, and of
    /// `sane` with fused loops. None, where no kernel has a model.
    pub(super) fn guessed_paths(&self, sizes: &[i64], multiprocessors: f64) -> Vec<Vec<Crossing>> {
        let mut known = Vec::new();
        let mut all: Vec<(f64, Vec<Crossing>)> = Vec::new();
        let sane = Mapping::sane();
        // A product that shares a kernel with what sums it up has no tiles.
        let apart = sane.clone().with_schedule(Schedule { fuses: false, ..sane.schedule() });
        // Few long rows want several blocks each.
        let by_sums = sane.clone().with_schedule(Schedule { rows: false, ..sane.schedule() });
        let presets = [sane.clone(), apart, by_sums, Mapping::split(), Mapping::parted()];
        let in_loops_as_written = presets.map(|mapping| (mapping, false));
        for (mapping, fuses_loops) in in_loops_as_written.into_iter().chain([(sane, true)]) {
            let schedule = self.preset_schedule(&mapping, fuses_loops);
            let Some(schedule) = schedule.filter(|schedule| !known.contains(schedule)) else { continue };
            // Loops are fused for what is done to the same rows.
            if fuses_loops && !self.schedules[schedule].2.iter().any(|shape| shape.is_row) {
                continue;
            }
            // Without rows, a thread may have a whole one: its model says nothing of how such threads read.
            if !mapping.schedule().rows && self.schedules[schedule].2.iter().any(Shape::is_serial) {
                continue;
            }
            known.push(schedule);
            let most = if fuses_loops { MOST_FUSED } else { usize::MAX };
            all.extend(
                self.guessed_paths_of(schedule, &mapping, sizes, multiprocessors).into_iter().take(most),
            );
        }
        all.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        all.into_iter().map(|(_, path)| path).collect()
    }

    /// Returns such paths with one schedule, each with about how many cycles it takes.
    fn guessed_paths_of(
        &self,
        schedule: usize,
        mapping: &Mapping,
        sizes: &[i64],
        multiprocessors: f64,
    ) -> Vec<(f64, Vec<Crossing>)> {
        let (form, own, shapes) = &self.schedules[schedule];
        let input = &self.forms.all[*form].1;
        let scheduled = Mapping::naive().with_schedule(*own);
        let draft = grouped(input, &scheduled);
        let ranked: Vec<Vec<Ranked>> = shapes
            .iter()
            .map(|shape| {
                let kernel = draft.kernels.iter().find(|kernel| kernel.group.statements == shape.statements);
                let product = kernel.map(|kernel| Product::new(&draft.input.nest, kernel, sizes));
                let (Some(product), Some(cycles)) = (product, model(shape)) else { return Vec::new() };
                ranked(shape, &|tiling| cycles(shape, &product, tiling, multiprocessors))
            })
            .collect();
        let count = ranked.iter().map(Vec::len).max().unwrap_or_default();
        let paths = (0..count).filter_map(|at| {
            let mut answers = self.first_answers(schedule);
            let mut cycles = LAUNCH_CYCLES * shapes.len() as f64;
            for (shape, ranked) in shapes.iter().zip(&ranked) {
                answers.extend(match ranked.get(at).or(ranked.last()) {
                    Some((own, values)) => {
                        cycles += own;
                        options(&questions(shape), values)
                    }
                    None => self.preset_answers(mapping, shape),
                });
            }
            Some((cycles, self.nearest_path(&answers)?))
        });
        paths.collect()
    }
}

/// Returns the answers that are values.
fn options(questions: &[Question], values: &[u32]) -> Vec<usize> {
    let each = questions.iter().zip(values).map(|(question, value)| {
        question.values.iter().position(|own| own == value).expect("a value is one of the question's")
    });
    each.collect()
}

/// A function of a kernel with a tiling that returns about how many cycles it takes on so many multiprocessors.
type Model = fn(&Shape, &Product, &Tiling, f64) -> f64;

/// Returns the model of a kernel's cycles; none: there is none for its kind.
fn model(shape: &Shape) -> Option<Model> {
    match shape.sums {
        _ if shape.stencil.is_some() => None,
        _ if shape.is_row => Some(cycles_of_rows),
        Some(_) => Some(cycles_of_sums),
        None if shape.is_batch() => Some(cycles_of_batches),
        None if shape.operands > 0 => Some(cycles),
        None => (shape.dimensions > 0).then_some(cycles_of_points as _),
    }
}

/// The values of a tiling, after about how many cycles it takes.
type Ranked = (f64, Vec<u32>);

/// Returns the values of the tilings that take the fewest cycles, no two with the same threads and points.
fn ranked(shape: &Shape, cycles: &dyn Fn(&Tiling) -> f64) -> Vec<Ranked> {
    let questions = questions(shape);
    let mut all: Vec<(f64, Tiling, Vec<u32>)> = Vec::new();
    complete(shape, &questions, &mut Vec::new(), &mut |values| {
        let tiling = tiling(shape, &questions, values);
        all.push((cycles(&tiling), tiling, values.to_vec()));
    });
    all.sort_by(|(one, ..), (other, ..)| one.partial_cmp(other).unwrap_or(Ordering::Equal));
    let mut best: Vec<(Tiling, Ranked)> = Vec::new();
    for (cycles, tiling, values) in all {
        // What takes as long to the last bit differs in nothing that counts.
        let is_new = |(other, (own, _)): &(Tiling, Ranked)| {
            (other.block, other.thread_tile) != (tiling.block, tiling.thread_tile) && *own != cycles
        };
        if best.len() < MOST_RANKED && best.iter().all(is_new) {
            best.push((tiling, (cycles, values)));
        }
    }
    best.into_iter().map(|(_, ranked)| ranked).collect()
}

/// Calls a function with the values of all sound tilings, with what is usual where the model has no opinion.
fn complete(shape: &Shape, questions: &[Question], values: &mut Vec<u32>, found: &mut dyn FnMut(&[u32])) {
    if !values.is_empty() && !is_sound(shape, questions, values) {
        return;
    }
    let Some(question) = questions.get(values.len()) else { return found(values) };
    let so_far = tiling(shape, questions, values);
    let usual = match (question.phase, shape.sums) {
        // The operands of small products stay in the caches, and small tiles have no neighbours.
        ("neighbours", None) if shape.is_batch() => {
            Some(if so_far.thread_tile[0].is_multiple_of(4) { 4 } else { 1 })
        }
        ("buffers", None) if shape.is_batch() => Some(if so_far.tile_k > 0 { 2 } else { 1 }),
        ("unroll", None) if shape.is_batch() => Some(if so_far.tile_k > 0 { 0 } else { 8 }),
        // What is added up of memory alone has to be on its way in numbers.
        ("unroll", Some(_)) => Some(8),
        ("unroll", None) if shape.is_row => Some(4),
        // What no two threads along an axis share comes through the caches as fast as through shared memory.
        ("inner tile", None) if shape.operands == 0 && !shape.reads_across => Some(0),
        ("buffers", None) if shape.operands == 0 => Some(1),
        _ => USUAL.iter().find(|(phase, _)| *phase == question.phase).map(|(_, value)| *value),
    };
    let nearest = usual.map(|usual| {
        let at = answer(question, &tiling(shape, &[*question], &[usual]));
        &question.values[at..=at]
    });
    for value in nearest.unwrap_or(question.values) {
        values.push(*value);
        complete(shape, questions, values, found);
        values.pop();
    }
}

/// Returns about how many cycles the busiest multiprocessor takes.
fn cycles(shape: &Shape, product: &Product, tiling: &Tiling, multiprocessors: f64) -> f64 {
    let tile = tiling.tile().map(f64::from);
    let points = tiling.thread_tile.map(f64::from);
    let along = [0, 1, 2].map(|axis| (product.extents[axis] / tile[axis]).ceil());
    // Split sums: a block has a share of the terms.
    let chunk = if shape.is_split { tiling.split_k_chunk() as f64 } else { f64::INFINITY };
    let chunks = (product.split / chunk).ceil().max(1.0);
    let terms = product.terms / chunks;
    let innermost = product.innermost.min(terms);
    let blocks = along.iter().product::<f64>() * chunks;
    let own_blocks = (blocks * product.others / multiprocessors).ceil();
    // Threads beyond the extents have nothing to do.
    let useful: f64 = (0..3).map(|axis| product.extents[axis] / (along[axis] * tile[axis])).product();
    let slices = f64::from(tiling.sliced_k.max(1));
    // A warp that lacks threads takes as long as others.
    let warps = f64::from(warps(tiling));
    let threads = f64::from(LANES) * warps;
    // What a block and a thread have of all operands, for one term.
    let staged: f64 = product.operands.iter().map(|operand| operand.elements(tile)).sum();
    let read: f64 = product.operands.iter().map(|operand| operand.elements(points)).sum();
    let copying: f64 = product.operands.iter().map(|one| one.elements(tile) * copying(one, tiling)).sum();
    let elements: f64 = points.iter().product();
    let depth = f64::from(tiling.tile_k.max(1));
    let shared = staged * depth * slices * f64::from(tiling.stages.max(1)) * product.bytes;
    let resident =
        [f64::from(resident_blocks(shape, tiling)), MOST_RESIDENT_THREADS / threads, SHARED_BYTES / shared];
    let resident = resident.into_iter().fold(own_blocks, f64::min).floor().max(1.0);
    // Four operands are one instruction, and a thread copies its part of them.
    let other = read / 4.0 + copying * slices / threads + TILE / depth;
    // A tile that is cut off along the sum is computed with conditions, term by term.
    let in_tiles = (innermost / (depth * slices)).floor() * depth * slices / innermost;
    let cut_off = 1.0 + CUT_OFF * (1.0 - in_tiles).max(0.0);
    let issue = threads / slices * terms / CORES * (elements + other) * cut_off;
    let barriers = terms / (depth * slices) * BARRIER_CYCLES / resident;
    let busy_warps = resident * warps * useful;
    let added = if shape.is_split { threads * elements * ADDITION } else { 0.0 };
    // Elements are set before, added to, and maybe read again.
    let results = product.extents.iter().product::<f64>() * product.others * product.bytes;
    let passed = if shape.is_split { results * (2.0 + chunks) / multiprocessors / MEMORY_BYTES } else { 0.0 };
    let busy = own_blocks * (issue * (1.0 + LATE_WARPS / busy_warps) + barriers + added);
    // Rows of few neighbours take more transactions.
    let moved = own_blocks * staged * terms * product.bytes * (1.0 + SEGMENT / tile[0]) / CACHE_BYTES;
    busy.max(moved) + SEEN * busy.min(moved) + passed
}

/// Returns the instructions by which a thread copies an element to shared memory.
fn copying(operand: &Operand, tiling: &Tiling) -> f64 {
    // What comes to other places than neighbours comes one by one.
    let [x, y, z] = [tiling.vector_width, tiling.thread_tile[1], tiling.thread_tile[2]];
    let has_neighbours =
        [x, y, z].into_iter().zip(operand.differs).any(|(one, differs)| differs && one % 4 == 0);
    if tiling.transposes && has_neighbours && !operand.is_along_tile { COPY } else { COPY / 4.0 }
}

impl Operand {
    /// Returns the elements that a box with these extents has of it.
    pub(super) fn elements(&self, extents: [f64; 3]) -> f64 {
        extents
            .into_iter()
            .zip(self.differs)
            .filter(|(_, differs)| *differs)
            .map(|(extent, _)| extent)
            .product()
    }
}
