//! Recurrences: what the iterations before one wrote is in registers, not read again from memory.
//!
//! Nothing but arithmetic is between two iterations then, and a compiler loads for later ones ahead.

use super::accumulate::register_of;
use super::body::value;
use super::context::{Context, Points, guarded};
use crate::dependence::reduction;
use crate::kernel::{Instruction, Space, Unroll};
use crate::lower::bounds::{iterator, not_empty};
use crate::nest::affine::Affine;
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Node, Range};

/// The most iterations before an own one whose elements are in registers.
const MOST_BACK: usize = 3;

/// Iterations that are written out where a tiling leaves that to the compiler: loads of so many are on their way.
const ITERATIONS_AHEAD: u32 = 16;

/// A loop whose iterations need what others before them made.
pub(super) struct Recurrence<'n> {
    pub(super) range: &'n Range,
    pub(super) statements: Vec<&'n Assignment>,
    /// The value of the first iteration.
    first: Affine,
    carried: Vec<Carried<'n>>,
}

/// An element that later iterations read: another one in each iteration, or the same.
struct Carried<'n> {
    target: &'n Access,
    /// The index of the statement that writes it.
    writer: usize,
    /// How many iterations before its own one the farthest is that is read; 0: it is the same in all of them.
    farthest: usize,
    /// The register of this iteration's, and those of the ones before.
    registers: Vec<Access>,
}

/// Writes a loop with what goes from one iteration to later ones in registers; none: nothing does, or a thread has
/// several points.
pub(super) fn write_carried(
    context: &mut Context<'_>,
    range: &Range,
    body: &[Node],
) -> Option<Vec<Instruction>> {
    let mut recurrence = Recurrence::find(context, range, body)?;
    // What is the same in all iterations is in a register already.
    recurrence.carried.retain(|one| one.farthest > 0);
    recurrence.declare(context);
    let mut all = recurrence.before();
    let unroll = if context.tiling.unroll == 0 { ITERATIONS_AHEAD } else { context.tiling.unroll };
    all.push(Instruction::Loop(range.clone(), Unroll::By(unroll), recurrence.inside(context)));
    Some(all)
}

impl<'n> Recurrence<'n> {
    /// Finds what a loop carries from one iteration to others; none: nothing, or sums alone.
    pub(super) fn find(context: &Context<'_>, range: &'n Range, body: &'n [Node]) -> Option<Self> {
        let adds_up = context.axes.iter().any(|axis| axis.is_summed || axis.is_scattered);
        let is_single = context.scope.points == Points::Single && context.slices == 1 && !adds_up;
        if !is_single || !context.tiling.promotes || range.step != 1 {
            return None;
        }
        let statements: Option<Vec<&Assignment>> = body.iter().map(Node::assignment).collect();
        let first = match (&range.lower[..], &range.upper[..], range.is_reversed) {
            ([lower], _, false) => lower.clone(),
            (_, [upper], true) => upper.clone() - 1,
            _ => return None,
        };
        let mut found = Self { range, statements: statements?, first, carried: Vec::new() };
        for (writer, one) in found.statements.iter().enumerate() {
            if let Some(farthest) = found.farthest(context, one) {
                found.carried.push(Carried { target: &one.target, writer, farthest, registers: Vec::new() });
            }
        }
        (!found.carried.is_empty()).then_some(found)
    }

    /// Returns how many iterations before its own one the farthest element is that statements read of what this one
    /// writes.
    ///
    /// None: none is but by a sum, or they touch others of the array, or maybe not in each iteration.
    fn farthest(&self, context: &Context<'_>, writer: &Assignment) -> Option<usize> {
        let target = &writer.target;
        let is_moved = target.depends_on(&[self.range.iterator]);
        let (mut farthest, mut is_read) = (0, is_moved || reduction(writer).is_none());
        for statement in self.statements.iter().filter(|one| one.touches(target.array)) {
            let mut is_always = true;
            statement.value.visit(&mut |part| is_always &= !matches!(part, Expression::Select(_)));
            if !is_always || statement.target.array == target.array && statement.target != *target {
                return None;
            }
            let reads = statement.value.reads().into_iter().filter(|access| access.array == target.array);
            for access in reads {
                farthest = farthest.max(self.distance(target, access)?);
                is_read |= statement.target != *target;
            }
        }
        let writers = self.statements.iter().filter(|one| one.target.array == target.array).count();
        let is_number = context.nest.arrays[target.array].storage.is_number();
        let is_carried = is_read && (farthest > 0) == is_moved;
        (is_carried && writers == 1 && is_number).then_some(farthest)
    }

