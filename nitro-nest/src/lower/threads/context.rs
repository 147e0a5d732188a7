//! The lowering context: what the code of threads is made from, and what holds where it is made.

use nitro_launch::Storage;

use super::accumulate::Accumulator;
use super::parts::StagedPart;
use crate::kernel::{Instruction, Local, Space};
use crate::lower::bounds::{find_loop, is_not_negative, iterator, not_negative};
use crate::lower::draft::Axis;
use crate::lower::grid::OwnIterators;
use crate::mapping::Tiling;
use crate::nest::affine::{Affine, Variable};
use crate::nest::{Condition, Nest};

/// The context in which nodes of a nest become instructions of a kernel.
pub(crate) struct Context<'a> {
    pub(crate) nest: &'a Nest,
    /// The statements of the kernel.
    pub(crate) statements: &'a [usize],
    pub(crate) tiling: &'a Tiling,
    pub(crate) axes: Vec<Axis>,
    /// The iterators of each axis; none where a thread has one point.
    pub(crate) own: Vec<OwnIterators>,
    /// The threads of a block along x, y and z.
    pub(crate) block: [u32; 3],
    /// Slices of a block along z (sliced-K).
    pub(crate) slices: i64,
    pub(crate) sums: SumOrder,
    /// Where the points of threads lie as fragments of matrix units do, a thread's place in its warp.
    pub(crate) lanes: Option<Lanes>,
    pub(crate) symbols: Symbols,
    pub(crate) scope: Scope,
}

/// The iterators that are a thread's place among the 4 × 8 of its warp, along y and x.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    pub(crate) row: usize,
    pub(crate) column: usize,
    /// Of eight threads that name the rows of a matrix: the row, and which of two matrices along y and x.
    pub(crate) named: [usize; 3],
}

/// The order in which a thread adds up its terms of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SumOrder {
    AsWritten,
    /// One term after the other: a product and a sum are one operation then.
    TermByTerm,
}

/// The names and arrays of a kernel, as far as it has any yet.
#[derive(Default)]
pub(crate) struct Symbols {
    pub(crate) iterators: Vec<String>,
    pub(crate) locals: Vec<Local>,
    /// Iterators that may be negative: first values of blocks and tiles, which a tile begins before its loop does.
    pub(super) negative: Vec<usize>,
    /// The array by which slices add up, once they share out a sum.
    pub(crate) exchange: Option<usize>,
}

/// The facts that hold where code is being written.
pub(crate) struct Scope {
    pub(crate) points: Points,
    pub(crate) threads: Threads,
    /// Conditions that hold, so that nothing has to ask for them.
    pub(crate) held: Vec<Condition>,
    /// Elements that are in registers.
    pub(crate) accumulators: Vec<Accumulator>,
    /// Parts of arrays that are in shared memory.
    pub(crate) staged: Vec<StagedPart>,
    /// The work is on a tile that is cut off, of which there are few: its loops are not written out.
    pub(crate) is_cut_off: bool,
}

/// The points of a thread that code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Points {
    /// A thread has one point, and threads without one do nothing.
    Single,
    /// Each statement is repeated for all points of the thread tile.
    ByStatement,
    /// Everything is done at one point, and then at the next.
    OneByOne,
}

/// The threads that run code together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    Block,
    /// In a loop over points along x, which the threads of a warp leave one by one.
    Row,
    /// In one over points along y or z, which the rows of a block leave one by one.
    Rows,
    /// Each slice has something else to do.
    Slice,
}

/// The values of iterators in a tile: each with the least and the largest.
pub(crate) type Tile = Vec<(usize, Affine, Affine)>;

