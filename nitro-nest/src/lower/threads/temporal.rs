//! The code of kernels that run several iterations of a stencil.
//!
//! A thread has neighbouring cells of a row, or of a plane, and goes from row to row. At each position it loads its
//! cells of one row, and computes one row of each later version. Rows that it reads again are in registers: the
//! positions of a window are written out, so that a row stays in its register. What other threads read is in shared
//! memory, and a barrier parts positions. Blocks whose cells are all within what sweeps do ask for no bounds.

use super::context::{Context, either, guarded};
use crate::kernel::{Extent, Instruction, Kernel, Space, Unroll};
use crate::lower::bounds::{count_to, iterator};
use crate::lower::draft::KernelDraft;
use crate::lower::temporal::{
    MOST_DIMENSIONS, Pipeline, Stage, Sweep, Temporal, Version, beside, tile_offset,
};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Condition, Nest};

/// The most blocks that it is worth to have registers for: a thread of small ones gets as many as it likes.
const MOST_BLOCKS: i64 = 16;

/// A cell of a thread, by the dimensions of tiles: rows, y and x.
type Cell = [i64; MOST_DIMENSIONS];

/// A kernel while its code is written.
struct Writer<'a> {
    context: Context<'a>,
    nest: &'a Nest,
    temporal: &'a Temporal,
    /// The first row that a block loads, a thread's first cell along y and x, and the turn of the window.
    first: [usize; MOST_DIMENSIONS],
    turn: usize,
    /// For each version, the rows that a thread has, those on their way, and those that threads have in common.
    registers: Vec<usize>,
    incoming: Vec<Option<usize>>,
    shared: Vec<Option<Shared>>,
}

/// The rows of a version that threads have in common.
struct Shared {
    array: usize,
    /// The cells of each thread that others read.
    cells: Vec<Cell>,
    /// Their columns.
    columns: Vec<i64>,
    /// Threads beside a block that have room.
    beside: Cell,
}

/// The blocks that code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocks {
    /// All cells are within the domains of all sweeps.
    Inside,
    Any,
}

/// Writes the code of a kernel.
pub(super) fn code<'a>(
    nest: &'a Nest,
    kernel: &'a KernelDraft,
    temporal: &'a Temporal,
    context: Context<'a>,
    name: &str,
) -> Kernel {
    let mut writer = Writer::new(nest, temporal, context);
    let body = writer.body();
    let [_, y, x] = temporal.geometry.threads;
    Kernel {
        name: name.to_owned(),
        statements: kernel.group.statements.clone(),
        host_iterators: kernel.host_iterators.clone(),
        iterators: writer.context.symbols.iterators,
        grid: grid(temporal),
        block: [x as u32, y as u32, 1],
        points: [1; 3],
        resident_blocks: temporal.geometry.resident_blocks.min(MOST_BLOCKS) as u32,
        locals: writer.context.symbols.locals,
        caching: Vec::new(),
        body,
    }
}

/// Returns what a grid covers: x, maybe y, and then rows.
fn grid(temporal: &Temporal) -> Vec<Extent> {
    let geometry = &temporal.geometry;
    let along = |(dimension, extent): (usize, &Affine)| {
        // A block covers as many values as it has threads: so many for each cell, and steps of the cells of a block.
        let upper = vec![extent.clone() * geometry.threads[dimension]];
        Extent { lower: vec![Affine::from(0)], upper, step: geometry.written[dimension] }
    };
    dimensions(temporal).into_iter().zip(&temporal.stencil.extents).map(along).rev().collect()
}

/// Returns the dimensions of tiles that the arrays have, in the order of theirs.
fn dimensions(temporal: &Temporal) -> Vec<usize> {
    if temporal.stencil.dimensions == MOST_DIMENSIONS { vec![0, 1, 2] } else { vec![0, 2] }
}

/// Returns the place of a position's row, where there are so many places in turn.
fn place_of_row(position: i64, places: i64) -> Affine {
    Affine::from(position.rem_euclid(places))
}

/// Returns the conditions that all cells from `first` to below `end` along a dimension of the arrays are alike: a sweep
/// is done at all of them or, where it is done at few cells, at none.
fn is_alike(sweep: &Sweep, dimension: usize, first: &Affine, end: &Affine) -> Vec<Condition> {
    let [lower, upper] = &sweep.domain[dimension];
    match sweep.thin() {
        None => {
            let lower = lower.iter().map(|lower| Condition::at_least(first.clone(), lower.clone()));
            lower.chain(upper.iter().map(|upper| Condition::at_least(upper.clone(), end.clone()))).collect()
        }
        // All cells are before the lowest of the sweep, or beyond its last one.
        Some((thin, true)) if thin == dimension => vec![Condition::at_least(lower[0].clone(), end.clone())],
        Some((thin, false)) if thin == dimension => {
            vec![Condition::at_least(first.clone(), upper[0].clone())]
        }
        Some(_) => Vec::new(),
    }
}

