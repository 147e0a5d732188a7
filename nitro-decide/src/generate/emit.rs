//! The instructions of a decided point.

use nitro_nest::{
    Access, Affine, Assignment, Cache, Caching, Condition, Expression, Extent, Host, Instruction, Kernel,
    Local, Program, Range, Relation, Space, Unroll, Variable, WIDE,
};

use super::pass::{Ahead, Pass};
use super::point::{Kind, Place, Point};
use super::shared::SharedAccess;
use super::space::DecidedSpace;
use super::threads::{Iterators, Threads};
use crate::PADDING;

impl DecidedSpace {
    /// Writes the program of a decided point: one value for each choice, as
    /// [`Candidate::solution`](crate::Candidate::solution) gives them.
    ///
    /// # Panics
    /// When the values are none of a solution.
    #[must_use]
    pub fn program(&self, values: &[usize]) -> Program {
        program(&Point { space: self, values })
    }
}

/// Writes the program, of one kernel.
fn program(point: &Point<'_>) -> Program {
    let nest = &point.space.nest;
    let iterators: Vec<String> =
        (0..point.space.nesting.loops.len()).map(|at| point.space.loop_name(at)).collect();
    let first = nest.iterators().len();
    let loops = iterators.len();
    let mut names = Iterators { first, loops, names: iterators };
    let threads = Threads::new(point, &mut names);
    let ahead = Ahead::new(point, &mut names);
    let mut emission = Emission { point, threads: &threads, ahead, sets_zeros: false, locals: Vec::new() };
    emission.locals = (0..point.space.values.len()).map(|value| emission.local(value)).collect();
    emission.add_registers();
    let mut body = threads.definitions.clone();
    body.extend(emission.list(None));
    let kernel = Kernel {
        name: format!("{}_0", nest.name()),
        statements: (0..nest.statements().len()).collect(),
        host_iterators: Vec::new(),
        grid: emission.grid(),
        block: [threads.count as u32, 1, 1],
        points: [1, 1, 1],
        resident_blocks: 0,
        locals: emission.locals,
        caching: caching(point),
        iterators: names.names,
        body,
    };
    Program { nest: nest.clone(), kernels: vec![kernel], host: vec![Host::Launch(0)] }
}

/// Returns the caches of arrays, where these are not as usual.
fn caching(point: &Point<'_>) -> Vec<Caching> {
    let space = point.space;
    let mut unusual = Vec::new();
    for array in 0..space.nest.arrays().len() {
        // The first statement that touches it decides: all of them have the same caches.
        let mut meanings = space.meanings.iter();
        let reads =
            meanings.position(|meaning| meaning.value.reads().iter().any(|access| access.array == array));
        let writes = space.meanings.iter().position(|meaning| meaning.target.array == array);
        let [reads, writes] = [reads, writes].map(|at| at.map_or(Cache::Usual, |at| point.cache(at)));
        if [reads, writes] != [Cache::Usual; 2] {
            unusual.push(Caching { array, reads, writes });
        }
    }
    unusual
}

/// The writer of a point's instructions.
pub(super) struct Emission<'a> {
    pub(super) point: &'a Point<'a>,
    threads: &'a Threads,
    /// The state of loading ahead, if tiles are loaded so.
    pub(super) ahead: Option<Ahead>,
    /// True where sums that warps add up are set to 0 now.
    pub(super) sets_zeros: bool,
    /// Of each value, and behind these registers through which vectors and tiles that are loaded ahead go.
    pub(super) locals: Vec<Local>,
}