    /// Returns how many iterations before its own one a statement writes an element.
    fn distance(&self, target: &Access, access: &Access) -> Option<usize> {
        (0..=MOST_BACK).find(|distance| self.back(target, *distance) == *access)
    }

    /// Returns the element of so many iterations before.
    fn back(&self, target: &Access, distance: usize) -> Access {
        let distance = Affine::from(distance as i64) * if self.range.is_reversed { -1 } else { 1 };
        target.with(self.range.iterator, &(iterator(self.range.iterator) - distance))
    }

    /// Gives what is carried its registers.
    pub(super) fn declare(&mut self, context: &mut Context<'_>) {
        for one in &mut self.carried {
            let name = format!("{}_before", context.nest.arrays[one.target.array].name);
            for _ in 0..=one.farthest {
                let array = context.local(&name, Space::Register, Vec::new());
                one.registers.push(Access { array, subscripts: Vec::new() });
            }
        }
    }

    /// Returns `true` if an element that a statement touches is in a register and nowhere else.
    pub(super) fn is_carried(&self, at: usize, access: &Access, is_written: bool) -> bool {
        self.found(at, access).is_some_and(|(one, _)| !is_written || one.farthest == 0)
    }

    /// Returns what an element is that a statement reads, if it is carried, and how many iterations before.
    fn found(&self, at: usize, access: &Access) -> Option<(&Carried<'n>, usize)> {
        let one = self.carried.iter().find(|one| one.target.array == access.array)?;
        let distance = self.distance(one.target, access)?;
        // An own element is what it was until its statement has run.
        (distance > 0 || one.farthest == 0 || at > one.writer).then_some((one, distance))
    }

    /// Writes what comes to registers before the loop.
    pub(super) fn before(&self) -> Vec<Instruction> {
        let mut all = Vec::new();
        for one in &self.carried {
            for (distance, register) in one.registers.iter().enumerate().skip(one.farthest.min(1)) {
                let element = self.back(one.target, distance).with(self.range.iterator, &self.first);
                all.push(Instruction::assign(register.clone(), Expression::Load(element)));
            }
        }
        guarded(not_empty(self.range), all)
    }

    /// Writes an iteration.
    pub(super) fn inside(&self, context: &Context<'_>) -> Vec<Instruction> {
        let mut all = Vec::new();
        for (at, statement) in self.statements.iter().enumerate() {
            let mut value = value(context, statement);
            value.map_loads(&|access| match self.found(at, &access) {
                Some((one, distance)) => one.registers[distance].clone(),
                None => access,
            });
            let target = register_of(context, statement.target.clone());
            let Some(one) = self.carried.iter().find(|one| one.writer == at) else {
                all.push(Instruction::assign(target, value));
                continue;
            };
            all.push(Instruction::assign(one.registers[0].clone(), value));
            if one.farthest > 0 {
                all.push(Instruction::assign(target, Expression::Load(one.registers[0].clone())));
            }
        }
        for one in &self.carried {
            for pair in one.registers.windows(2).rev() {
                all.push(Instruction::assign(pair[1].clone(), Expression::Load(pair[0].clone())));
            }
        }
        all
    }

    /// Writes what goes from registers to memory after the loop.
    pub(super) fn after(&self) -> Vec<Instruction> {
        let same = self.carried.iter().filter(|one| one.farthest == 0);
        let stores = same
            .map(|one| Instruction::assign(one.target.clone(), Expression::Load(one.registers[0].clone())));
        guarded(not_empty(self.range), stores.collect())
    }
}