impl<'a> Writer<'a> {
    fn new(nest: &'a Nest, temporal: &'a Temporal, mut context: Context<'a>) -> Self {
        let first = ["row_0", "y_0", "x_0"].map(|name| context.iterator(name));
        let turn = context.iterator("turn");
        let (pipeline, geometry) = (&temporal.pipeline, &temporal.geometry);
        let (mut registers, mut incoming, mut shared) = (Vec::new(), Vec::new(), Vec::new());
        let [_, y, x] = geometry.points;
        for (number, version) in pipeline.versions.iter().enumerate() {
            let array = &nest.arrays[temporal.stencil.fields[version.field].array].name;
            let name = format!("{array}_{number}");
            registers.push(context.local(&name, Space::Register, vec![pipeline.window, y, x]));
            incoming.push((version.is_loaded && version.is_used()).then(|| {
                context.local(&format!("{name}_incoming"), Space::Register, vec![pipeline.ahead, y, x])
            }));
            shared.push((version.shared_rows > 0).then(|| Shared {
                array: context.local(
                    &format!("{name}_shared"),
                    Space::Shared,
                    geometry.shared_shape(version),
                ),
                cells: geometry.shared_cells(version),
                columns: geometry.shared_columns(version),
                beside: geometry.beside(version),
            }));
        }
        Self { context, nest, temporal, first, turn, registers, incoming, shared }
    }

    fn body(&mut self) -> Vec<Instruction> {
        let geometry = &self.temporal.geometry;
        let grid = dimensions(self.temporal);
        let mut all = Vec::new();
        for dimension in 0..MOST_DIMENSIONS {
            // The last dimension of the arrays is the first of the grid.
            let block = grid.iter().rev().position(|own| *own == dimension);
            let mut value = Affine::from(-geometry.halo[dimension][0]);
            if let Some(block) = block {
                value = value + Variable::Block(block) * geometry.written[dimension];
            }
            if dimension > 0 && block.is_some() {
                value =
                    value + Variable::Thread(MOST_DIMENSIONS - 1 - dimension) * geometry.points[dimension];
            }
            all.push(Instruction::Define(self.first[dimension], vec![value]));
        }
        all.extend(self.clear());
        let turns = geometry.positions / self.temporal.pipeline.window;
        let [inside, any] = [Blocks::Inside, Blocks::Any].map(|blocks| {
            let Pipeline { window, ahead, .. } = self.temporal.pipeline;
            let first = (-ahead..0).flat_map(|at| self.load(at, blocks)).collect();
            let body = (0..window).flat_map(|at| self.position(at, blocks)).collect();
            vec![
                Instruction::Loop(count_to(self.turn, 1), Unroll::All, first),
                Instruction::Loop(count_to(self.turn, turns), Unroll::By(1), body),
            ]
        });
        all.push(Instruction::If(self.is_inside(), inside, any));
        all
    }

    /// Sets all registers: the first rows that are computed are of nothing, and nobody needs them.
    fn clear(&mut self) -> Vec<Instruction> {
        let [_, y, x] = self.temporal.geometry.points;
        let Pipeline { window, ahead, .. } = self.temporal.pipeline;
        let counters = ["row_of", "line", "column"].map(|name| self.context.iterator(name));
        let incoming: Vec<usize> = self.incoming.iter().copied().flatten().collect();
        let cleared = [(&self.registers, window), (&incoming, ahead)].map(|(arrays, rows)| {
            let sets = arrays.iter().map(|array| {
                let target = Access { array: *array, subscripts: counters.map(iterator).to_vec() };
                Instruction::assign(target, Expression::from(0.0))
            });
            let extents = counters.into_iter().zip([rows, y, x]).rev();
            extents.fold(sets.collect(), |body, (counter, extent)| {
                vec![Instruction::Loop(count_to(counter, extent), Unroll::All, body)]
            })
        });
        cleared.concat()
    }

