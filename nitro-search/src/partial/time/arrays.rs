//! What a state says of arrays: where they are, and what staging takes.

use super::super::nesting::Operation;
use super::super::problem::ChoiceId;
use super::super::state::Partial;
use super::super::values::Values;
use super::candidate::{Place, Seen};
use super::dimensions;
use super::time_bound::TimeBound;
use super::work::Touched;

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
        Seen { place, width: widths.max().unwrap_or(1).min(most) as f64 }
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

    /// How often a block has to wait for tiles: once for each iteration of what is around both who stages and who reads.
    pub(super) fn barriers(&self, partial: &Partial) -> f64 {
        let arrays = self.kernel().arrays.iter().zip(&self.nesting().memory);
        let staged = arrays.filter(|(_, memory)| partial.values(**memory).only() == Some(1));
        staged.map(|(array, _)| self.waits(&array.name, partial)).fold(0.0, f64::max)
    }

    fn waits(&self, array: &str, partial: &Partial) -> f64 {
        let touching = |load: bool| {
            let statements = self.kernel().statements.iter().enumerate();
            statements.filter(move |(_, own)| {
                (own.operation == Operation::Load) == load
                    && own.accesses.iter().any(|access| access.array == array)
            })
        };
        let around = |at: usize, statement: usize| {
            let outer = self.nesting().order(at, self.nesting().object(statement), &["outer"]);
            outer.is_ok_and(|outer| partial.values(outer.choice).within(outer.values))
        };
        let problem = partial.problem();
        let iterations = |load: usize, user: usize| -> f64 {
            let loops = 0..self.nesting().loops.len();
            let both = loops.filter(|&at| {
                let kinds = partial.values(self.nesting().loops[at].kind);
                kinds.within(Values::first(2)) && around(at, load) && around(at, user)
            });
            both.map(|at| {
                let size = self.nesting().loops[at].size;
                let sizes = partial.values(size).iter().filter_map(|value| problem.number(size, value));
                sizes.min().unwrap_or(1) as f64
            })
            .product()
        };
        let pairs = touching(true).flat_map(|(load, _)| touching(false).map(move |(user, _)| (load, user)));
        pairs.map(|(load, user)| iterations(load, user)).fold(0.0, f64::max)
    }
}
