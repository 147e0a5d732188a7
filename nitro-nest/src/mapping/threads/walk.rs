//! The walk over what is left of a nest, which writes down what a thread does.

use super::accumulate::Accumulator;
use super::stage::Staged;
use super::terms::one_by_one;
use super::{Axis, Own, Tile, Tiling, Work, either, extreme, guarded, in_tile};
use crate::kernel::{Instruction, Kernel, Local, Space, Unroll};
use crate::mapping::bounds::{mentions, range, within};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Condition, Nest, Node, Range};

pub struct Walk<'a> {
    pub nest: &'a Nest,
    /// Whether sums may be added up in any order.
    reassociates: bool,
    pub kernel: &'a mut Kernel,
    pub axes: Vec<Axis>,
    pub tiling: &'a Tiling,
    /// For each axis its iterators; empty where each thread has one value of each axis.
    pub own: Vec<Own>,
    /// Conditions that hold where the walk is, and which nothing in it has to ask for.
    pub held: Vec<Condition>,
    /// Elements that are in registers where the walk is.
    pub accumulators: Vec<Accumulator>,
    /// What is in shared memory where the walk is.
    pub staged: Vec<Staged>,
    /// Iterators that may be negative: first values of blocks and tiles, which a tile begins before its loop does.
    negative: Vec<usize>,
    /// How many of each there are.
    pub buffers: i64,
    /// Whether each thread has one value of each axis, and threads without one do nothing.
    is_plain: bool,
    /// Whether the walk is where a thread does everything at one of its points, and then at the next.
    pub is_at_point: bool,
    /// Whether the walk is in the loop over the points along x, which threads of a warp leave one by one.
    pub is_in_row: bool,
    /// Into how many slices a block falls, along z.
    pub slices: i64,
    /// Whether they share out a sum.
    pub is_sliced: bool,
    /// Whether the walk is where each slice has something else to do.
    pub is_in_slice: bool,
}

impl<'a> Walk<'a> {
    pub fn new(
        work: &Work<'a>,
        kernel: &'a mut Kernel,
        axes: Vec<Axis>,
        tiling: &'a Tiling,
        nodes: &[Node],
    ) -> Self {
        let is_plain = axes.iter().all(|axis| axis.points == 1 && !axis.is_summed)
            && !(tiling.inner > 0 && has_loop(nodes));
        let (held, accumulators, staged) = (Vec::new(), Vec::new(), Vec::new());
        let own = Vec::new();
        let (is_at_point, is_in_row, buffers) = (false, false, 1);
        let mut walk = Self {
            nest: work.nest,
            reassociates: work.reassociates,
            kernel,
            axes,
            tiling,
            own,
            held,
            accumulators,
            staged,
            negative: Vec::new(),
            buffers,
            is_plain,
            is_at_point,
            is_in_row,
            slices: 1,
            is_sliced: false,
            is_in_slice: false,
        };
        if !is_plain {
            walk.own = (0..walk.axes.len()).map(|axis| walk.own_iterators(axis)).collect();
        }
        walk
    }

    pub fn with_slices(self, slices: u32) -> Self {
        Self { slices: slices.into(), ..self }
    }

    fn own_iterators(&mut self, axis: usize) -> Own {
        let iterator = self.axes[axis].iterator;
        let names = self.nest.iterators.iter().chain(&self.kernel.iterators);
        let name = names.clone().nth(iterator).expect("it is the nest's or the kernel's").clone();
        let [first, group, neighbour] = ["0", "g", "p"].map(|of| self.iterator(&format!("{name}_{of}")));
        let firsts = self.axes[axis].firsts();
        self.begin_at(first, &firsts);
        Own { first, group, neighbour }
    }

    /// A new iterator of the kernel.
    pub fn iterator(&mut self, name: &str) -> usize {
        let name = self.free(name);
        self.kernel.iterators.push(name);
        self.nest.iterators.len() + self.kernel.iterators.len() - 1
    }

    /// Notes where an iterator begins: at the largest of these values, or beyond it.
    pub fn begin_at(&mut self, iterator: usize, lower: &[Affine]) {
        if !lower.iter().any(|bound| self.is_never_negative(bound)) {
            self.negative.push(iterator);
        }
    }

