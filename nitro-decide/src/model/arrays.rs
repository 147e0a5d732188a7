//! Arrays of a state: where they are, and what staging takes.

use super::dimensions::{self, BLOCK, Split, THREAD};
use super::time_bound::TimeBound;
use super::usage::{ArrayState, Place};
use super::work::{ArrayAccess, Work, WorkDimension};
use crate::candidate::{Candidate, Values};
use crate::space::{Array, Dependence, Passing, Statement};

/// Of the values of [`LOADINGS`](crate::LOADINGS).
pub(super) const AS_NEEDED: usize = 0;
pub(super) const TWO_TILES: usize = 2;
/// So many registers of a thread are for other things than sums: where these leave fewer, a compiler may keep some
/// elsewhere.
const SPARE_REGISTERS: f64 = 32.0;

impl TimeBound {
    /// Returns the state of an array that a statement touches.
    pub(super) fn seen(&self, touched: &ArrayAccess, candidate: &Candidate) -> ArrayState {
        let place = touched.memory.map_or(Place::Global, |memory| {
            match (candidate.values(memory).has(0), candidate.values(memory).has(1)) {
                (true, true) => Place::Open,
                (false, true) => Place::Shared,
                _ => Place::Global,
            }
        });
        // An instruction loads at most 16 bytes.
        let most = (16 / touched.element_bytes.max(1)).max(1);
        let widths = touched.vectors.iter().map(|&own| dimensions::vector(self.nesting(), own, candidate));
        // Of the four layouts two have each direction, one of them with padding.
        let mut along = [None; 2];
        if let Some(tile) = &touched.tile {
            let layouts = candidate.values(tile.layout);
            for (along, first) in along.iter_mut().zip([0, 2]) {
                let is_open = layouts.has(first) || layouts.has(first + 1);
                *along = tile.along(first).filter(|_| is_open);
            }
        }
        let width = widths.max().unwrap_or(1).min(most) as f64;
        let staging = touched.staging.as_ref().filter(|_| place == Place::Shared);
        let copied = staging.and_then(|own| own.copied(self, candidate, touched.element_bytes, width));
        ArrayState { place, width, along, copied: copied.unwrap_or_default() }
    }

    /// Returns the bytes of the tiles that are surely staged.
    pub(super) fn shared_bytes(&self, candidate: &Candidate) -> f64 {
        let tiles = if self.loadings(candidate).only() == Some(TWO_TILES) { 2.0 } else { 1.0 };
        tiles * self.staged(candidate, |array| array.element_bytes as f64)
    }

    /// Sums the least elements of a tile of each array that is surely staged, each counted for so much.
    fn staged(&self, candidate: &Candidate, each: impl Fn(&Array) -> f64) -> f64 {
        let arrays = self.kernel().arrays.iter().zip(&self.nesting().memory);
        let staged = arrays.filter(|(_, memory)| candidate.values(**memory).only() == Some(1));
        staged.map(|(array, _)| each(array) * self.tile_elements(array, candidate)).sum()
    }

    /// Returns the least elements of a tile of an array: all loops of its dimensions but the outermost make it up.
    fn tile_elements(&self, array: &Array, candidate: &Candidate) -> f64 {
        let mut elements = 1.0;
        for (at, own) in self.nesting().loops.iter().enumerate() {
            if own.level > 0 && array.dimensions.contains(&own.dimension) {
                elements *= self.least_size(at, candidate);
            }
        }
        elements
    }

    /// Returns the times at which tiles may still be loaded.
    pub(super) fn loadings(&self, candidate: &Candidate) -> Values {
        self.nesting().loading.map_or(Values::of([AS_NEEDED]), |loading| candidate.values(loading.choice))
    }

    /// Returns the least registers of a thread with so many sums; 0 where there may be too few for them.
    ///
    /// These are the sums, since each goes on with the next tile, and what the thread loads ahead meanwhile.
    pub(super) fn registers(&self, candidate: &Candidate, work: &Work, splits: &[&Split]) -> f64 {
        let Some(loading) = self.nesting().loading.filter(|_| self.terms().kept_sums) else { return 0.0 };
        // A sum goes on with the next tile where the loop over tiles is plain and runs more than once.
        let goes_on = candidate.values(self.nesting().loops[loading.along].kind).within(Values::first(1))
            && self.least_size(loading.along, candidate) > 1.0
            && work.dimensions.iter().any(|own| own.carried);
        if !goes_on {
            return 0.0;
        }
        let mut sums = 1.0;
        for (own, split) in work.dimensions.iter().zip(splits).filter(|(own, _)| !own.carried) {
            // A plain loop around the tiles would end one sum before the next one begins.
            let outermost = self.nesting().loops_of(own.position)[0];
            if !candidate.values(self.nesting().loops[outermost].kind).within(Values::of([BLOCK, THREAD])) {
                return 0.0;
            }
            sums *= split.inside as f64;
        }
        let threads: f64 = splits.iter().map(|split| split.threads as f64).product();
        let room = self.rates().registers_of_thread(threads) - SPARE_REGISTERS;
        // What is loaded ahead waits in registers while the tile before is used.
        let is_ahead = !self.loadings(candidate).has(AS_NEEDED);
        let ahead = if is_ahead { self.staged(candidate, |_| 1.0) / threads } else { 0.0 };
        if sums > room { 0.0 } else { (sums + ahead).min(room) }
    }

