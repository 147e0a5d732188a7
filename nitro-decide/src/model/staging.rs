//! Staging: the cost of bringing tiles to shared memory, by the threads that load them.

use super::combinations::{combinations, in_order};
use super::dimensions::{Split, THREAD, VECTOR};
use super::lanes::{Axis, Request};
use super::tile::{Staging, Tile};
use super::time_bound::TimeBound;
use crate::candidate::Candidate;
use crate::space::PADDING;

/// The least use of staging, of the whole grid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StagingCost {
    pub(super) lanes: f64,
    pub(super) sectors: f64,
    pub(super) wavefronts: f64,
    /// Of loads, as [`Use`](super::usage::Use) counts them.
    pub(super) requests: f64,
    /// True where surely no two warps load parts of one sector.
    pub(super) is_apart: bool,
}

impl Tile {
    /// Returns the loops of threads as the tile sees them, once it is decided how that lies.
    ///
    /// Threads along other dimensions are at the same place in it, and the warps that they make up ask all the same.
    pub(super) fn axes(
        &self,
        bound: &TimeBound,
        candidate: &Candidate,
        bytes: u64,
        splits: &[&Split],
    ) -> Option<Vec<Axis>> {
        let layout = candidate.values(self.layout).only()?;
        let mut rows: Vec<usize> = (0..self.dimensions.len()).collect();
        if layout < 2 {
            rows.reverse(); // from neighbours outwards
        }
        let mut axes = Vec::new();
        for at in (0..splits.len()).filter(|at| !self.dimensions.contains(at)) {
            axes.extend(splits[at].axes.iter().map(|own| Axis {
                at: own.at,
                threads: own.threads,
                bytes: 0,
            }));
        }
        let mut stride = bytes;
        for (place, row) in rows.into_iter().enumerate() {
            for own in &splits[self.dimensions[row]].axes {
                // Threads of a loop around the tile are at one place in it.
                let step = if bound.nesting().loops[own.at].level > 0 { own.step } else { 0 };
                axes.push(Axis { at: own.at, threads: own.threads, bytes: stride * step });
            }
            // A padded row is longer than its elements, so that columns lie in different banks.
            let mut extent = if place == 0 && layout % 2 == 1 { PADDING } else { 0 };
            let mut size = 1;
            for &at in &self.loops[row] {
                let own = bound.nesting().loops[at].size;
                size *= candidate.problem().number(own, candidate.values(own).only()?)?;
            }
            extent += size;
            stride *= extent;
        }
        Some(axes)
    }
}

/// The things that all ways to spread one staging have in common.
struct Common<'a> {
    bound: &'a TimeBound,
    candidate: &'a Candidate,
    /// Bytes of an element.
    bytes: u64,
    /// Elements of one load.
    width: f64,
    /// The least number of times that all of it is done.
    repeated: f64,
}

impl Staging {
    /// Returns the least of each figure over all ways to spread it, if they are few.
    pub(super) fn copied(
        &self,
        bound: &TimeBound,
        candidate: &Candidate,
        bytes: u64,
        width: f64,
    ) -> Option<StagingCost> {
        let mut repeated = 1.0;
        for &at in &self.repeated {
            if candidate.values(bound.nesting().loops[at].kind).has(THREAD) {
                return None; // then its threads are others than those of its dimensions
            }
            repeated *= bound.least_size(at, candidate);
        }
        let splits: Vec<_> = self.dimensions.iter().map(|own| bound.splits(own.0, candidate)).collect();
        let lists: Vec<&Vec<Split>> = splits.iter().map(|own| &own.fine).collect();
        let common = Common { bound, candidate, bytes, width, repeated };
        let mut least: Option<StagingCost> = None;
        combinations(&lists, |splits| {
            let one = self.by(&common, splits);
            least = Some(least.map_or(one, |least| least.min(one)));
        });
        least
    }

    /// Returns the use of one way to spread it.
    fn by(&self, common: &Common<'_>, splits: &[&Split]) -> StagingCost {
        let Common { bound, candidate, bytes, width, repeated } = *common;
        // Counts of the grid. Lanes of a warp that has no thread for them are used all the same.
        let blocks = product(splits, |split| split.blocks) * repeated;
        let threads = product(splits, |split| split.threads);
        let times = product(splits, |split| split.inside) * blocks;
        let whole = if bound.terms().whole_warps { 32.0 * (threads / 32.0).ceil() } else { threads };
        // Reads of global memory: sectors that each warp touches, and requests that bring its registers.
        let mut axes = Vec::new();
        for (split, stride) in splits.iter().zip(&self.strides) {
            let step = stride * bytes;
            axes.extend(split.axes.iter().map(|own| Axis {
                at: own.at,
                threads: own.threads,
                bytes: step * own.step,
            }));
        }
        let (axes, ordered) = in_order(bound, candidate, axes);
        let words = (width * bytes.div_ceil(4) as f64) as u64;
        let requests = bound.touches(Request::Requests(words), axes.clone(), ordered) / 2.0 * times / width;
        let sectors = bound.touches(Request::Sectors, axes, ordered) * times / width;
        // Writes to shared memory: as many elements at once as lie beside each other in the tile, up to 16 bytes.
        let widest = (16 / bytes.max(1)).max(1) as f64;
        let layout = candidate.values(self.tile.layout).only();
        let run = layout.and_then(|layout| self.tile.along(layout)).map(|at| splits[at].run as f64);
        let stored = run.map_or(widest, |run| run.min(widest));
        let wavefronts = self.tile.axes(bound, candidate, bytes, splits).map_or(0.0, |axes| {
            let words = (stored * bytes.div_ceil(4) as f64) as u64;
            let (axes, ordered) = in_order(bound, candidate, axes);
            bound.touches(Request::Words(words), axes, ordered) * times / stored
        });
        let elements = times * threads;
        // No more than there are, whatever else is decided: these are the least of all orders, and of the widest loads.
        let is_known = ordered && self.has_known_width(bound, candidate);
        let is_apart = is_known && sectors * 32.0 <= elements * bytes as f64 * (1.0 + 1e-9);
        let lanes = whole * times * (1.0 / width + 1.0 / stored);
        StagingCost { lanes, sectors, wavefronts, requests, is_apart }
    }

    /// Returns true if it is decided how many elements one instruction loads.
    fn has_known_width(&self, bound: &TimeBound, candidate: &Candidate) -> bool {
        let loops = self.dimensions.iter().flat_map(|own| bound.nesting().loops_of(own.0));
        let mut wide =
            loops.map(|at| bound.nesting().loops[at]).filter(|own| candidate.values(own.kind).has(VECTOR));
        wide.all(|own| {
            candidate.values(own.kind).only().is_some() && candidate.values(own.size).only().is_some()
        })
    }
}

/// Multiplies a figure of the splits.
fn product(splits: &[&Split], of: fn(&Split) -> u64) -> f64 {
    splits.iter().map(|split| of(split) as f64).product()
}

impl StagingCost {
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