    /// Returns whether a value is 0 or more wherever the walk may use it, as far as signs and lower bounds tell.
    pub fn is_never_negative(&self, value: &Affine) -> bool {
        let is_negative = |variable: &Variable| match variable {
            Variable::Iterator(iterator) => self.may_be_negative(*iterator),
            Variable::Parameter(_) | Variable::Thread(_) | Variable::Block(_) => false,
        };
        value.constant() >= 0
            && value.terms().iter().all(|(variable, factor)| *factor > 0 && !is_negative(variable))
    }

    /// Iterators of the kernel count from 0 where nothing else was noted; those of the nest begin where their loops do.
    fn may_be_negative(&self, iterator: usize) -> bool {
        let begins_below = |range: &Range| !range.lower.iter().any(|bound| self.is_never_negative(bound));
        self.negative.contains(&iterator) || range(&self.nest.body, iterator).is_some_and(begins_below)
    }

    /// A new array of the kernel.
    pub fn local(&mut self, name: &str, space: Space, shape: Vec<i64>) -> usize {
        let name = self.free(name);
        self.kernel.locals.push(Local { name, space, shape });
        self.nest.arrays.len() + self.kernel.locals.len() - 1
    }

    fn free(&self, name: &str) -> String {
        let mut name = name.to_owned();
        let of_kernel =
            || self.kernel.iterators.iter().chain(self.kernel.locals.iter().map(|local| &local.name));
        while self.nest.names().chain(of_kernel()).any(|taken| *taken == name) {
            name.push('_');
        }
        name
    }

    /// What a thread does. None: there are slices, and nothing that they share out.
    pub fn body(mut self, nodes: &[Node]) -> Option<Vec<Instruction>> {
        if self.is_plain {
            let mut body: Vec<_> = self.axes.iter().map(Axis::define_plain).collect();
            let guards = self.guards();
            body.extend(guarded(guards, self.list(nodes, &[])));
            return Some(body);
        }
        let mut body = self.define_axes();
        let guards = self.guards();
        // In a triangle, blocks may be outside altogether.
        let occupied = in_tile(&self.of_several_axes(&guards), &self.block(), false);
        let work = if self.tiling.inner > 0 && !self.has_serial_axis() {
            self.serial(nodes, &guards, 0)
        } else {
            let full = in_tile(&guards, &self.block(), true);
            let whole = self.holding(&guards, |walk| walk.serial(nodes, &[], 0));
            if full.is_empty() { whole } else { either(full, whole, self.serial(nodes, &guards, 0)) }
        };
        body.extend(guarded(occupied, work));
        (self.slices == 1 || self.is_sliced).then_some(body)
    }

    /// What `make` makes where these conditions hold.
    pub fn holding<T>(&mut self, conditions: &[Condition], make: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.held.len();
        self.held.extend_from_slice(conditions);
        let made = make(self);
        self.held.truncate(before);
        made
    }

    pub fn has_serial_axis(&self) -> bool {
        self.axes.iter().any(|axis| axis.is_serial)
    }

    fn define_axes(&self) -> Vec<Instruction> {
        let firsts = self.axes.iter().zip(&self.own);
        let mut all: Vec<_> =
            firsts.map(|(axis, own)| Instruction::Define(own.first, axis.firsts())).collect();
        for (axis, own) in self.axes.iter().zip(&self.own) {
            if axis.points == 1 && !axis.is_serial {
                all.push(Instruction::Define(axis.iterator, vec![axis.value(own)]));
            }
        }
        all
    }

    /// That the values of all axes are within their loops. A thread's iterator begins at the lower bounds of the
    /// box: those that depend on another iterator are asked for.
    fn guards(&self) -> Vec<Condition> {
        let iterators: Vec<usize> = self.axes.iter().map(|axis| axis.iterator).collect();
        let of = |axis: &Axis| {
            within(&axis.range, |bound, is_lower| {
                let is_known = !mentions(bound, &iterators);
                // The loop of a serial axis ends at the bounds of the box.
                !(is_known && (is_lower || axis.is_serial))
            })
        };
        self.axes.iter().flat_map(of).collect()
    }

