//! The code of row kernels: the threads of a row share out its loops, and barriers part what depends on each other.
//!
//! Each step of the row follows the one before, at the same place for all threads of a block. What a step sums up
//! comes together by shuffles in a warp, and through shared memory from warp to warp. Single values of a row are in
//! registers of all its threads, and values that it reads again in registers of the thread that has them.

mod barriers;
mod exchange;
mod find;
mod kept;
mod parts;
mod scans;
mod wide;

use super::body::unroll;
use super::context::{Context, SumOrder, guarded};
use super::terms::one_by_one;
use super::tiles::divide;
use crate::kernel::{Extent, Instruction, Kernel, Space, Unroll, WIDE};
use crate::limits::LANES;
use crate::lower::bounds::{iterator, mentions, within};
use crate::lower::draft::{KernelDraft, RowKernel};
use crate::lower::row_kernels::{Step, is_held, loops, steps};
use crate::lower::scans::scan;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression, Relation};
use crate::nest::{Assignment, Condition, Nest, Node, Range};

use barriers::{Barriers, By};
use exchange::Exchange;
use find::{Steps, find_kept};
use kept::{Kept, KeptRows};
use parts::Part;
use scans::is_scan;

/// A row kernel while its code is written.
struct Row<'a> {
    context: Context<'a>,
    nest: &'a Nest,
    steps: Vec<(Vec<&'a Condition>, Step<'a>)>,
    /// The loop that is shared out in each step that is a loop.
    shared: Vec<Option<usize>>,
    /// The outermost loops of the steps whose loops may be shared out together.
    together: &'a [usize],
    /// Threads that share a row.
    threads: i64,
    /// The number of a thread in its row.
    thread: Affine,
    /// The number of a thread's row in the block.
    row: Affine,
    /// Neighbouring threads have neighbouring rows.
    is_across: bool,
    /// None: a row has one warp, whose threads need no shared memory.
    exchange: Option<Exchange>,
    /// The conditions that a thread has a row.
    guards: Vec<Condition>,
    /// Elements that all threads of a row have in a register.
    held: Vec<Held>,
    /// What the steps sum up.
    parts: Vec<Part<'a>>,
    kept: Option<KeptRows>,
    barriers: Barriers,
}

/// An element that all threads of a row have in a register.
struct Held {
    element: Access,
    register: Access,
}

/// Writes the code of a row kernel.
pub(super) fn code<'a>(
    nest: &'a Nest,
    kernel: &'a KernelDraft,
    of_rows: &'a RowKernel,
    context: Context<'a>,
    name: &str,
) -> Kernel {
    let tiling = kernel.tiling();
    let mut threads = i64::from(tiling.threads_of_row());
    let [rows, outer] = [0, 1].map(|dimension| {
        let axis = kernel.axes.iter().find(|axis| axis.dimension == dimension);
        axis.map_or(1, |axis| axis.threads)
    });
    let scans = steps(&kernel.rest).iter().any(|(_, step)| is_scan(step));
    // A scan goes through whole warps, of which a single row takes one at least.
    if scans || rows * outer == 1 {
        threads = threads.max(LANES.into());
    }
    let mut row = Row::new(nest, kernel, of_rows, context, threads);
    let mut body = row.begin(kernel, rows);
    row.declare(rows);
    body.extend(row.write());
    let mut grid = super::grid(&kernel.axes);
    // Along x a row takes as many values as it has threads.
    let Extent { lower, upper, .. } = &mut grid[0];
    lower.iter_mut().chain(upper).for_each(|bound| *bound = bound.clone() * threads);
    Kernel {
        name: name.to_owned(),
        statements: kernel.group.statements.clone(),
        host_iterators: kernel.host_iterators.clone(),
        iterators: row.context.symbols.iterators,
        grid,
        block: [(threads * rows) as u32, outer as u32, 1],
        points: [1; 3],
        resident_blocks: tiling.min_blocks,
        locals: row.context.symbols.locals,
        caching: Vec::new(),
        body,
    }
}