impl Context<'_> {
    /// Adds an iterator to the kernel.
    pub(crate) fn iterator(&mut self, name: &str) -> usize {
        let name = self.free_name(name);
        self.symbols.iterators.push(name);
        self.nest.iterators.len() + self.symbols.iterators.len() - 1
    }

    /// Adds the iterators of an axis to the kernel.
    pub(crate) fn own_iterators(&mut self, axis: usize) -> OwnIterators {
        let iterator = self.axes[axis].iterator;
        let mut names = self.nest.iterators.iter().chain(&self.symbols.iterators);
        let name = names.nth(iterator).expect("it is the nest's or the kernel's").clone();
        let [first, group, neighbour] = ["0", "g", "p"].map(|of| self.iterator(&format!("{name}_{of}")));
        let firsts = self.axes[axis].firsts();
        self.begin_at(first, &firsts);
        OwnIterators { first, group, neighbour }
    }

    /// Adds an array to the kernel.
    pub(crate) fn local(&mut self, name: &str, space: Space, shape: Vec<i64>) -> usize {
        self.stored_local(name, space, shape, Storage::Number)
    }

    /// Adds an array to the kernel, whose elements are stored in this form.
    pub(crate) fn stored_local(
        &mut self,
        name: &str,
        space: Space,
        shape: Vec<i64>,
        storage: Storage,
    ) -> usize {
        self.add_local(name, Local { storage, ..Local::new("", space, shape) })
    }

    /// Adds an array in shared memory whose rows are swizzled.
    pub(crate) fn swizzled_local(&mut self, name: &str, shape: Vec<i64>, storage: Storage) -> usize {
        self.add_local(name, Local { storage, is_swizzled: true, ..Local::new("", Space::Shared, shape) })
    }

    /// Adds an array under this name, or one like it that is free.
    fn add_local(&mut self, name: &str, local: Local) -> usize {
        let name = self.free_name(name);
        self.symbols.locals.push(Local { name, ..local });
        self.nest.arrays.len() + self.symbols.locals.len() - 1
    }

    fn free_name(&self, name: &str) -> String {
        let Symbols { iterators, locals, .. } = &self.symbols;
        let mut name = name.to_owned();
        while self
            .nest
            .names()
            .chain(iterators)
            .chain(locals.iter().map(|local| &local.name))
            .any(|taken| *taken == name)
        {
            name.push('_');
        }
        name
    }

    /// Notes where an iterator begins: at the largest of these values, or beyond it.
    pub(crate) fn begin_at(&mut self, iterator: usize, lower: &[Affine]) {
        if !lower.iter().any(|bound| self.is_never_negative(bound)) {
            self.symbols.negative.push(iterator);
        }
    }

    /// Returns `true` if a value is never negative, as far as signs and lower bounds tell.
    pub(crate) fn is_never_negative(&self, value: &Affine) -> bool {
        let mut terms = value.terms().iter();
        value.constant() >= 0
            && terms.all(|(variable, factor)| *factor > 0 && !self.may_be_negative(*variable))
    }

    /// Returns `true` if a variable may be negative.
    ///
    /// Iterators of the kernel count from 0 where nothing else was noted; those of the nest begin where their loops
    /// do.
    fn may_be_negative(&self, variable: Variable) -> bool {
        let Variable::Iterator(iterator) = variable else { return false };
        self.symbols.negative.contains(&iterator)
            || find_loop(&self.nest.body, iterator)
                .is_some_and(|range| !range.lower.iter().any(|bound| self.is_never_negative(bound)))
    }

    /// Returns `true` if a thread goes through its points along an axis in a loop.
    pub(crate) fn has_serial_axis(&self) -> bool {
        self.axes.iter().any(|axis| axis.is_serial)
    }

    /// Returns the axis along which neighbouring threads are.
    pub(crate) fn x(&self) -> Option<(usize, &Axis)> {
        self.axes.iter().enumerate().find(|(_, axis)| axis.dimension == 0)
    }

    /// Returns the values that the axes have in a block, but for serial ones.
    ///
    /// Where the loop of a serial axis runs, it has one value.
    pub(crate) fn tile(&self) -> Tile {
        self.values(|axis| !axis.is_serial)
    }

    /// Returns the values that all axes have in a block.
    pub(crate) fn block_values(&self) -> Tile {
        self.values(|_| true)
    }

    fn values(&self, is_asked: impl Fn(&Axis) -> bool) -> Tile {
        let mut tile = Tile::new();
        // A block covers `tile` values from its first one, whichever thread has them.
        for (axis, own) in self.axes.iter().zip(&self.own).filter(|(axis, _)| is_asked(axis)) {
            let first = iterator(own.first);
            let last = first.clone() + (axis.tile() - 1) * axis.range.step;
            tile.push((axis.iterator, first, last));
        }
        tile
    }
}

/// Writes code where these conditions hold.
pub(crate) fn holding<'a, T>(
    context: &mut Context<'a>,
    conditions: &[Condition],
    write: impl FnOnce(&mut Context<'a>) -> T,
) -> T {
    let before = context.scope.held.len();
    context.scope.held.extend_from_slice(conditions);
    let written = write(context);
    context.scope.held.truncate(before);
    written
}

/// Returns the least or the largest of an expression in a tile.
pub(crate) fn extreme(affine: &Affine, tile: &Tile, is_least: bool) -> Affine {
    let mut value = affine.clone();
    // Iterators are independent in a tile, so that each of them is at one of its ends.
    for (iterator, least, largest) in tile {
        let variable = Variable::Iterator(*iterator);
        let by = if (value.coefficient(variable) > 0) == is_least { least } else { largest };
        value = value.substitute(variable, by);
    }
    value
}

/// Returns the conditions that others hold everywhere in a tile.
pub(crate) fn everywhere(conditions: &[Condition], tile: &Tile) -> Vec<Condition> {
    in_tile(conditions, tile, true)
}

/// Returns the conditions that each of the others may hold somewhere in a tile.
pub(crate) fn somewhere(conditions: &[Condition], tile: &Tile) -> Vec<Condition> {
    in_tile(conditions, tile, false)
}

fn in_tile(conditions: &[Condition], tile: &Tile, is_least: bool) -> Vec<Condition> {
    let mut found: Vec<Condition> = Vec::new();
    for value in conditions.iter().flat_map(not_negative) {
        let value = extreme(&value, tile, is_least);
        // What is plainly so is not asked for.
        if value.terms().is_empty() && value.constant() >= 0 {
            continue;
        }
        let condition = is_not_negative(value);
        if !found.contains(&condition) {
            found.push(condition);
        }
    }
    found
}

/// Puts instructions under conditions, if there are any.
pub(crate) fn guarded(conditions: Vec<Condition>, body: Vec<Instruction>) -> Vec<Instruction> {
    if conditions.is_empty() || body.is_empty() {
        body
    } else {
        vec![Instruction::If(conditions, body, Vec::new())]
    }
}

/// Chooses between two lists: the first runs where the conditions hold.
pub(crate) fn either(
    conditions: Vec<Condition>,
    then: Vec<Instruction>,
    otherwise: Vec<Instruction>,
) -> Vec<Instruction> {
    if conditions.is_empty() { then } else { vec![Instruction::If(conditions, then, otherwise)] }
}