    fn of_several_axes(&self, conditions: &[Condition]) -> Vec<Condition> {
        let is_of_several = |condition: &&Condition| {
            let difference = condition.left.clone() - condition.right.clone();
            self.axes.iter().filter(|axis| difference.mentions(Variable::Iterator(axis.iterator))).count() > 1
        };
        conditions.iter().filter(is_of_several).cloned().collect()
    }

    /// The values that the axes have in a block, but for those that a thread goes through in a loop: where that
    /// runs, it has one.
    pub fn tile(&self) -> Tile {
        self.values(|axis| !axis.is_serial)
    }

    /// The values that all axes have in a block.
    fn block(&self) -> Tile {
        self.values(|_| true)
    }

    fn values(&self, is_asked: impl Fn(&Axis) -> bool) -> Tile {
        let of = |(axis, own): (&Axis, &Own)| {
            let first = Affine::from(Variable::Iterator(own.first));
            let last = first.clone() + (axis.tile() - 1) * axis.range.step;
            (axis.iterator, first, last)
        };
        self.axes.iter().zip(&self.own).filter(|(axis, _)| is_asked(axis)).map(of).collect()
    }

    /// The loops of serial axes from `axis` on, and the nodes in them.
    fn serial(&mut self, nodes: &[Node], guards: &[Condition], axis: usize) -> Vec<Instruction> {
        let Some(at) = (axis..self.axes.len()).find(|at| self.axes[*at].is_serial) else {
            return self.list(nodes, guards);
        };
        let (axis, first) = (self.axes[at].clone(), self.own[at].first);
        let end = Affine::from(Variable::Iterator(first)) + axis.tile() * axis.range.step;
        let start =
            Affine::from(Variable::Iterator(first)) + Variable::Thread(axis.dimension) * axis.range.step;
        let range = Range {
            iterator: axis.iterator,
            lower: vec![start],
            upper: axis.extent.upper.iter().cloned().chain([end]).collect(),
            step: axis.range.step * axis.threads,
            is_reversed: false,
        };
        let serial = self.axes[at..].iter().filter(|axis| axis.is_serial).map(|axis| axis.iterator).collect();
        self.accumulated(serial, nodes, guards, |walk| {
            walk.is_in_row = axis.dimension == 0;
            let body = walk.serial(nodes, guards, at + 1);
            walk.is_in_row = false;
            vec![Instruction::Loop(range, walk.unroll(), body)]
        })
    }

    fn unroll(&self) -> Unroll {
        if self.tiling.unroll == 0 { Unroll::Free } else { Unroll::By(self.tiling.unroll) }
    }

    pub fn node(&mut self, node: &Node, guards: &[Condition]) -> Vec<Instruction> {
        match node {
            Node::Assign(assignment) => self.summed(assignment, guards),
            Node::If(conditions, body) if self.is_plain => {
                guarded(conditions.clone(), self.list(body, guards))
            }
            Node::If(conditions, body) => self.list(body, &[guards, conditions].concat()),
            Node::Loop(range, body) => {
                let nodes = std::slice::from_ref(node);
                self.accumulated(Vec::new(), nodes, guards, |walk| walk.repeat(range, body, guards))
            }
        }
    }

    fn repeat(&mut self, range: &Range, body: &[Node], guards: &[Condition]) -> Vec<Instruction> {
        if range.step > 1 && range.lower.iter().any(|bound| self.differs(bound)) {
            return self.at_each_point(range, body, guards);
        }
        let (hull, conditions) = self.hull(range);
        self.begin_at(hull.iterator, &hull.lower);
        let all = [guards, &conditions].concat();
        if let Some(staged) = self.staging(&hull, body) {
            return match self.slices {
                1 => self.tiled(&hull, body, &all, staged),
                _ => self.sliced(&hull, body, &all, staged),
            };
        }
        vec![Instruction::Loop(hull, self.unroll(), self.list(body, &all))]
    }

    /// Whether a bound is another one for other threads or points of a block.
    fn differs(&self, bound: &Affine) -> bool {
        let axes = self.axes.iter().filter(|axis| !axis.is_serial && axis.tile() > 1);
        let is_shared = self.is_plain || self.is_at_point;
        !is_shared && mentions(bound, &axes.map(|axis| axis.iterator).collect::<Vec<_>>())
    }