impl<'a> Row<'a> {
    fn new(
        nest: &'a Nest,
        kernel: &'a KernelDraft,
        of_rows: &'a RowKernel,
        context: Context<'a>,
        threads: i64,
    ) -> Self {
        let steps = steps(&kernel.rest);
        let mut next = of_rows.shared.iter().copied();
        let shared = steps
            .iter()
            .map(|(_, step)| if matches!(step, Step::Loop(..)) { next.next() } else { None })
            .collect();
        Self {
            context,
            nest,
            steps,
            shared,
            together: &of_rows.together,
            threads,
            thread: Variable::Thread(0).into(),
            row: Affine::from(0),
            is_across: of_rows.is_across,
            exchange: None,
            guards: Vec::new(),
            held: Vec::new(),
            parts: Vec::new(),
            kept: None,
            barriers: Barriers::default(),
        }
    }

    /// Defines the place of a thread and the numbers of its row.
    fn begin(&mut self, kernel: &KernelDraft, rows: i64) -> Vec<Instruction> {
        let mut all = Vec::new();
        if rows > 1 {
            let [row, thread] = ["row", "thread"].map(|name| self.context.iterator(name));
            let (parts, divisor) =
                if self.is_across { ([thread, row], rows) } else { ([row, thread], self.threads) };
            all.push(divide(parts, self.thread.clone(), divisor));
            (self.row, self.thread) = (iterator(row), iterator(thread));
        }
        all.extend(self.begin_exchange());
        let numbers: Vec<usize> = kernel.axes.iter().map(|axis| axis.iterator).collect();
        for axis in &kernel.axes {
            let own = match axis.dimension {
                0 => self.row.clone(),
                _ if axis.threads > 1 => axis.thread(),
                _ => Affine::from(0),
            };
            let number = own + Variable::Block(axis.dimension) * axis.threads;
            let values =
                axis.extent.lower.iter().map(|lower| lower.clone() + number.clone() * axis.range.step);
            all.push(Instruction::Define(axis.iterator, values.collect()));
            // A block of one row is within the box around all rows.
            self.guards.extend(within(&axis.range, |bound, is_lower| {
                mentions(bound, &numbers) || !is_lower && axis.threads > 1
            }));
        }
        all
    }

    /// Finds what is in registers, and declares it.
    fn declare(&mut self, rows: i64) {
        let inner: Vec<usize> = self.steps.iter().flat_map(|(_, step)| inner(step)).collect();
        for (_, step) in &self.steps {
            let Step::Once(Assignment { target, .. }) = step else { continue };
            let is_new = !self.held.iter().any(|held| held.element == *target);
            if is_new && is_held(&self.steps, target, &inner) {
                let name = format!("{}_of_row", self.nest.arrays[target.array].name);
                let register = single(self.context.local(&name, Space::Register, Vec::new()));
                self.held.push(Held { element: target.clone(), register });
            }
        }
        self.declare_parts(rows);
        let numbers: Vec<usize> = self.context.axes.iter().map(|axis| axis.iterator).collect();
        // What is scanned comes in another order than what is kept.
        let scans = self.steps.iter().any(|(_, step)| is_scan(step));
        let points = if scans { 1 } else { i64::from(self.context.tiling.thread_tile[0]) };
        let is_wide = !self.is_across && self.context.tiling.vector_width >= WIDE;
        let found = find_kept(self.nest, self.context.statements, self.steps(), &numbers, (points, is_wide));
        self.kept = found.map(|found| found.declare(self.nest, &mut self.context, points));
    }

