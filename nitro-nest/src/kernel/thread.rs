//! One thread of a kernel, which goes on by one assignment at a time.

use std::collections::VecDeque;

use super::memory::{Memory, elements};
use super::race::{Actor, Place};
use super::{Instruction, Kernel, Space, WIDE};
use crate::data::{RunError, offset};
use crate::interpreter::{Source, evaluate};
use crate::nest::affine::Variable;
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Range};
use crate::number::Number;

/// The outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It did something and can go on.
    Ready,
    /// It waits here for its block or, of an addition, for its warp.
    ///
    /// The address of the instruction tells it from others.
    Waits(usize, Scope),
    /// It has come to its end.
    Ended,
}

/// The threads that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// All threads of its block.
    Block,
    /// The threads of its warp.
    Warp,
    /// The threads of four warps.
    Group,
}

/// A thread and where it is in its kernel.
pub(super) struct Thread<'a, T> {
    pub actor: Actor,
    parameters: &'a [i64],
    /// The indices of its block and of itself in it, along each dimension.
    indices: [Vec<i64>; 2],
    pub iterators: Vec<i64>,
    /// The locals; shared ones are empty.
    registers: Vec<Vec<T>>,
    frames: Vec<Frame<'a>>,
    /// The addition that it does once all of its warp are there.
    addition: Option<(&'a Access, &'a Access)>,
    /// What its warp, or four of them, do once all of them are there.
    pub together: Option<&'a Instruction>,
    /// The copies that it has begun and not committed.
    fetched: Vec<Fetched<T>>,
    /// The groups that it has committed and not awaited.
    groups: VecDeque<Vec<Fetched<T>>>,
}

/// A number on its way: its place, the number, and the copy that it belongs to.
type Fetched<T> = (Place, T, Assignment);

/// A list of instructions that a thread is in.
struct Frame<'a> {
    instructions: &'a [Instruction],
    next: usize,
    /// Of a loop, the values that are left.
    repeats: Option<(usize, Box<dyn Iterator<Item = i64>>)>,
}

impl<'a, T: Number> Thread<'a, T> {
    pub fn new(
        kernel: &'a Kernel,
        parameters: &'a [i64],
        iterators: Vec<i64>,
        indices: [Vec<i64>; 2],
        actor: Actor,
    ) -> Self {
        let registers = kernel.locals.iter().map(|local| elements(local, Space::Register)).collect();
        let frames = vec![Frame { instructions: &kernel.body, next: 0, repeats: None }];
        let (fetched, groups) = (Vec::new(), VecDeque::new());
        Self {
            actor,
            parameters,
            indices,
            iterators,
            registers,
            frames,
            addition: None,
            together: None,
            fetched,
            groups,
        }
    }

    fn value(&self, variable: Variable) -> i64 {
        match variable {
            Variable::Parameter(index) => self.parameters[index],
            Variable::Iterator(index) => self.iterators[index],
            Variable::Block(axis) => self.indices[0][axis],
            Variable::Thread(axis) => self.indices[1][axis],
        }
    }

    /// Goes on up to the next assignment, a barrier or the end.
    pub fn step(&mut self, scalars: &[T], memory: &mut Memory<'_, T>) -> Result<Step, RunError> {
        self.together = None;
        if let Some((target, value)) = self.addition.take() {
            self.add(target, value, memory)?;
            return Ok(Step::Ready);
        }
        while let Some(frame) = self.frames.last_mut() {
            let (instructions, at) = (frame.instructions, frame.next);
            let Some(instruction) = instructions.get(at) else {
                self.end_of_list();
                continue;
            };
            frame.next += 1;
            memory.count()?;
            if !self.control(instruction) {
                return self.access(instruction, scalars, memory);
            }
        }
        Ok(Step::Ended)
    }