    /// A loop in steps that begin elsewhere at each point: no loop is around them all, so each point has its own.
    fn at_each_point(&mut self, range: &Range, body: &[Node], guards: &[Condition]) -> Vec<Instruction> {
        self.is_at_point = true;
        let body = self.holding(guards, |walk| walk.list(body, &[]));
        self.is_at_point = false;
        let repeat = Instruction::Loop(range.clone(), self.unroll(), body);
        let axes: Vec<usize> = (0..self.own.len()).collect();
        self.points(&axes, guarded(guards.to_vec(), vec![repeat]))
    }

    /// A loop around all that the threads of a block repeat, so that they stay together, and the conditions for
    /// what a thread does in it.
    fn hull(&self, range: &Range) -> (Range, Vec<Condition>) {
        let depends = |bound: &Affine| self.differs(bound);
        if !range.lower.iter().chain(&range.upper).any(depends) {
            return (range.clone(), Vec::new());
        }
        let tile = self.tile();
        let lower = range.lower.iter().map(|bound| extreme(bound, &tile, true)).collect();
        let upper = range.upper.iter().map(|bound| extreme(bound, &tile, false)).collect();
        (Range { lower, upper, ..range.clone() }, within(range, |bound, _| depends(bound)))
    }

    /// A statement at all points of a thread.
    pub fn statement(&mut self, assignment: &Assignment, guards: &[Condition]) -> Vec<Instruction> {
        let target = self.register(assignment.target.clone());
        let assignment = Assignment { target, value: self.value(assignment) };
        let axes: Vec<usize> = (0..self.own.len()).collect();
        self.once(self.points(&axes, guarded(guards.to_vec(), vec![Instruction::Assign(assignment)])))
    }

    /// What an element becomes, of what is near.
    pub fn value(&self, assignment: &Assignment) -> Expression {
        if self.reassociates {
            self.near(&one_by_one(assignment).value)
        } else {
            self.near(&assignment.value)
        }
    }

    /// Repeats for all points of a thread along these axes.
    pub fn points(&self, axes: &[usize], body: Vec<Instruction>) -> Vec<Instruction> {
        self.points_of(axes, body, None)
    }

    /// Repeats for all points of a thread along these axes, or along one of them for the first of each group of
    /// neighbours.
    pub fn points_of(
        &self,
        axes: &[usize],
        body: Vec<Instruction>,
        grouped: Option<usize>,
    ) -> Vec<Instruction> {
        axes.iter().rev().fold(body, |body, at| {
            let (axis, own) = (&self.axes[*at], &self.own[*at]);
            if axis.points == 1 || axis.is_serial || self.is_at_point {
                return body;
            }
            let (mut value, mut loops) = (axis.value(own), axis.loops(own));
            if grouped == Some(*at) {
                value = value.substitute(Variable::Iterator(own.neighbour), &Affine::from(0));
                loops.retain(|(iterator, _)| *iterator != own.neighbour);
            }
            let define = Instruction::Define(axis.iterator, vec![value]);
            let each = [vec![define], body].concat();
            let repeat = |body, (iterator, extent): &(usize, i64)| {
                vec![Instruction::Loop(constant(*iterator, *extent), Unroll::All, body)]
            };
            loops.iter().rev().fold(each, repeat)
        })
    }

    /// The register that an element is in, or the element.
    pub fn register(&self, access: Access) -> Access {
        let found = self.accumulators.iter().find(|accumulator| accumulator.element == access);
        found.map_or(access, |accumulator| accumulator.register.clone())
    }
}

/// From 0 to below a number.
pub fn constant(iterator: usize, upper: i64) -> Range {
    Range {
        iterator,
        lower: vec![Affine::from(0)],
        upper: vec![Affine::from(upper)],
        step: 1,
        is_reversed: false,
    }
}

pub fn has_loop(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Loop(..) => true,
        Node::If(_, body) => has_loop(body),
        Node::Assign(_) => false,
    })
}

impl Axis {
    /// The iterator of a thread that has one value: the first, and a step for each thread before it.
    fn define_plain(&self) -> Instruction {
        let index = Variable::Block(self.dimension) * self.threads + Variable::Thread(self.dimension);
        let values = self.extent.lower.iter().map(|lower| lower.clone() + index.clone() * self.range.step);
        Instruction::Define(self.iterator, values.collect())
    }
}
