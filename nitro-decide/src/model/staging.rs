//! Staging: the cost of bringing tiles to shared memory, by the threads that load them.

use super::dimensions::{Split, THREAD, ThreadLoop, VECTOR};
use super::lanes::{Asked, Axis};
use super::spreads::{combinations, in_order};
use super::time_bound::TimeBound;
use crate::candidate::{ChoiceId, Partial};
use crate::space::{Array, Kernel, Nesting, PADDING, Passing};

/// A tile of an array, as a statement walks over it.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub(super) layout: ChoiceId,
    /// Positions among the dimensions of the statement, as the array lies in global memory.
    pub(super) dimensions: Vec<usize>,
    /// The loops that walk over the tile, for each dimension of the array.
    pub(super) loops: Vec<Vec<usize>>,
}

/// The statement that brings an array to shared memory.
#[derive(Clone, Debug)]
pub(super) struct Staging {
    /// Its dimensions in the kernel, and their sizes.
    dimensions: Vec<(usize, u64)>,
    strides: Vec<u64>,
    /// Loops around it that do all of it again.
    repeated: Vec<usize>,
    tile: Tile,
}

/// The least use of staging, of the whole grid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Copied {
    pub(super) lanes: f64,
    pub(super) sectors: f64,
    pub(super) wavefronts: f64,
    /// Of loads, as [`Use`](super::usage::Use) counts them.
    pub(super) requests: f64,
    /// True where surely no two warps load parts of one sector.
    pub(super) is_apart: bool,
}

impl Tile {
    /// `own` are the dimensions of the statement that stand for those of the array.
    pub(super) fn new(nesting: &Nesting, array: &Array, layout: ChoiceId, own: Vec<usize>) -> Self {
        let tiles = |&of: &usize| {
            nesting.loops_of(of).into_iter().filter(|&at| nesting.loops[at].level > 0).collect::<Vec<_>>()
        };
        Self { layout, dimensions: own, loops: array.dimensions.iter().map(tiles).collect() }
    }

    /// The dimension of the statement along which elements are neighbours, for a layout.
    pub(super) fn along(&self, layout: usize) -> Option<usize> {
        if layout < 2 { self.dimensions.last().copied() } else { self.dimensions.first().copied() }
    }

    /// The loops of threads as the tile sees them, once it is decided how that lies: threads along other dimensions
    /// are at the same place in it, and the warps that they make up ask all the same.
    pub(super) fn axes(
        &self,
        bound: &TimeBound,
        partial: &Partial,
        bytes: u64,
        splits: &[&Split],
    ) -> Option<Vec<Axis>> {
        let layout = partial.values(self.layout).only()?;
        let mut rows: Vec<usize> = (0..self.dimensions.len()).collect();
        if layout < 2 {
            rows.reverse(); // from neighbours outwards
        }
        let others = (0..splits.len()).filter(|at| !self.dimensions.contains(at));
        let at_one_place = |own: &ThreadLoop| Axis { at: own.at, threads: own.threads, bytes: 0 };
        let mut axes: Vec<Axis> = others.flat_map(|at| &splits[at].axes).map(at_one_place).collect();
        let mut stride = bytes;
        for (place, row) in rows.into_iter().enumerate() {
            // threads of a loop around the tile are at one place in it
            let step = |own: &ThreadLoop| if bound.nesting().loops[own.at].level > 0 { own.step } else { 0 };
            let axis =
                |own: &ThreadLoop| Axis { at: own.at, threads: own.threads, bytes: stride * step(own) };
            axes.extend(splits[self.dimensions[row]].axes.iter().map(axis));
            let mut extent = if place == 0 && layout % 2 == 1 { PADDING } else { 0 };
            let mut size = 1;
            for &at in &self.loops[row] {
                let own = bound.nesting().loops[at].size;
                size *= partial.problem().number(own, partial.values(own).only()?)?;
            }
            extent += size;
            stride *= extent;
        }
        Some(axes)
    }
}

impl Staging {
    /// Of an array of the kernel that a load passes on.
    pub(super) fn of(kernel: &Kernel, nesting: &Nesting, array: usize) -> Option<Self> {
        let passing = Passing::Array(array);
        let passed = kernel.dependences.iter().find(|one| one.passing == passing)?;
        let load = &kernel.statements[passed.from];
        let access = load.accesses.iter().find(|access| access.array == kernel.arrays[array].name)?;
        let own = |of: &usize| {
            let from = passed.along.iter().find(|along| along.1 == *of)?.0;
            load.dimensions.iter().position(|own| *own == from)
        };
        let rows = kernel.arrays[array].dimensions.iter().map(own).collect::<Option<_>>()?;
        let repeated = (0..nesting.loops.len()).filter(|&at| nesting.is_repeated(load, at)).collect();
        Some(Self {
            dimensions: load.dimensions.iter().map(|&at| (at, kernel.dimensions[at].size)).collect(),
            strides: access.strides.clone(),
            repeated,
            tile: Tile::new(nesting, &kernel.arrays[array], nesting.layouts[array]?, rows),
        })
    }

