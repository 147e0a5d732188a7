//! The pipeline of a tile: which row of which version of an array is computed when, and how long it is kept.
//!
//! A block goes along the first dimension. At each position it loads one row (or plane) of each array, and computes
//! one row of each later version: each so many rows behind that what it reads is there. Versions follow each other
//! through several iterations of the loop in time, so that memory is read once and written once for all of them.

use super::stencil::Stencil;

/// The most dimensions of a tile.
pub(crate) const MOST_DIMENSIONS: usize = 3;
/// Rows by which a window may be longer than it has to be, so that it is a multiple of what is shared.
const MOST_SPARE_ROWS: i64 = 3;

/// The order of all that a tile does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pipeline {
    pub(crate) versions: Vec<Version>,
    /// What is computed at a position, in order.
    pub(crate) stages: Vec<Stage>,
    /// Rows of a version that a thread has at a time.
    pub(crate) window: i64,
    /// Rows of each array that are on their way from memory: a part of the window.
    pub(crate) ahead: i64,
    /// Cells that are loaded beyond those that are written: along each dimension, before and after.
    pub(crate) halo: [[i64; 2]; MOST_DIMENSIONS],
}

/// A version of an array: as it is loaded, or after a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) field: usize,
    /// Rows that it is behind those that are loaded.
    pub(crate) delay: i64,
    /// It comes from memory; otherwise it is computed.
    pub(crate) is_loaded: bool,
    /// It is written to memory.
    pub(crate) is_stored: bool,
    /// Rows of it that a thread has at a time.
    pub(crate) rows: i64,
    /// Positions between the row's own and the one at which threads hand it over to others: as late as can be.
    pub(crate) handed_after: i64,
    /// Rows of it that threads of a block have in common. 0: no thread reads those of others.
    pub(crate) shared_rows: i64,
    /// The cells that are read which may be another thread's, seen from those that are computed.
    pub(crate) across: Vec<[i64; MOST_DIMENSIONS]>,
    /// The cells around those written that are needed of it, before and after. None: it is not used.
    need: Option<[[i64; 2]; MOST_DIMENSIONS]>,
}

/// A sweep in one of the iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) sweep: usize,
    /// The number of the iteration in the tile.
    pub(crate) step: i64,
    /// The version of each field that it reads.
    pub(crate) current: Vec<Option<usize>>,
    /// The version that holds where the sweep does nothing; none: that is in memory.
    pub(crate) previous: Option<usize>,
    pub(crate) result: usize,
}

impl Version {
    fn new(field: usize, delay: i64, is_loaded: bool) -> Self {
        Self {
            field,
            delay,
            is_loaded,
            is_stored: false,
            rows: 1,
            handed_after: i64::MAX,
            shared_rows: 0,
            across: Vec::new(),
            need: None,
        }
    }

    /// Returns the rows that have to be shared, or the next number of which the window is a multiple.
    fn shared_rows_of(&self, window: i64) -> i64 {
        match self.shared_rows {
            0 => 0,
            least => next_divisor(window, least),
        }
    }

    pub(crate) fn is_used(&self) -> bool {
        self.need.is_some()
    }
}

impl Pipeline {
    /// Plans so many iterations of a stencil, whose rows are loaded at least so many positions ahead, and one.
    pub(crate) fn new(stencil: &Stencil, steps: i64, ahead: i64) -> Self {
        let mut plan =
            Self { versions: Vec::new(), stages: Vec::new(), window: 1, ahead, halo: Default::default() };
        let mut current: Vec<Option<usize>> = Vec::new();
        for (field, of) in stencil.fields.iter().enumerate() {
            current.push((!of.is_overwritten).then_some(plan.versions.len()));
            if !of.is_overwritten {
                plan.versions.push(Version::new(field, 0, true));
            }
        }
        for step in 0..steps {
            for (at, sweep) in stencil.sweeps.iter().enumerate() {
                let is_overwritten = stencil.fields[sweep.field].is_overwritten;
                let previous = if is_overwritten { None } else { current[sweep.field] };
                let result = plan.versions.len();
                let stage = Stage { sweep: at, step, current: current.clone(), previous, result };
                let delay = plan.delay(stencil, &stage);
                plan.versions.push(Version::new(sweep.field, delay, false));
                plan.stages.push(stage);
                current[sweep.field] = Some(result);
            }
        }
        for (field, version) in current.into_iter().enumerate() {
            if let (false, Some(version)) = (stencil.fields[field].is_overwritten, version) {
                plan.versions[version].is_stored = true;
                plan.versions[version].need = Some(Default::default());
            }
        }
        plan.find_needs(stencil);
        plan.find_windows(stencil);
        plan
    }