    /// Returns the conditions that a block has nothing to do with bounds.
    fn is_inside(&self) -> Vec<Condition> {
        let Temporal { stencil, pipeline, .. } = self.temporal;
        let mut conditions = Vec::new();
        for (dimension, array_dimension) in dimensions(self.temporal).into_iter().zip(0..) {
            let (first, end) = self.block_cells(dimension);
            for field in stencil.fields.iter().filter(|field| !field.is_overwritten) {
                let extent = &self.nest.arrays[field.array].shape[array_dimension];
                conditions.push(Condition::at_least(first.clone(), Affine::from(0)));
                conditions.push(Condition::at_least(extent.clone(), end.clone()));
            }
            // Sweeps are behind what is loaded, and begin as many rows before it.
            let behind = if dimension == 0 { pipeline.longest_delay() } else { 0 };
            let first = first - behind;
            conditions.extend(
                stencil.sweeps.iter().flat_map(|sweep| is_alike(sweep, array_dimension, &first, &end)),
            );
        }
        conditions.extend(stencil.sweeps.iter().flat_map(|sweep| sweep.guards.clone()));
        let mut distinct: Vec<Condition> = Vec::new();
        for condition in conditions {
            if !distinct.contains(&condition) {
                distinct.push(condition);
            }
        }
        distinct
    }

    /// Returns the first cell of a block along a dimension, and the one after its last.
    fn block_cells(&self, dimension: usize) -> (Affine, Affine) {
        let geometry = &self.temporal.geometry;
        let cells = if dimension == 0 {
            geometry.positions + self.temporal.pipeline.ahead
        } else {
            geometry.threads[dimension] * geometry.points[dimension]
        };
        let mut first = iterator(self.first[dimension]);
        if dimension > 0 && geometry.threads[dimension] > 1 {
            first = first - Variable::Thread(MOST_DIMENSIONS - 1 - dimension) * geometry.points[dimension];
        }
        (first.clone(), first + cells)
    }

    /// Writes all that is done at a position of the window.
    fn position(&self, at: i64, blocks: Blocks) -> Vec<Instruction> {
        let pipeline = &self.temporal.pipeline;
        let mut all = Vec::new();
        for (number, version) in pipeline.versions.iter().enumerate() {
            let Some(incoming) = self.incoming[number] else { continue };
            let arrived = self.temporal.geometry.cells().map(|cell| {
                let there = Expression::Load(row_of(incoming, at, pipeline.ahead, cell));
                Instruction::assign(self.register(number, at, cell), there)
            });
            all.extend(arrived);
            all.extend(self.hand_over(number, version, at));
        }
        all.extend(self.load(at, blocks));
        for stage in &pipeline.stages {
            all.extend(self.stage(stage, at, blocks));
        }
        if self.shared.iter().any(Option::is_some) {
            all.push(Instruction::Barrier);
        }
        all
    }

    /// Sends for the rows of arrays that are needed so many positions later as there are rows on their way.
    fn load(&self, at: i64, blocks: Blocks) -> Vec<Instruction> {
        let Pipeline { versions, ahead, .. } = &self.temporal.pipeline;
        let each = versions.iter().zip(&self.incoming).flat_map(|(version, incoming)| {
            incoming.map_or_else(Vec::new, |incoming| {
                let at = at + ahead;
                let load = |cell| {
                    let value = Expression::Load(self.in_memory(version.field, 0, at, cell, 0));
                    vec![Instruction::assign(row_of(incoming, at, *ahead, cell), value)]
                };
                self.where_in_array(version.field, at, 0, blocks, load)
            })
        });
        each.collect()
    }

    /// Computes a row of a version, hands it over to other threads, and stores it.
    fn stage(&self, stage: &Stage, at: i64, blocks: Blocks) -> Vec<Instruction> {
        let sweep = &self.temporal.stencil.sweeps[stage.sweep];
        let version = &self.temporal.pipeline.versions[stage.result];
        let (mut computed, mut kept, mut either_way) = (Vec::new(), Vec::new(), Vec::new());
        let [of_row, _] = self.within_domain(sweep, at, [0; MOST_DIMENSIONS], version.delay);
        for cell in self.temporal.geometry.cells() {
            let target = self.register(stage.result, at, cell);
            let of_cell = vec![Instruction::assign(target.clone(), self.value(stage, sweep, at, cell))];
            let before = self.kept(stage, sweep, at, cell, target, blocks);
            let [_, conditions] = self.within_domain(sweep, at, cell, version.delay);
            computed.extend(of_cell.clone());
            kept.extend(before.clone());
            either_way.extend(either(conditions, of_cell, before));
        }
        let mut all = match blocks {
            Blocks::Inside if sweep.thin().is_some() => kept,
            Blocks::Inside => computed,
            // All threads have the same row.
            Blocks::Any => either(of_row, either_way, kept),
        };
        all.extend(self.hand_over(stage.result, version, at));
        if version.is_stored {
            all.extend(self.store(stage.result, version, at, blocks));
        }
        all
    }