    /// Writes all steps, and what is left of a row in registers.
    fn write(&mut self) -> Vec<Instruction> {
        let mut all = self.write_steps(None);
        // Rows that fit registers have code of their own.
        if let Some(mut kept) = self.kept.take() {
            let (before, fits) = kept.fits(self.threads, &mut self.context);
            let mut within = self.write_steps(Some(&kept));
            if let Some((mut code, conditions)) = self.widen(&mut kept) {
                code.push(Instruction::If(conditions, self.write_steps(Some(&kept)), within));
                within = code;
            }
            all = [before, vec![Instruction::If(fits, within, all)]].concat();
        }
        let mut stores = Vec::new();
        for Held { element, register } in &self.held {
            if is_needed(self.nest, self.context.statements, element.array) {
                let value = Expression::Load(register.clone());
                stores.push(Instruction::Assign(Assignment { target: element.clone(), value }));
            }
        }
        all.extend(guarded([self.guards.clone(), vec![self.is_first()]].concat(), stores));
        all
    }

    fn write_steps(&mut self, kept: Option<&KeptRows>) -> Vec<Instruction> {
        self.barriers = Barriers::default();
        let mut all = Vec::new();
        for at in 0..self.steps.len() {
            let (conditions, step) = self.steps[at].clone();
            let conditions: Vec<Condition> = self.guards.iter().chain(conditions).cloned().collect();
            match step {
                Step::Once(assignment) => all.extend(self.write_once(assignment, conditions)),
                Step::Loop(range, node) => match scan(node) {
                    Some(scan) => all.extend(self.write_scan(at, (range, node), &scan, &conditions)),
                    None => {
                        all.extend(self.write_loop(at, node, &conditions, kept));
                        all.extend(self.write_combination(at, node, &conditions));
                    }
                },
            }
        }
        all
    }

    /// Writes a statement of a row: for all its threads if they hold the element, else for the first one.
    fn write_once(&mut self, assignment: &Assignment, mut conditions: Vec<Condition>) -> Vec<Instruction> {
        let is_held = self.held(&assignment.target).is_some();
        let by = if is_held { By::All } else { By::First };
        let own: Vec<&Access> = assignment.accesses();
        let touched = own.iter().enumerate().filter(|(_, access)| self.held(access).is_none());
        let touched = touched.map(|(at, access)| (access.array, at == 0, by.clone())).collect();
        let mut all = self.barriers.before(touched);
        if !is_held {
            conditions.push(self.is_first());
        }
        all.extend(guarded(conditions, vec![self.assign(assignment, None, None)]));
        all
    }

    /// Writes the loops of a step, in which each thread has its values of the shared loop.
    fn write_loop(
        &mut self,
        at: usize,
        node: &'a Node,
        conditions: &[Condition],
        kept: Option<&KeptRows>,
    ) -> Vec<Instruction> {
        let shared = self.shared[at].expect("a loop of a row is shared out");
        let loops = self.steps().loops_of(node);
        let kept = kept.zip(loops).filter(|(kept, (ranges, _))| kept.are_of(ranges));
        let of_kept = kept.as_ref().map(|(kept, _)| *kept);
        let mut all = self.barriers.before(self.touched(at, node, shared, of_kept));
        all.extend(self.parts.iter().filter(|part| part.step == at).map(Part::begin));
        let body = match kept {
            Some((kept, (ranges, inside))) => {
                let own = Kept { rows: kept, step: at, ranges: &ranges };
                let body = self.write_nodes(inside, shared, Some(&own));
                vec![kept.repeat((&self.thread, self.threads), &own, body)]
            }
            None => self.write_nodes(std::slice::from_ref(node), shared, None),
        };
        all.extend(guarded(conditions.to_vec(), body));
        all
    }