    /// Runs an instruction that touches no memory; false: it is another one.
    fn control(&mut self, instruction: &'a Instruction) -> bool {
        match instruction {
            Instruction::Define(iterator, values) => {
                let largest = values.iter().map(|affine| affine.evaluate(&|of| self.value(of))).max();
                self.iterators[*iterator] = largest.expect("a definition has a value");
            }
            Instruction::Begin(iterator, value) | Instruction::Set(iterator, value) => {
                self.iterators[*iterator] = value.evaluate(&|of| self.value(of));
            }
            Instruction::Divide { quotient, remainder, value, divisor } => {
                let [value, divisor] = [value, divisor].map(|one| one.evaluate(&|of| self.value(of)));
                self.iterators[*quotient] = value.div_euclid(divisor);
                self.iterators[*remainder] = value.rem_euclid(divisor);
            }
            Instruction::Loop(range, _, body) => self.enter(range, body),
            Instruction::If(conditions, body, otherwise) => {
                let holds = conditions.iter().all(|condition| condition.holds(&|of| self.value(of)));
                let instructions = if holds { body } else { otherwise };
                self.frames.push(Frame { instructions, next: 0, repeats: None });
            }
            Instruction::Commit => {
                let group = std::mem::take(&mut self.fetched);
                self.groups.push_back(group);
            }
            _ => return false,
        }
        true
    }

    /// Runs an instruction that touches memory, or waits.
    fn access(
        &mut self,
        instruction: &'a Instruction,
        scalars: &[T],
        memory: &mut Memory<'_, T>,
    ) -> Result<Step, RunError> {
        let address = std::ptr::from_ref(instruction) as usize;
        match instruction {
            Instruction::Barrier => return Ok(Step::Waits(address, Scope::Block)),
            Instruction::Add { target, value, lanes } => {
                self.addition = Some((target, value));
                if *lanes > 1 {
                    return Ok(Step::Waits(address, Scope::Warp));
                }
            }
            Instruction::Combine { .. }
            | Instruction::Scan { .. }
            | Instruction::LoadFragment(_)
            | Instruction::Multiply(_) => {
                self.together = Some(instruction);
                return Ok(Step::Waits(address, Scope::Warp));
            }
            Instruction::BeginProduct(_) | Instruction::AwaitProduct { .. } => {
                self.together = Some(instruction);
                return Ok(Step::Waits(address, Scope::Group));
            }
            Instruction::Split(split) => self.split(split, memory)?,
            Instruction::Assign(assignment) => self.assign(assignment, scalars, memory)?,
            Instruction::Choose { conditions, target, value } => {
                if conditions.iter().all(|condition| condition.holds(&|of| self.value(of))) {
                    let value = Expression::Load(value.clone());
                    self.assign(&Assignment { target: target.clone(), value }, scalars, memory)?;
                }
            }
            Instruction::Fetch { target, source, width } => self.fetch(target, source, *width, memory)?,
            Instruction::Await(groups) => self.arrive(*groups as usize, memory)?,
            Instruction::Copy { target, source, width } => {
                for assignment in self.neighbours(target, source, *width, memory)? {
                    self.assign(&assignment, &[], memory)?;
                }
            }
            Instruction::AddWide { target, value } => {
                for addition in self.neighbours(target, value, WIDE, memory)? {
                    self.add(&addition.target, addition.value.reads()[0], memory)?;
                }
            }
            _ => unreachable!("others touch no memory"),
        }
        Ok(Step::Ready)
    }

    /// Enters a loop: at the end of its list, with all values left.
    fn enter(&mut self, range: &'a Range, body: &'a [Instruction]) {
        let values = Box::new(range.values(&|of| self.value(of)));
        self.frames.push(Frame {
            instructions: body,
            next: body.len(),
            repeats: Some((range.iterator, values)),
        });
    }

    fn end_of_list(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let next = frame.repeats.as_mut().and_then(|(iterator, values)| Some((*iterator, values.next()?)));
        match next {
            Some((iterator, value)) => {
                frame.next = 0;
                self.iterators[iterator] = value;
            }
            None => {
                self.frames.pop();
            }
        }
    }

    fn assign(
        &mut self,
        assignment: &Assignment,
        scalars: &[T],
        memory: &mut Memory<'_, T>,
    ) -> Result<(), RunError> {
        let mut source = AtThread { thread: self, assignment, scalars, memory };
        let value = evaluate(&assignment.value, &mut source)?;
        let target = &assignment.target;
        if let Some((local, element)) = self.register(target, memory) {
            self.registers[local][element] = value;
            return Ok(());
        }
        let place = memory.place(target.array, &self.subscripts(target), self.actor.block, assignment)?;
        memory.store(&place, self.actor, assignment, value)
    }