impl Emission<'_> {
    /// Blocks, the innermost loop of them along x.
    fn blocks(&self) -> Vec<usize> {
        let statement = &self.point.space.kernel.statements[0];
        let around = self.point.around(statement).into_iter().rev();
        around.filter(|&at| self.point.kind(at) == Kind::Block).collect()
    }

    fn grid(&self) -> Vec<Extent> {
        let mut sizes: Vec<i64> = self.blocks().into_iter().map(|at| self.point.size(at)).collect();
        if sizes.is_empty() {
            sizes.push(1);
        }
        sizes[0] *= self.threads.count; // each block covers as many values as it has threads
        sizes
            .into_iter()
            .map(|size| Extent { lower: vec![0.into()], upper: vec![size.into()], step: 1 })
            .collect()
    }

    /// Returns the number of the iteration of a loop.
    fn digit(&self, at: usize) -> Affine {
        if self.point.size(at) == 1 {
            return 0.into();
        }
        if let Some(iteration) = self.ahead.as_ref().and_then(|ahead| ahead.iteration_of(at)) {
            return iteration;
        }
        match self.point.kind(at) {
            Kind::Vector => 0.into(),
            Kind::Thread => self.threads.digits[&at].clone(),
            Kind::Block => {
                let axis = self.blocks().iter().position(|&block| block == at);
                Variable::Block(axis.expect("blocks are around all statements")).into()
            }
            Kind::Plain | Kind::Unrolled => {
                Variable::Iterator(self.point.space.nest.iterators().len() + at).into()
            }
        }
    }

    /// Returns the number of the element among those that some loops of a dimension make up.
    pub(super) fn index(&self, dimension: usize, keep: impl Fn(usize) -> bool) -> Affine {
        let loops = self.point.space.nesting.loops_of(dimension);
        let kept = loops.into_iter().filter(|&at| keep(at));
        kept.fold(Affine::from(0), |index, at| index * self.point.size(at) + self.digit(at))
    }

    /// Returns how many elements these make up.
    pub(super) fn extent(&self, dimension: usize, keep: impl Fn(usize) -> bool) -> i64 {
        let loops = self.point.space.nesting.loops_of(dimension);
        loops.into_iter().filter(|&at| keep(at)).map(|at| self.point.size(at)).product()
    }

    /// Returns true if elements along a loop are in different places of a value.
    pub(super) fn is_apart(&self, place: Place, at: usize) -> bool {
        let per_thread = place == Place::Registers && self.point.kind(at) == Kind::Thread;
        !self.point.is_shared(at) && !per_thread
    }

    fn local(&self, value: usize) -> Local {
        let space = self.point.space;
        let array = space.nest.arrays().len() + value;
        let made = space.meanings.iter().find(|meaning| meaning.target.array == array);
        let target = &made.expect("every value is made").target;
        let place = self.point.place(value);
        let mut shape = self.shape(target, place);
        if let Place::Shared { transposed, padded } = place {
            if transposed {
                shape.reverse();
            }
            if let Some(last) = shape.last_mut().filter(|_| padded) {
                *last += PADDING as i64;
            }
            if self.has_sides() {
                shape.insert(0, 2);
            }
        }
        let (end, space_) = match place {
            Place::Registers => ("values", Space::Register),
            Place::Shared { .. } => ("tile", Space::Shared),
        };
        Local::new(format!("{}_{end}", space.values[value].name), space_, shape)
    }

    /// The element that an access of a statement is.
    fn access(&self, access: &Access) -> Access {
        let arrays = self.point.space.nest.arrays().len();
        let Some(value) = access.array.checked_sub(arrays) else {
            let subscripts = access.subscripts.iter().map(|subscript| self.whole(subscript)).collect();
            return Access { array: access.array, subscripts };
        };
        let place = self.point.place(value);
        let mut subscripts = self.place_of(access, place);
        if matches!(place, Place::Shared { transposed: true, .. }) {
            subscripts.reverse();
        }
        if place != Place::Registers {
            let side = self.ahead.as_ref().and_then(|ahead| ahead.side);
            side.into_iter().for_each(|side| subscripts.insert(0, Variable::Iterator(side).into()));
        }
        Access { array: access.array, subscripts }
    }

    /// Returns a subscript of an array of the nest, by the digits of all its loops.
    fn whole(&self, subscript: &Affine) -> Affine {
        let mut whole = Affine::from(subscript.constant());
        for &(variable, factor) in subscript.terms() {
            whole = whole + self.index(dimension(&variable.into()), |_| true) * factor;
        }
        whole
    }

    /// Returns the subscripts of an element of a value in this place.
    pub(super) fn place_of(&self, access: &Access, place: Place) -> Vec<Affine> {
        let dimensions = access.subscripts.iter().map(dimension);
        dimensions.map(|own| self.index(own, |at| self.is_apart(place, at))).collect()
    }

    /// Returns the extents of a value in this place.
    pub(super) fn shape(&self, access: &Access, place: Place) -> Vec<i64> {
        let dimensions = access.subscripts.iter().map(dimension);
        dimensions.map(|own| self.extent(own, |at| self.is_apart(place, at))).collect()
    }

    /// Writes what is within a loop, or outermost, with barriers between writing a tile and reading it.
    fn list(&mut self, parent: Option<usize>) -> Vec<Instruction> {
        let (mut instructions, mut before, mut all) =
            (Vec::new(), SharedAccess::default(), SharedAccess::default());
        let mut waited = false;
        let objects = self.point.inside(parent);
        instructions.extend(self.zeros(parent, &objects));
        for object in objects {
            let touched = SharedAccess::by(self.point, object);
            if before.delays(&touched) {
                instructions.push(Instruction::Barrier);
                before = SharedAccess::default();
                instructions.extend(if waited { Vec::new() } else { self.next_tiles(parent) });
                waited = true;
            }
            before.add(touched.clone());
            all.add(touched);
            instructions.extend(self.object(object));
        }
        let repeats = parent.is_some_and(|at| self.point.kind(at) == Kind::Plain && !self.takes_turns(at));
        if repeats && before.delays(&all) {
            instructions.push(Instruction::Barrier);
        }
        instructions
    }

    pub(super) fn object(&mut self, object: usize) -> Vec<Instruction> {
        match object.checked_sub(self.point.space.nesting.loops.len()) {
            Some(statement) => self.statement(statement),
            None => self.one_loop(object),
        }
    }

    fn one_loop(&mut self, at: usize) -> Vec<Instruction> {
        let first = self.first_tiles(at);
        let mut body = self.list(Some(at));
        body.splice(0..0, self.side(at));
        let unroll = match self.point.kind(at) {
            Kind::Plain => Unroll::By(1),
            Kind::Unrolled => Unroll::All,
            Kind::Thread | Kind::Block | Kind::Vector => return self.by_some_threads(at, body),
        };
        if self.point.size(at) == 1 {
            return self.by_some_threads(at, body);
        }
        let iterator = self.point.space.nest.iterators().len() + at;
        let (lower, upper) = (vec![0.into()], vec![self.point.size(at).into()]);
        let range = Range { iterator, lower, upper, step: 1, is_reversed: false };
        let whole = first.into_iter().chain([Instruction::Loop(range, unroll, body)]).collect();
        self.by_some_threads(at, whole)
    }

    /// Lets threads that load nothing pass by the nest: by its outermost loop.
    fn by_some_threads(&self, at: usize, nest: Vec<Instruction>) -> Vec<Instruction> {
        let space = self.point.space;
        let is_outermost = (0..space.nesting.loops.len())
            .all(|other| other == at || !self.point.lies(other, "outer", at) || self.point.is_shared(other));
        let mut loading =
            self.threads.loading.iter().filter(|(statement, _)| {
                space.nesting.own(&space.kernel.statements[**statement]).contains(&at)
            });
        let count = loading.next().map(|(_, count)| *count).filter(|&count| count < self.threads.count);
        match count {
            Some(count) if !self.point.is_shared(at) && is_outermost => {
                let (left, right) = (Variable::Thread(0).into(), count.into());
                vec![Instruction::If(
                    vec![Condition { relation: Relation::Less, left, right }],
                    nest,
                    Vec::new(),
                )]
            }
            _ => nest,
        }
    }

    fn statement(&mut self, statement: usize) -> Vec<Instruction> {
        let space = self.point.space;
        let meaning = &space.meanings[statement];
        let target = self.access(&meaning.target);
        let mut value = meaning.value.clone();
        value.map_loads(&|access| self.access(&access));
        let own = space.nesting.own(&space.kernel.statements[statement]);
        let is_wide = own.iter().any(|&at| self.point.kind(at) == Kind::Vector);
        if let (Some(adds_up), Expression::Load(part)) = (self.point.adds_up(statement), &value) {
            return self.added(adds_up, target, part.clone());
        }
        match (value, self.register(statement)) {
            (Expression::Load(source), Some((Pass::Fetch, register))) => copied(register, source, is_wide),
            (Expression::Load(_), Some((Pass::Put, register))) => self.put(target, register, is_wide),
            (Expression::Load(source), None) if is_wide => self.wide(statement, target, source),
            (value, _) => vec![Instruction::Assign(Assignment { target, value })],
        }
    }

    /// Several neighbours at once; where they do not come to neighbours, through registers.
    fn wide(&mut self, statement: usize, target: Access, source: Access) -> Vec<Instruction> {
        if !self.is_transposed(&target) {
            return copied(target, source, true);
        }
        let name = self.point.space.kernel.statements[statement].name.replace(' ', "_");
        let shape = vec![i64::from(WIDE)];
        self.locals.push(Local::new(format!("{name}_wide"), Space::Register, shape));
        let array = self.point.space.nest.arrays().len() + self.locals.len() - 1;
        let register = Access { array, subscripts: vec![0.into()] };
        let mut instructions = copied(register.clone(), source, true);
        instructions.extend(self.put(target, register, true));
        instructions
    }

    fn is_transposed(&self, target: &Access) -> bool {
        let value = target.array.checked_sub(self.point.space.nest.arrays().len());
        value.is_some_and(|value| matches!(self.point.place(value), Place::Shared { transposed: true, .. }))
    }

    /// From registers to where they belong; several neighbours one after the other where they do not come to
    /// neighbours.
    fn put(&self, target: Access, register: Access, is_wide: bool) -> Vec<Instruction> {
        if !is_wide || !self.is_transposed(&target) {
            return copied(target, register, is_wide);
        }
        // The last dimension of the array comes first, but for which of two tiles it is.
        let along = usize::from(self.has_sides());
        let last = register.subscripts.len() - 1;
        let mut instructions = Vec::new();
        for at in 0..i64::from(WIDE) {
            let (mut target, mut source) = (target.clone(), register.clone());
            target.subscripts[along] = target.subscripts[along].clone() + at;
            source.subscripts[last] = source.subscripts[last].clone() + at;
            instructions.push(Instruction::Assign(Assignment { target, value: Expression::Load(source) }));
        }
        instructions
    }
}

/// An element, or several neighbours at once.
fn copied(target: Access, source: Access, is_wide: bool) -> Vec<Instruction> {
    vec![match is_wide {
        true => Instruction::Copy { target, source, width: WIDE },
        false => Instruction::Assign(Assignment { target, value: Expression::Load(source) }),
    }]
}

/// The dimension that a subscript of a value is.
pub(super) fn dimension(subscript: &Affine) -> usize {
    match subscript.terms() {
        [(Variable::Iterator(dimension), _)] => *dimension,
        _ => unreachable!("subscripts of statements are of dimensions"),
    }
}
