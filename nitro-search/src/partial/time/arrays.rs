//! What a state says of arrays: where they are, and what staging takes.

use super::super::nesting::{Dependence, Passing, Statement};
use super::super::problem::ChoiceId;
use super::super::state::Partial;
use super::super::values::Values;
use super::candidate::{Place, Seen};
use super::dimensions;
use super::time_bound::TimeBound;
use super::work::{Touched, Work, WorkDimension};

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
        let problem = partial.problem();
        let least = |choice: ChoiceId| {
            partial.values(choice).iter().filter_map(|value| problem.number(choice, value)).min().unwrap_or(1)
        };
        let arrays = self.kernel().arrays.iter().zip(&self.nesting().memory);
        let staged = arrays.filter(|(_, memory)| partial.values(**memory).only() == Some(1));
        staged
            .map(|(array, _)| {
                let tiles = self
                    .nesting()
                    .loops
                    .iter()
                    .filter(|own| own.level > 0 && array.dimensions.contains(&own.dimension));
                array.element_bytes as f64 * tiles.map(|own| least(own.size) as f64).product::<f64>()
            })
            .sum()
    }

    /// What a thread waits for, once for each iteration of the plain loops around.
    pub(super) fn waits(&self, partial: &Partial) -> Waits {
        let mut most = Waits::default();
        for (position, array) in self.kernel().arrays.iter().enumerate() {
            let Some(passed) = self.passed(position) else { continue };
            let user = passed.to;
            let [both, more] = self.iterations(partial, passed.from, user, &array.name);
            let staged = partial.values(self.nesting().memory[position]).only() == Some(1);
            most.loads = most.loads.max(both.unwrap_or(1.0));
            if staged {
                most.shared_loads = most.shared_loads.max(both.unwrap_or(1.0) * more.unwrap_or(1.0));
                most.barriers = most.barriers.max(both.map_or(1.0, |both| 2.0 * both));
            }
        }
        most
    }

    /// How an array gets from who loads it to who needs it.
    fn passed(&self, array: usize) -> Option<&Dependence> {
        self.kernel().dependences.iter().find(|one| one.passing == Passing::Array(array))
    }

    /// Iterations of the loops that are surely plain, around both statements and around the user alone, in each of which other elements are needed.
    fn iterations(&self, partial: &Partial, load: usize, user: usize, array: &str) -> [Option<f64>; 2] {
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

    /// How many elements a tile is from that of the iteration before, at least; none where no plain loop is around it.
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

/// How often a thread waits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waits {
    /// For what it loads of global memory.
    pub(super) loads: f64,
    /// For what it loads of shared memory.
    pub(super) shared_loads: f64,
    /// For the other threads of its block: before a tile is read, and again before it is overwritten.
    pub(super) barriers: f64,
}