    /// Takes over what a cell was before, where a sweep does nothing.
    fn kept(
        &self,
        stage: &Stage,
        sweep: &Sweep,
        at: i64,
        cell: Cell,
        target: Access,
        blocks: Blocks,
    ) -> Vec<Instruction> {
        let pipeline = &self.temporal.pipeline;
        if let Some(previous) = stage.previous {
            let behind = pipeline.behind(stage, previous, [0; MOST_DIMENSIONS]);
            let before = Expression::Load(self.register(previous, at - behind, cell));
            return vec![Instruction::assign(target, before)];
        }
        let delay = pipeline.versions[stage.result].delay;
        let value = Expression::Load(self.in_memory(sweep.field, 0, at, cell, delay));
        let [of_row, of_cell] = self.within_array(sweep.field, at, cell, delay, blocks);
        guarded([of_row, of_cell].concat(), vec![Instruction::assign(target, value)])
    }

    /// Returns what a sweep computes for a cell.
    fn value(&self, stage: &Stage, sweep: &Sweep, at: i64, cell: Cell) -> Expression {
        let Temporal { stencil, pipeline, time, begins_after, .. } = self.temporal;
        let delay = pipeline.versions[stage.result].delay;
        let coordinates = self.coordinates(at, cell, delay);
        let now = Affine::from(Variable::Iterator(*time)) + (begins_after + stage.step);
        let there = |value: &Affine| {
            let mut value = value.substitute(Variable::Iterator(*time), &now);
            for (own, dimension, shift) in &sweep.iterators {
                let coordinate = coordinates[*dimension].clone() - shift.clone();
                value = value.substitute(Variable::Iterator(*own), &coordinate);
            }
            value
        };
        let mut value = sweep.assignment.value.clone();
        value.map_loads(&|access| match stencil.field(access.array) {
            None => access,
            Some(field) => {
                let version = stage.current[field].expect("what is overwritten is read later");
                let offset = tile_offset(&sweep.offset(&access));
                self.element(version, at - pipeline.behind(stage, version, offset), beside(cell, offset))
            }
        });
        value.map_integers(&there);
        value
    }

    /// Returns a cell of a version in the row of a position: the thread's own, or what another one has handed over.
    fn element(&self, version: usize, position: i64, cell: Cell) -> Access {
        let geometry = &self.temporal.geometry;
        let [thread, there] = geometry.place(cell);
        if thread == [0; MOST_DIMENSIONS] {
            return self.register(version, position, there);
        }
        self.common(version, position, thread, there)
    }

    fn register(&self, version: usize, position: i64, cell: Cell) -> Access {
        row_of(self.registers[version], position, self.temporal.pipeline.window, cell)
    }

    /// Returns a cell in shared memory, of the thread so far away.
    fn common(&self, version: usize, position: i64, thread: Cell, cell: Cell) -> Access {
        let geometry = &self.temporal.geometry;
        let Shared { array, columns, beside: [_, beside_y, beside_x], .. } =
            self.shared[version].as_ref().expect("what is read is handed over");
        let column = columns.iter().position(|column| *column == cell[2]).expect("it is one of the cells");
        let own_y = if geometry.threads[1] > 1 { Variable::Thread(1).into() } else { Affine::from(0) };
        let subscripts = vec![
            place_of_row(position, self.temporal.pipeline.versions[version].shared_rows),
            (own_y + (thread[1] + beside_y)) * geometry.points[1] + cell[1],
            Affine::from(column as i64),
            Variable::Thread(0) + (thread[2] + beside_x),
        ];
        Access { array: *array, subscripts }
    }

    /// Writes the cells of a row that other threads read to shared memory.
    fn hand_over(&self, number: usize, version: &Version, at: i64) -> Vec<Instruction> {
        let Some(shared) = &self.shared[number] else { return Vec::new() };
        let position = at - version.handed_after;
        let cells = shared.cells.iter().map(|cell| {
            let own = Expression::Load(self.register(number, position, *cell));
            Instruction::assign(self.common(number, position, [0; MOST_DIMENSIONS], *cell), own)
        });
        cells.collect()
    }