    /// Returns the loads that a thread waits for, once for each iteration of the plain loops around.
    pub(super) fn waits(&self, candidate: &Candidate) -> Waits {
        let mut most = Waits::default();
        let loadings = self.loadings(candidate);
        for (position, array) in self.kernel().arrays.iter().enumerate() {
            let Some(passed) = self.passed(position) else { continue };
            let user = passed.to;
            let [both, more] = self.iterations(candidate, passed.from, user, &array.name);
            let memory = candidate.values(self.nesting().memory[position]);
            // Only what is staged can be loaded ahead of its use.
            let may_be_ahead = memory.has(1) && loadings != Values::of([AS_NEEDED]);
            let loads = if may_be_ahead { &mut most.loads_ahead } else { &mut most.loads };
            *loads = loads.max(both.unwrap_or(1.0));
            if memory.only() == Some(1) {
                // With a second tile one barrier is enough: nobody writes the tile that others still read.
                let each = if loadings.has(TWO_TILES) { 1.0 } else { 2.0 };
                most.shared_loads = most.shared_loads.max(both.unwrap_or(1.0) * more.unwrap_or(1.0));
                most.barriers = most.barriers.max(both.map_or(1.0, |both| each * both));
            }
        }
        most
    }

    /// Returns the way of an array from its load to its use.
    fn passed(&self, array: usize) -> Option<&Dependence> {
        self.kernel().dependences.iter().find(|one| one.passing == Passing::Array(array))
    }

    /// Returns the iterations of surely plain loops in each of which other elements are needed.
    ///
    /// First of loops around both statements, then of those around the user alone.
    pub(super) fn iterations(
        &self,
        candidate: &Candidate,
        load: usize,
        user: usize,
        array: &str,
    ) -> [Option<f64>; 2] {
        let (nesting, statements) = (self.nesting(), &self.kernel().statements);
        let [mut both, mut more] = [None; 2];
        for at in nesting.own(&statements[user]) {
            let is_plain = candidate.values(nesting.loops[at].kind).within(Values::first(1));
            if is_plain && self.varies(&statements[user], at, array) {
                let product = if self.varies(&statements[load], at, array) { &mut both } else { &mut more };
                *product = Some(product.unwrap_or(1.0) * self.least_size(at, candidate));
            }
        }
        [both, more]
    }

    /// Returns true if a statement touches other elements of an array in each iteration of a loop.
    fn varies(&self, statement: &Statement, at: usize, array: &str) -> bool {
        let access = statement.accesses.iter().find(|access| access.array == array);
        let place = statement.dimensions.iter().position(|&of| self.nesting().level(of, at).is_some());
        let stride = access.zip(place).and_then(|(access, place)| access.strides.get(place));
        stride.is_some_and(|&by| by > 0)
    }

    /// Returns the least distance of a tile, in elements, from that of the iteration before; none without a plain loop
    /// around it.
    pub(super) fn step(&self, touched: &ArrayAccess, work: &Work, candidate: &Candidate) -> Option<u64> {
        let steps = work.dimensions.iter().zip(&touched.strides);
        steps.filter_map(|(own, &stride)| self.step_along(own, stride, candidate)).min()
    }

    /// Returns the least distance along one dimension, whose outermost loop goes from tile to tile.
    fn step_along(&self, own: &WorkDimension, stride: u64, candidate: &Candidate) -> Option<u64> {
        let outermost = *self.nesting().loops_of(own.position).first()?;
        let kind = candidate.values(self.nesting().loops[outermost].kind);
        let size = self.nesting().loops[outermost].size;
        let sizes = candidate.values(size).iter().filter_map(|value| candidate.problem().number(size, value));
        let most = sizes.max()?;
        (stride > 0 && kind.within(Values::first(1)) && most > 0).then(|| stride * (own.size / most))
    }

    /// Returns the least size of a loop.
    pub(super) fn least_size(&self, at: usize, candidate: &Candidate) -> f64 {
        let size = self.nesting().loops[at].size;
        let sizes = candidate.values(size).iter().filter_map(|value| candidate.problem().number(size, value));
        sizes.min().unwrap_or(1) as f64
    }
}

/// The number of times that a thread waits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waits {
    /// For what it loads of global memory as it is needed.
    pub(super) loads: f64,
    /// For what it may load ahead, while it does something else.
    pub(super) loads_ahead: f64,
    /// For what it loads of shared memory.
    pub(super) shared_loads: f64,
    /// For the other threads of its block: before a tile is read, and again before it is overwritten, unless there
    /// is a second one.
    pub(super) barriers: f64,
}
