//! The order of a grid's loops: which become x, y and z.

use super::bounds::{find_loop, is_shorter};
use super::groups::{Planner, read_alone};
use crate::nest::affine::Variable;
use crate::nest::expression::Access;
use crate::nest::{Assignment, Nest, Range};

/// The fewest threads along x that are of use: less than a sector of memory each time is read and written in parts.
const LEAST_ALONG_X: i64 = 8;

impl Planner<'_> {
    /// Puts the loops of a grid in order: z, y and x last, and those first along which a block has one value.
    ///
    /// Along x, threads touch neighbouring elements. Where something is read across these, y is the loop along which it
    /// has neighbours. Where operands are reused as those of a product are, y is the loop that shares them with x, and
    /// z one of those left that some operand does not depend on. Else the order stays that of the nest. Loops of few
    /// iterations come first: tiles along them would be idle for the most part.
    pub(super) fn arrange(&self, among: &[usize], grid: &mut Vec<usize>) {
        let (mut few, mut many): (Vec<usize>, Vec<usize>) =
            grid.iter().partition(|iterator| is_few_in(self.nest, **iterator));
        if many.is_empty() {
            many = std::mem::take(&mut few);
        }
        self.arrange_long(among, &mut many);
        *grid = [few, many].concat();
    }

    /// Puts loops of many iterations in order.
    fn arrange_long(&self, among: &[usize], grid: &mut Vec<usize>) {
        self.coalesce(among, grid);
        let Some((x, others)) = grid.split_last() else { return };
        let (x, mut others) = (*x, others.to_vec());
        let assignments: Vec<&Assignment> = among.iter().map(|one| self.assignment(*one)).collect();
        let operands = read_alone(&assignments);
        let shares =
            |y: usize| operands.iter().filter(|one| one.depends_on(&[x]) != one.depends_on(&[y])).count();
        let is_free = |z: usize| operands.iter().filter(|one| !one.depends_on(&[z])).count();
        let is_across = |y: usize| operands.iter().filter(|one| reads_across(one, x, y)).count();
        let y = take_best(&mut others, is_across).or_else(|| take_best(&mut others, shares));
        if let Some(y) = y {
            let z = take_best(&mut others, is_free);
            *grid = others.into_iter().chain(z).chain([y, x]).collect();
        }
    }

    /// Brings the loop along which most accesses touch neighbouring elements innermost: it becomes x.
    ///
    /// Of two, that along which they write: what is read across rows may come through shared memory.
    fn coalesce(&self, among: &[usize], grid: &mut Vec<usize>) {
        // Of two loops that are as good, the inner one stays x.
        let accesses: Vec<&Access> = among.iter().flat_map(|one| self.accesses(*one)).collect();
        let targets: Vec<&Access> = among.iter().map(|one| &self.assignment(*one).target).collect();
        let best = (0..grid.len()).max_by_key(|at| {
            let [all, written] = [&accesses, &targets]
                .map(|some| some.iter().filter(|access| is_coalesced(access, grid[*at])).count());
            (all, written, *at)
        });
        if let Some(best) = best {
            let x = grid.remove(best);
            grid.push(x);
        }
    }
}

/// Takes the value out for which something is largest, the last of several; none: it is 0 for all.
fn take_best(values: &mut Vec<usize>, of: impl Fn(usize) -> usize) -> Option<usize> {
    let best = (0..values.len()).max_by_key(|at| (of(values[*at]), *at))?;
    (of(values[best]) > 0).then(|| values.remove(best))
}

/// Returns `true` if neighbouring values of an iterator touch neighbouring elements.
pub(super) fn is_coalesced(access: &Access, iterator: usize) -> bool {
    let last = access.subscripts.last();
    access.subscripts.len() > 1
        && last.is_some_and(|last| last.coefficient(Variable::Iterator(iterator)).abs() == 1)
}

/// Returns `true` if the loop of an iterator has too few iterations for tiles.
pub(super) fn is_few_in(nest: &Nest, iterator: usize) -> bool {
    find_loop(&nest.body, iterator).is_some_and(is_few)
}

/// Returns `true` if a loop has too few iterations for tiles.
pub(super) fn is_few(range: &Range) -> bool {
    is_shorter(range, LEAST_ALONG_X)
}

/// Returns `true` if neighbouring values of `x` touch elements that are a row apart, and those of `y` neighbours.
pub(super) fn reads_across(access: &Access, x: usize, y: usize) -> bool {
    access.depends_on(&[x]) && !is_coalesced(access, x) && is_coalesced(access, y)
}