    /// The least of each over all ways to spread it, if they are few.
    pub(super) fn copied(
        &self,
        bound: &TimeBound,
        partial: &Partial,
        bytes: u64,
        width: f64,
    ) -> Option<Copied> {
        let threads = |&at: &usize| partial.values(bound.nesting().loops[at].kind).has(THREAD);
        if self.repeated.iter().any(threads) {
            return None; // then its threads are others than those of its dimensions
        }
        let splits: Vec<_> = self.dimensions.iter().map(|own| bound.splits(own.0, partial)).collect();
        let lists: Vec<&Vec<Split>> = splits.iter().map(|own| &own.fine).collect();
        let sizes = self.repeated.iter().map(|&at| {
            let size = bound.nesting().loops[at].size;
            let numbers =
                partial.values(size).iter().filter_map(|value| partial.problem().number(size, value));
            numbers.min().unwrap_or(1) as f64
        });
        let repeated: f64 = sizes.product();
        let mut least: Option<Copied> = None;
        combinations(&lists, |splits| {
            let one = self.by(bound, partial, bytes, width, splits, repeated);
            least = Some(least.map_or(one, |least| least.min(one)));
        });
        least
    }

    fn by(
        &self,
        bound: &TimeBound,
        partial: &Partial,
        bytes: u64,
        width: f64,
        splits: &[&Split],
        repeated: f64,
    ) -> Copied {
        let product = |of: fn(&Split) -> u64| splits.iter().map(|split| of(split) as f64).product::<f64>();
        let (blocks, threads) = (product(|split| split.blocks) * repeated, product(|split| split.threads));
        let times = product(|split| split.inside) * blocks;
        let whole = if bound.terms().whole_warps { 32.0 * (threads / 32.0).ceil() } else { threads };
        let axis = |(split, stride): (&&Split, &u64)| {
            let step = stride * bytes;
            let of =
                move |own: &ThreadLoop| Axis { at: own.at, threads: own.threads, bytes: step * own.step };
            split.axes.iter().map(of).collect::<Vec<_>>()
        };
        let axes = splits.iter().zip(&self.strides).flat_map(axis).collect();
        let (axes, ordered) = in_order(bound, partial, axes);
        let words = (width * bytes.div_ceil(4) as f64) as u64;
        let requests = bound.touches(Asked::Requests(words), axes.clone(), ordered) / 2.0 * times / width;
        let sectors = bound.touches(Asked::Sectors, axes, ordered) * times / width;
        let widest = (16 / bytes.max(1)).max(1) as f64;
        let layout = partial.values(self.tile.layout).only();
        let run = layout.and_then(|layout| self.tile.along(layout)).map(|at| splits[at].run as f64);
        let stored = run.map_or(widest, |run| run.min(widest));
        let wavefronts = self.tile.axes(bound, partial, bytes, splits).map_or(0.0, |axes| {
            let words = (stored * bytes.div_ceil(4) as f64) as u64;
            let (axes, ordered) = in_order(bound, partial, axes);
            bound.touches(Asked::Words(words), axes, ordered) * times / stored
        });
        let elements = times * threads;
        // no more than there are, whatever else is decided: these are the least of all orders, and of the widest loads
        let is_known = ordered && self.has_known_width(bound, partial);
        let is_apart = is_known && sectors * 32.0 <= elements * bytes as f64 * (1.0 + 1e-9);
        let lanes = whole * times * (1.0 / width + 1.0 / stored);
        Copied { lanes, sectors, wavefronts, requests, is_apart }
    }

    /// Returns true if it is decided how many elements one instruction loads.
    fn has_known_width(&self, bound: &TimeBound, partial: &Partial) -> bool {
        let loops = self.dimensions.iter().flat_map(|own| bound.nesting().loops_of(own.0));
        let mut wide =
            loops.map(|at| bound.nesting().loops[at]).filter(|own| partial.values(own.kind).has(VECTOR));
        wide.all(|own| partial.values(own.kind).only().is_some() && partial.values(own.size).only().is_some())
    }
}

impl Copied {
    fn min(self, other: Self) -> Self {
        Self {
            lanes: self.lanes.min(other.lanes),
            sectors: self.sectors.min(other.sectors),
            wavefronts: self.wavefronts.min(other.wavefronts),
            requests: self.requests.min(other.requests),
            is_apart: self.is_apart && other.is_apart,
        }
    }
}