    /// Returns what the loops of a step touch in memory.
    fn touched(
        &self,
        at: usize,
        node: &Node,
        shared: usize,
        kept: Option<&KeptRows>,
    ) -> Vec<(usize, bool, By)> {
        let all = loops(node);
        let inner: Vec<usize> = all.iter().map(|range| range.iterator).collect();
        let range = all.iter().find(|range| range.iterator == shared).expect("the loop is in its step");
        let mut touched = Vec::new();
        for assignment in node.assignments() {
            for (place, access) in assignment.accesses().into_iter().enumerate() {
                let is_part = self.part(at, assignment).is_some_and(|part| part.assignment.target == *access);
                let is_kept = kept.is_some_and(|kept| kept.has(access.array));
                if !is_part && !is_kept && self.held(access).is_none() {
                    let neighbours = kept.map_or(1, KeptRows::neighbours);
                    let by = match kept.is_some_and(KeptRows::has_several_loops) {
                        true => By::All,
                        false => By::shared(range, &inner, access, neighbours),
                    };
                    touched.push((access.array, place == 0, by));
                }
            }
        }
        touched
    }

    fn write_nodes(&self, nodes: &[Node], shared: usize, kept: Option<&Kept<'_>>) -> Vec<Instruction> {
        let mut all = Vec::new();
        for node in nodes {
            all.push(match node {
                Node::Assign(assignment) => {
                    self.assign(assignment, self.parts.iter().find(|part| part.is_of(assignment)), kept)
                }
                Node::If(conditions, body) => {
                    let body = self.write_nodes(body, shared, kept);
                    Instruction::If(conditions.clone(), body, Vec::new())
                }
                Node::Loop(range, body) => {
                    let body = self.write_nodes(body, shared, kept);
                    if range.iterator == shared {
                        let unroll = unroll(&self.context, &body);
                        Instruction::Loop(self.own_values(range), unroll, body)
                    } else {
                        Instruction::Loop(range.clone(), Unroll::Free, body)
                    }
                }
            });
        }
        all
    }

    /// Returns the values of a shared loop that a thread has: neighbouring threads have neighbouring values.
    fn own_values(&self, range: &Range) -> Range {
        let own = self.thread.clone() * range.step;
        let lower = range.lower.iter().map(|lower| lower.clone() + own.clone()).collect();
        Range { lower, step: range.step * self.threads, is_reversed: false, ..range.clone() }
    }

    /// Writes an assignment with what is in registers.
    fn assign(
        &self,
        assignment: &Assignment,
        part: Option<&Part<'_>>,
        kept: Option<&Kept<'_>>,
    ) -> Instruction {
        let mut assignment = match self.context.sums {
            SumOrder::TermByTerm => one_by_one(assignment),
            SumOrder::AsWritten => assignment.clone(),
        };
        let element = assignment.target.clone();
        let near = |access: Access| {
            let part = part.filter(|_| access == element).map(|part| part.register.clone());
            let held = || self.held(&access).map(|held| held.register.clone());
            part.or_else(held).or_else(|| kept?.register(&access)).unwrap_or(access)
        };
        assignment.value.map_loads(&near);
        assignment.target = near(element.clone());
        Instruction::Assign(assignment)
    }

    fn steps(&self) -> Steps<'_, 'a> {
        Steps { all: &self.steps, together: self.together }
    }

    fn held(&self, element: &Access) -> Option<&Held> {
        self.held.iter().find(|held| held.element == *element)
    }

    /// Returns the condition that a thread is the first one of its row.
    fn is_first(&self) -> Condition {
        equal(self.thread.clone(), Affine::from(0))
    }
}

/// Returns `true` if an array is the caller's, or statements of other kernels touch it.
fn is_needed(nest: &Nest, own: &[usize], array: usize) -> bool {
    let mut others = nest.statements().into_iter().filter(|statement| !own.contains(&statement.index));
    array < nest.arguments()
        || others.any(|other| other.assignment.accesses().iter().any(|access| access.array == array))
}

fn inner(step: &Step<'_>) -> Vec<usize> {
    match step {
        Step::Once(_) => Vec::new(),
        Step::Loop(_, node) => loops(node).iter().map(|range| range.iterator).collect(),
    }
}

fn single(array: usize) -> Access {
    Access { array, subscripts: Vec::new() }
}

fn equal(left: Affine, right: Affine) -> Condition {
    Condition { relation: Relation::Equal, left, right }
}
