//! The geometry of a tile: the cells of a block and of its threads.

use super::pipeline::{MOST_DIMENSIONS, Pipeline, Version};
use super::stencil::Stencil;
use crate::limits::{LANES, MOST_SHARED_BYTES, resident_warps};
use crate::mapping::Tiling;

/// Registers of a thread, and those besides rows of versions.
const REGISTERS: i64 = 255;
const OTHER_REGISTERS: i64 = 56;
/// The most statements that are written out one after the other: compilers take longest for them.
const MOST_WRITTEN_OUT: i64 = 1024;

/// The cells of a block, by the dimensions of tiles: rows, y and x.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Threads along y and x; along rows there is one.
    pub(crate) threads: [i64; MOST_DIMENSIONS],
    /// Neighbouring cells of a thread.
    pub(crate) points: [i64; MOST_DIMENSIONS],
    /// Cells that are loaded before those that are written, and after.
    pub(crate) halo: [[i64; 2]; MOST_DIMENSIONS],
    /// Cells that a block writes.
    pub(crate) written: [i64; MOST_DIMENSIONS],
    /// Positions of a block along its rows: a multiple of the window.
    pub(crate) positions: i64,
    /// Blocks for which a multiprocessor has registers at the same time, with those that a thread needs.
    pub(crate) resident_blocks: i64,
    /// Bytes of shared memory of a block.
    pub(crate) shared_bytes: i64,
}

impl Geometry {
    /// Returns the geometry of a tiling. None: a block would write nothing, or has no room for what it keeps.
    pub(crate) fn new(stencil: &Stencil, pipeline: &Pipeline, tiling: &Tiling) -> Option<Self> {
        let [x, y, rows] = tiling.thread_tile.map(i64::from);
        let [threads_x, threads_y, _] = tiling.block.map(i64::from);
        let has_y = stencil.dimensions == MOST_DIMENSIONS;
        let threads = [1, if has_y { threads_y } else { 1 }, threads_x];
        let points = [1, if has_y { y } else { 1 }, x];
        let mut halo = pipeline.halo;
        let mut written = [0; MOST_DIMENSIONS];
        for dimension in 1..MOST_DIMENSIONS {
            // All cells of a thread are written, or none is.
            halo[dimension] = halo[dimension].map(|cells| round_up(cells.max(0), points[dimension]));
            written[dimension] = threads[dimension] * points[dimension] - halo[dimension].iter().sum::<i64>();
        }
        let others = pipeline.halo[0][0] + pipeline.longest_delay();
        let positions = round_up(rows.max(1) + others, pipeline.window);
        written[0] = positions - others;
        let [cells, of_block] = [points, threads].map(|along| along.iter().product::<i64>());
        let used = pipeline.versions.iter().filter(|version| version.is_used());
        let rows = used.map(|version| version.rows + if version.is_loaded { pipeline.ahead } else { 0 });
        let registers = OTHER_REGISTERS + stencil.words * cells * rows.sum::<i64>();
        let warps = resident_warps(registers);
        let resident_blocks = warps * i64::from(LANES) / of_block;
        let mut geometry =
            Self { threads, points, halo, written, positions, resident_blocks, shared_bytes: 0 };
        geometry.shared_bytes = 4 * stencil.words * geometry.shared_elements(pipeline);
        let fits = geometry.written.iter().all(|written| *written > 0)
            && registers <= REGISTERS
            && resident_blocks > 0
            && cells * pipeline.window * pipeline.stages.len() as i64 <= MOST_WRITTEN_OUT
            && geometry.shared_bytes <= MOST_SHARED_BYTES;
        fits.then_some(geometry)
    }

    /// Returns the share of the work that is not done twice.
    pub(crate) fn efficiency(&self) -> f64 {
        let along = |dimension: usize| {
            self.written[dimension] as f64 / (self.threads[dimension] * self.points[dimension]) as f64
        };
        along(1) * along(2)
    }

    /// Returns the cells of a thread at a position.
    pub(crate) fn cells(&self) -> impl Iterator<Item = [i64; MOST_DIMENSIONS]> + use<> {
        let [_, y, x] = self.points;
        (0..y).flat_map(move |line| (0..x).map(move |column| [0, line, column]))
    }

    /// Returns the place of a cell as its thread's distance, and the cell there.
    pub(crate) fn place(&self, cell: [i64; MOST_DIMENSIONS]) -> [[i64; MOST_DIMENSIONS]; 2] {
        let along = |dimension: usize| cell[dimension].div_euclid(self.points[dimension]);
        let within = |dimension: usize| cell[dimension].rem_euclid(self.points[dimension]);
        [[0, along(1), along(2)], [0, within(1), within(2)]]
    }

    /// Returns the cells of a thread that others read of a version.
    pub(crate) fn shared_cells(&self, version: &Version) -> Vec<[i64; MOST_DIMENSIONS]> {
        let mut found = Vec::new();
        for cell in self.cells() {
            for offset in &version.across {
                let [thread, there] = self.place(beside(cell, *offset));
                if thread != [0; MOST_DIMENSIONS] && !found.contains(&there) {
                    found.push(there);
                }
            }
        }
        found
    }

    /// Returns the columns of a thread that others read of a version.
    pub(crate) fn shared_columns(&self, version: &Version) -> Vec<i64> {
        let mut columns: Vec<i64> = self.shared_cells(version).iter().map(|[.., column]| *column).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Returns the shape of what threads have in common of a version: rows, lines, a thread's columns, threads.
    ///
    /// Threads beside a block's have room, so that what nobody needs is somewhere too.
    pub(crate) fn shared_shape(&self, version: &Version) -> Vec<i64> {
        let [_, y, x] = self.beside(version);
        let lines = (self.threads[1] + 2 * y) * self.points[1];
        let columns = self.shared_columns(version).len() as i64;
        vec![version.shared_rows, lines, columns, self.threads[2] + 2 * x]
    }

    /// Returns how many threads beside a block have cells that are read.
    pub(crate) fn beside(&self, version: &Version) -> [i64; MOST_DIMENSIONS] {
        let reach =
            |dimension: usize| version.across.iter().map(|offset| offset[dimension].abs()).max().unwrap_or(0);
        [0, 1, 2].map(|dimension| (reach(dimension) + self.points[dimension] - 1) / self.points[dimension])
    }

    fn shared_elements(&self, pipeline: &Pipeline) -> i64 {
        let shared = pipeline.versions.iter().filter(|version| version.shared_rows > 0);
        shared.map(|version| self.shared_shape(version).iter().product::<i64>()).sum()
    }
}

/// Returns the smallest multiple that is not less.
fn round_up(value: i64, multiple: i64) -> i64 {
    (value + multiple - 1) / multiple * multiple
}

/// Returns the cell at an offset from another one.
pub(crate) fn beside(cell: [i64; MOST_DIMENSIONS], offset: [i64; MOST_DIMENSIONS]) -> [i64; MOST_DIMENSIONS] {
    [0, 1, 2].map(|dimension| cell[dimension] + offset[dimension])
}