    /// Returns the copies of several neighbours: the last subscript goes on, and each of them is an element.
    fn neighbours(
        &self,
        target: &Access,
        source: &Access,
        width: u32,
        memory: &Memory<'_, T>,
    ) -> Result<Vec<Assignment>, RunError> {
        let mut copies = Vec::new();
        for neighbour in 0..i64::from(width) {
            let value = Expression::Load(source.neighbour(neighbour));
            copies.push(Assignment { target: target.neighbour(neighbour), value });
        }
        for access in [target, source] {
            memory.check_aligned(access.array, &self.subscripts(access), width, &copies[0])?;
        }
        Ok(copies)
    }

    /// Begins to fetch: until it is awaited, there is no number in its place.
    fn fetch(
        &mut self,
        target: &Access,
        source: &Access,
        width: u32,
        memory: &mut Memory<'_, T>,
    ) -> Result<(), RunError> {
        for copy in self.neighbours(target, source, width, memory)? {
            let [to, from] = [&copy.target, copy.value.reads()[0]]
                .map(|access| memory.place(access.array, &self.subscripts(access), self.actor.block, &copy));
            let (to, value) = (to?, memory.load(&from?, self.actor, &copy)?);
            memory.store(&to, self.actor, &copy, T::UNSET)?;
            self.fetched.push((to, value, copy));
        }
        Ok(())
    }

    /// Lets all groups but the last ones arrive.
    fn arrive(&mut self, but: usize, memory: &mut Memory<'_, T>) -> Result<(), RunError> {
        while self.groups.len() > but {
            for (place, value, copy) in self.groups.pop_front().into_iter().flatten() {
                memory.store(&place, self.actor, &copy, value)?;
            }
        }
        Ok(())
    }

    /// Adds one register: what a GPU adds up in a warp first is added here one by one.
    fn add(&mut self, target: &Access, value: &Access, memory: &mut Memory<'_, T>) -> Result<(), RunError> {
        let register = self.register(value, memory).expect("what is added is a register");
        let value = self.registers[register.0][register.1];
        let doing = Assignment { target: target.clone(), value: Expression::Load(target.clone()) };
        let place = memory.place(target.array, &self.subscripts(target), self.actor.block, &doing)?;
        memory.add(&place, self.actor, &doing, value)
    }

    /// Returns a register that others of its warp combine or multiply.
    pub fn own(&mut self, access: &Access, memory: &Memory<'_, T>) -> &mut T {
        let (local, element) = self.register(access, memory).expect("what warps share is in registers");
        &mut self.registers[local][element]
    }

    pub fn subscripts(&self, access: &Access) -> Vec<i64> {
        access.subscripts.iter().map(|subscript| subscript.evaluate(&|of| self.value(of))).collect()
    }

    /// Returns the place of an element among the registers, if its array is there and has it.
    fn register(&self, access: &Access, memory: &Memory<'_, T>) -> Option<(usize, usize)> {
        let local = access.array.checked_sub(memory.arrays.len())?;
        let declared = &memory.kernel.locals[local];
        if declared.space != Space::Register {
            return None;
        }
        offset(&declared.shape, &self.subscripts(access)).map(|element| (local, element))
    }
}

/// An assignment of a thread.
struct AtThread<'t, 'a, 'm, T> {
    thread: &'t Thread<'a, T>,
    assignment: &'t Assignment,
    scalars: &'t [T],
    memory: &'t mut Memory<'m, T>,
}

impl<T: Number> Source<T> for AtThread<'_, '_, '_, T> {
    fn variable(&self, variable: Variable) -> i64 {
        self.thread.value(variable)
    }

    fn scalar(&self, index: usize) -> T {
        self.scalars[index]
    }

    fn load(&mut self, access: &Access) -> Result<T, RunError> {
        let Self { thread, assignment, memory, .. } = self;
        if let Some((local, element)) = thread.register(access, memory) {
            return Ok(thread.registers[local][element]);
        }
        let place = memory.place(access.array, &thread.subscripts(access), thread.actor.block, assignment)?;
        memory.load(&place, thread.actor, assignment)
    }

    fn index(&self, indices: usize, subscripts: &[i64]) -> Result<u32, RunError> {
        self.memory.index(indices, subscripts, self.assignment)
    }
}
