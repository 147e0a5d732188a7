//! Arrays of a state: where they are, and what staging takes.

use super::dimensions::{self, BLOCK, Split, THREAD};
use super::time_bound::TimeBound;
use super::usage::{Place, Seen};
use super::work::{Touched, Work, WorkDimension};
use crate::candidate::{Partial, Values};
use crate::space::{Array, Dependence, Passing, Statement};

/// Of the values of [`LOADINGS`](crate::LOADINGS).
pub(super) const AS_NEEDED: usize = 0;
pub(super) const TWO_TILES: usize = 2;
/// So many registers of a thread are for other things than sums: where these leave fewer, a compiler may keep some
/// elsewhere.
const SPARE_REGISTERS: f64 = 32.0;

impl TimeBound {
    pub(super) fn seen(&self, touched: &Touched, partial: &Partial) -> Seen {
        let place = touched.memory.map_or(Place::Global, |memory| {
            match (partial.values(memory).has(0), partial.values(memory).has(1)) {
                (true, true) => Place::Open,
                (false, true) => Place::Shared,
                _ => Place::Global,
            }
        });
        let most = (16 / touched.element_bytes.max(1)).max(1);
        let widths = touched.vectors.iter().map(|&own| dimensions::vector(self.nesting(), own, partial));
        let along = touched.tile.as_ref().map_or([None; 2], |tile| {
            let lies = |first: usize| {
                let open = (first..first + 2).any(|layout| partial.values(tile.layout).has(layout));
                tile.along(first).filter(|_| open)
            };
            [lies(0), lies(2)]
        });
        let width = widths.max().unwrap_or(1).min(most) as f64;
        let staging = touched.staging.as_ref().filter(|_| place == Place::Shared);
        let copied = staging.and_then(|own| own.copied(self, partial, touched.element_bytes, width));
        Seen { place, width, along, copied: copied.unwrap_or_default() }
    }

    /// Bytes of the tiles that are surely staged.
    pub(super) fn shared_bytes(&self, partial: &Partial) -> f64 {
        let tiles = if self.loadings(partial).only() == Some(TWO_TILES) { 2.0 } else { 1.0 };
        tiles * self.staged(partial, |array| array.element_bytes as f64)
    }

    /// Elements of a tile of each array that is surely staged, at least, each counted for so much.
    fn staged(&self, partial: &Partial, each: impl Fn(&Array) -> f64) -> f64 {
        let arrays = self.kernel().arrays.iter().zip(&self.nesting().memory);
        let staged = arrays.filter(|(_, memory)| partial.values(**memory).only() == Some(1));
        let elements = |array: &Array| {
            let is_tile = |at: &usize| {
                let own = self.nesting().loops[*at];
                own.level > 0 && array.dimensions.contains(&own.dimension)
            };
            let tiles = (0..self.nesting().loops.len()).filter(is_tile);
            tiles.map(|at| self.least_size(at, partial)).product::<f64>()
        };
        staged.map(|(array, _)| each(array) * elements(array)).sum()
    }

    /// When tiles may still be loaded.
    pub(super) fn loadings(&self, partial: &Partial) -> Values {
        self.nesting().loading.map_or(Values::of([AS_NEEDED]), |loading| partial.values(loading.choice))
    }