    /// Returns the versions that a stage reads, each with where the cell is, seen from the one that is computed.
    pub(crate) fn reads(&self, stencil: &Stencil, stage: &Stage) -> Vec<(usize, [i64; MOST_DIMENSIONS])> {
        let sweep = &stencil.sweeps[stage.sweep];
        let reads = sweep.assignment.value.reads();
        let of_fields = reads.iter().filter_map(|read| {
            let version = stage.current[stencil.field(read.array)?];
            Some((version.expect("what is overwritten is read later"), tile_offset(&sweep.offset(read))))
        });
        of_fields.chain(stage.previous.map(|previous| (previous, Default::default()))).collect()
    }

    /// Returns how many rows a stage is behind those that are loaded: what it reads is there by then.
    fn delay(&self, stencil: &Stencil, stage: &Stage) -> i64 {
        let delays = self.reads(stencil, stage).into_iter().map(|(version, offset)| {
            let of = &self.versions[version];
            // What other threads have comes one barrier later.
            of.delay + offset[0] + i64::from(is_across(offset))
        });
        delays.max().unwrap_or(0).max(0)
    }

    /// Finds out which cells of each version are needed, and leaves out what nobody needs.
    fn find_needs(&mut self, stencil: &Stencil) {
        for stage in self.stages.clone().iter().rev() {
            let Some(need) = self.versions[stage.result].need else { continue };
            for (version, offset) in self.reads(stencil, stage) {
                let known = self.versions[version].need.get_or_insert_default();
                for (dimension, [before, after]) in known.iter_mut().enumerate() {
                    *before = (*before).max(need[dimension][0] - offset[dimension]);
                    *after = (*after).max(need[dimension][1] + offset[dimension]);
                }
            }
        }
        let versions = &self.versions;
        self.stages.retain(|stage| versions[stage.result].is_used());
        for need in versions.iter().filter(|version| version.is_loaded).filter_map(|version| version.need) {
            for (halo, need) in self.halo.iter_mut().zip(need) {
                *halo = [halo[0].max(need[0]), halo[1].max(need[1])];
            }
        }
    }

    /// Finds out how many rows of the versions are kept.
    fn find_windows(&mut self, stencil: &Stencil) {
        for stage in self.stages.clone() {
            for (version, offset) in self.reads(stencil, &stage) {
                let behind = self.behind(&stage, version, offset);
                let of = &mut self.versions[version];
                of.rows = of.rows.max(behind + 1);
                if is_across(offset) {
                    // One barrier is between.
                    of.handed_after = of.handed_after.min(behind - 1);
                    of.shared_rows = of.shared_rows.max(behind);
                    if !of.across.contains(&offset) {
                        of.across.push(offset);
                    }
                }
            }
        }
        for version in self.versions.iter_mut().filter(|version| version.shared_rows > 0) {
            version.shared_rows += 1 - version.handed_after;
        }
        // A row's place in shared memory is known where the window is: it goes round a whole number of times.
        let least = self.versions.iter().map(|of| of.rows.max(of.shared_rows)).max().unwrap_or(1);
        let window = (least..=least + MOST_SPARE_ROWS)
            .min_by_key(|window| self.versions.iter().map(|of| of.shared_rows_of(*window)).sum::<i64>());
        self.window = window.unwrap_or(least);
        self.ahead = next_divisor(self.window, self.ahead.max(1));
        for version in &mut self.versions {
            version.shared_rows = version.shared_rows_of(self.window);
        }
    }

    /// Returns how many positions ago a row was computed that a stage reads.
    pub(crate) fn behind(&self, stage: &Stage, version: usize, offset: [i64; MOST_DIMENSIONS]) -> i64 {
        self.versions[stage.result].delay - self.versions[version].delay - offset[0]
    }

    /// Returns how many rows the last of the stages is behind those that are loaded.
    pub(crate) fn longest_delay(&self) -> i64 {
        let used = self.versions.iter().filter(|version| version.is_used());
        used.map(|version| version.delay).max().unwrap_or(0)
    }
}

/// Returns the least divisor of a number that is not below another one, or the number.
fn next_divisor(number: i64, least: i64) -> i64 {
    (least..=number).find(|divisor| number % divisor == 0).unwrap_or(number)
}

/// Returns `true` if a cell may be another thread's: it is beside the one that is computed.
pub(crate) fn is_across(offset: [i64; MOST_DIMENSIONS]) -> bool {
    offset[1..] != [0, 0]
}

/// Returns an offset by the dimensions of tiles: the first is that of rows, y is the second, and x the last.
pub(crate) fn tile_offset(offset: &[i64]) -> [i64; MOST_DIMENSIONS] {
    match *offset {
        [row, x] => [row, 0, x],
        [row, y, x] => [row, y, x],
        _ => unreachable!("stencils have two or three dimensions"),
    }
}