    /// Writes the cells of a row to memory that are a block's own.
    fn store(&self, number: usize, version: &Version, at: i64, blocks: Blocks) -> Vec<Instruction> {
        let geometry = &self.temporal.geometry;
        let row =
            iterator(self.turn) * self.temporal.pipeline.window + (at - version.delay - geometry.halo[0][0]);
        let mut is_own = vec![
            Condition::at_least(row.clone(), Affine::from(0)),
            Condition::less(row, Affine::from(geometry.written[0])),
        ];
        for dimension in 1..MOST_DIMENSIONS {
            let [before, after] = geometry.halo[dimension].map(|cells| cells / geometry.points[dimension]);
            let thread = Affine::from(Variable::Thread(MOST_DIMENSIONS - 1 - dimension));
            if before > 0 {
                is_own.push(Condition::at_least(thread.clone(), Affine::from(before)));
            }
            if after > 0 {
                is_own.push(Condition::less(thread, Affine::from(geometry.threads[dimension] - after)));
            }
        }
        let store = |cell| {
            let own = Expression::Load(self.register(number, at, cell));
            vec![Instruction::assign(self.in_memory(version.field, 1, at, cell, version.delay), own)]
        };
        guarded(is_own, self.where_in_array(version.field, at, version.delay, blocks, store))
    }

    /// Does something at all cells of a row that a field has.
    fn where_in_array(
        &self,
        field: usize,
        at: i64,
        delay: i64,
        blocks: Blocks,
        write: impl Fn(Cell) -> Vec<Instruction>,
    ) -> Vec<Instruction> {
        let [of_row, _] = self.within_array(field, at, [0; MOST_DIMENSIONS], delay, blocks);
        let each = self.temporal.geometry.cells().flat_map(|cell| {
            let [_, of_cell] = self.within_array(field, at, cell, delay, blocks);
            guarded(of_cell, write(cell))
        });
        guarded(of_row, each.collect())
    }

    /// Returns the coordinates of a cell that is so many rows behind a position, by the dimensions of arrays.
    fn coordinates(&self, at: i64, cell: Cell, delay: i64) -> Vec<Affine> {
        let [row, y, x] = self.first.map(iterator);
        let row = row + iterator(self.turn) * self.temporal.pipeline.window + (at - delay);
        let all = [row, y + cell[1], x + cell[2]];
        dimensions(self.temporal).into_iter().map(|dimension| all[dimension].clone()).collect()
    }

    /// Returns the element of a field that a cell is: of the array that is read (0), or that is written (1).
    fn in_memory(&self, field: usize, which: usize, at: i64, cell: Cell, delay: i64) -> Access {
        Access { array: self.temporal.arrays[field][which], subscripts: self.coordinates(at, cell, delay) }
    }

    /// Returns the conditions that a field has a cell: those of the cell's row, and the others.
    fn within_array(
        &self,
        field: usize,
        at: i64,
        cell: Cell,
        delay: i64,
        blocks: Blocks,
    ) -> [Vec<Condition>; 2] {
        if blocks == Blocks::Inside {
            return Default::default();
        }
        let shape = &self.nest.arrays[self.temporal.stencil.fields[field].array].shape;
        let bounds = shape.iter().map(|extent| [vec![Affine::from(0)], vec![extent.clone()]]);
        self.within(&bounds.collect::<Vec<_>>(), at, cell, delay)
    }

    /// Returns the conditions that a sweep is done at a cell: those of sizes and the cell's row, and the others.
    fn within_domain(&self, sweep: &Sweep, at: i64, cell: Cell, delay: i64) -> [Vec<Condition>; 2] {
        let [of_row, of_cell] = self.within(&sweep.domain, at, cell, delay);
        [[of_row, sweep.guards.clone()].concat(), of_cell]
    }

    /// Returns the conditions that a cell is in a box: those of its row, and the others.
    fn within(&self, bounds: &[[Vec<Affine>; 2]], at: i64, cell: Cell, delay: i64) -> [Vec<Condition>; 2] {
        let mut conditions = [Vec::new(), Vec::new()];
        for (dimension, (coordinate, [lower, upper])) in
            self.coordinates(at, cell, delay).into_iter().zip(bounds).enumerate()
        {
            let own = &mut conditions[dimension.min(1)];
            own.extend(lower.iter().map(|lower| Condition::at_least(coordinate.clone(), lower.clone())));
            own.extend(upper.iter().map(|upper| Condition::less(coordinate.clone(), upper.clone())));
        }
        conditions
    }
}

/// Returns the register of a thread's cell in the row of a position, where there are so many rows in turn.
fn row_of(array: usize, position: i64, rows: i64, cell: Cell) -> Access {
    let [_, line, column] = cell.map(Affine::from);
    Access { array, subscripts: vec![place_of_row(position, rows), line, column] }
}