    /// Registers of a thread that has so many sums, at least: these, since each goes on with the next tile, and
    /// what it loads ahead meanwhile. Nothing is said where there may be too few for them.
    pub(super) fn registers(&self, partial: &Partial, work: &Work, splits: &[&Split]) -> f64 {
        let Some(loading) = self.nesting().loading.filter(|_| self.terms().kept_sums) else { return 0.0 };
        let dimensions = || work.dimensions.iter().zip(splits);
        let goes_on = partial.values(self.nesting().loops[loading.along].kind).within(Values::first(1))
            && self.least_size(loading.along, partial) > 1.0
            && dimensions().any(|(own, _)| own.carried);
        let all_within = dimensions().filter(|(own, _)| !own.carried).all(|(own, _)| {
            let outermost = self.nesting().loops_of(own.position)[0];
            partial.values(self.nesting().loops[outermost].kind).within(Values::of([BLOCK, THREAD]))
        });
        if !goes_on || !all_within {
            return 0.0;
        }
        let sums: f64 =
            dimensions().filter(|(own, _)| !own.carried).map(|(_, split)| split.inside as f64).product();
        let threads: f64 = splits.iter().map(|split| split.threads as f64).product();
        let room = self.rates().registers_of_thread(threads) - SPARE_REGISTERS;
        let is_ahead = !self.loadings(partial).has(AS_NEEDED);
        let ahead = if is_ahead { self.staged(partial, |_| 1.0) / threads } else { 0.0 };
        if sums > room { 0.0 } else { (sums + ahead).min(room) }
    }

    /// Returns the loads that a thread waits for, once for each iteration of the plain loops around.
    pub(super) fn waits(&self, partial: &Partial) -> Waits {
        let mut most = Waits::default();
        let loadings = self.loadings(partial);
        for (position, array) in self.kernel().arrays.iter().enumerate() {
            let Some(passed) = self.passed(position) else { continue };
            let user = passed.to;
            let [both, more] = self.iterations(partial, passed.from, user, &array.name);
            let memory = partial.values(self.nesting().memory[position]);
            let may_be_ahead = memory.has(1) && loadings != Values::of([AS_NEEDED]);
            let loads = if may_be_ahead { &mut most.loads_ahead } else { &mut most.loads };
            *loads = loads.max(both.unwrap_or(1.0));
            if memory.only() == Some(1) {
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

    /// Iterations of the loops that are surely plain, around both statements and around the user alone, in each of
    /// which other elements are needed.
    pub(super) fn iterations(
        &self,
        partial: &Partial,
        load: usize,
        user: usize,
        array: &str,
    ) -> [Option<f64>; 2] {
        let (nesting, statements) = (self.nesting(), &self.kernel().statements);
        let varies = |statement: &Statement, at: usize| {
            let access = statement.accesses.iter().find(|access| access.array == array);
            let place = statement.dimensions.iter().position(|&of| nesting.level(of, at).is_some());
            access
                .zip(place)
                .is_some_and(|(access, place)| access.strides.get(place).is_some_and(|&by| by > 0))
        };
        let plain = |at: &usize| partial.values(nesting.loops[*at].kind).within(Values::first(1));
        let own = nesting.own(&statements[user]).into_iter();
        let (both, more): (Vec<usize>, Vec<usize>) = own
            .filter(|at| plain(at) && varies(&statements[user], *at))
            .partition(|&at| varies(&statements[load], at));
        [both, more].map(|loops| {
            loops.into_iter().map(|at| self.least_size(at, partial)).reduce(|one, other| one * other)
        })
    }

    /// Returns the least distance of a tile, in elements, from that of the iteration before; none without a plain loop
    /// around it.
    pub(super) fn step(&self, touched: &Touched, work: &Work, partial: &Partial) -> Option<u64> {
        let of = |(own, &stride): (&WorkDimension, &u64)| {
            let outermost = *self.nesting().loops_of(own.position).first()?;
            let kind = partial.values(self.nesting().loops[outermost].kind);
            let size = self.nesting().loops[outermost].size;
            let most = partial
                .values(size)
                .iter()
                .filter_map(|value| partial.problem().number(size, value))
                .max()?;
            (stride > 0 && kind.within(Values::first(1)) && most > 0).then(|| stride * (own.size / most))
        };
        work.dimensions.iter().zip(&touched.strides).filter_map(of).min()
    }

    fn least_size(&self, at: usize, partial: &Partial) -> f64 {
        let size = self.nesting().loops[at].size;
        let sizes = partial.values(size).iter().filter_map(|value| partial.problem().number(size, value));
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
