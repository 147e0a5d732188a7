//! Scans: the threads of a row go along it together, and each needs what all before it come to.
//!
//! A row is scanned in chunks of as many values as it has threads: lanes of a warp scan theirs by shuffles, warps meet
//! in shared memory, and what all come to is carried to the next chunk (Blelloch, "Prefix sums and their applications",
//! 1990).

use super::barriers::By;
use super::{Row, equal, single};
use crate::kernel::{Instruction, Space, Unroll};
use crate::limits::LANES;
use crate::lower::bounds::{count_to, iterator, within};
use crate::lower::row_kernels::Step;
use crate::lower::scans::{Scan, scan};
use crate::lower::threads::context::guarded;
use crate::nest::affine::Affine;
use crate::nest::expression::{Access, Binary, Expression};
use crate::nest::{Assignment, Condition, Node, Range};

impl Row<'_> {
    /// Writes the step that is a scan.
    pub(super) fn write_scan(
        &mut self,
        at: usize,
        (range, node): (&Range, &Node),
        scan: &Scan<'_>,
        conditions: &[Condition],
    ) -> Vec<Instruction> {
        let element = &scan.reduces.target;
        let mut touched = self.touched(at, node, range.iterator, None);
        touched.retain(|(array, ..)| *array != element.array);
        if let Some(carried) = self.held(element).map(|held| held.register.clone()) {
            let mut all = self.barriers.before(touched);
            all.push(self.write_chunks(range, scan, conditions, &carried));
            return all;
        }
        touched.push((element.array, true, By::All));
        let carried = single(self.context.local("carried", Space::Register, Vec::new()));
        let mut all = self.barriers.before(touched);
        let read = Instruction::assign(carried.clone(), Expression::Load(element.clone()));
        all.extend(guarded(conditions.to_vec(), vec![read]));
        all.push(self.write_chunks(range, scan, conditions, &carried));
        // All threads have read it before the first of them writes it.
        all.push(self.barriers.barrier());
        let written = Instruction::assign(element.clone(), Expression::Load(carried));
        all.extend(guarded([conditions, &[self.is_first()]].concat(), vec![written]));
        all.extend(self.barriers.before(vec![(element.array, true, By::First)]));
        all
    }

    /// Writes the loop over chunks of a scan, with what is carried from one to the next in a register.
    fn write_chunks(
        &mut self,
        range: &Range,
        scan: &Scan<'_>,
        conditions: &[Condition],
        carried: &Access,
    ) -> Instruction {
        let part = self.parts.iter().position(|part| part.is_of(scan.reduces)).expect("a scan has its part");
        let (operator, own) = (self.parts[part].operator, self.parts[part].register.clone());
        let chunk = self.context.iterator("chunk");
        let place = iterator(chunk) + self.thread.clone();
        let inside = [conditions, &within(range, |_, is_lower| !is_lower)].concat();
        let mut body = vec![self.parts[part].begin(), Instruction::Define(range.iterator, vec![place])];
        body.extend(guarded(inside.clone(), vec![self.assign(scan.reduces, Some(&self.parts[part]), None)]));
        let [before, sum] =
            ["before", "sum"].map(|name| single(self.context.local(name, Space::Register, Vec::new())));
        body.push(Instruction::assign(sum.clone(), Expression::Load(own.clone())));
        body.push(Instruction::Scan { register: own.clone(), operator });
        body.push(Instruction::assign(before.clone(), Expression::Load(carried.clone())));
        body.extend(self.write_before(part, &before, &sum));
        body.push(join(operator, &before, &own));
        let is_scanned = |access: &Access| access == carried || *access == scan.reduces.target;
        let near = |access: Access| if is_scanned(&access) { before.clone() } else { access };
        let others = scan.others.iter().map(|other| {
            let mut instruction = self.assign(other, None, None);
            if let Instruction::Assign(assignment) = &mut instruction {
                assignment.value.map_loads(&near);
            }
            instruction
        });
        body.extend(guarded(inside, others.collect()));
        body.extend(guarded(conditions.to_vec(), vec![join(operator, carried, &sum)]));
        if self.exchange.is_some() {
            // What is exchanged for the next chunk takes its place.
            body.push(self.barriers.barrier());
        }
        let chunks = Range { iterator: chunk, step: self.threads, ..range.clone() };
        Instruction::Loop(chunks, Unroll::Free, body)
    }

    /// Writes what adds the parts of the warps before a thread's to a register, and sets another one to that of all.
    fn write_before(&mut self, part: usize, before: &Access, sum: &Access) -> Vec<Instruction> {
        let (operator, own) = (self.parts[part].operator, self.parts[part].register.clone());
        let Some(exchange) = &self.exchange else {
            return vec![Instruction::Combine { register: sum.clone(), operator, lanes: LANES }];
        };
        let array = self.parts[part].exchange.expect("rows that exchange parts have an array for them");
        let place = |number: Affine| Access { array, subscripts: vec![self.row.clone(), number] };
        let (warp, other, lane) = (&exchange.own, exchange.other, exchange.gives[0].left.clone());
        let last = equal(lane, Affine::from(i64::from(LANES) - 1));
        let gives = Instruction::assign(place(warp.clone()), Expression::Load(own));
        let of_other = place(iterator(other));
        let is_before = Condition::less(iterator(other), warp.clone());
        let first = Instruction::assign(sum.clone(), Expression::Load(place(Affine::from(0))));
        let to_before = |all: i64| {
            let joined = vec![join(operator, before, &of_other)];
            let body = vec![Instruction::If(vec![is_before.clone()], joined, Vec::new())];
            Instruction::Loop(count_to(other, all), Unroll::All, body)
        };
        let to_sum = |all: i64| {
            let others = Range { lower: vec![Affine::from(1)], ..count_to(other, all) };
            Instruction::Loop(others, Unroll::All, vec![join(operator, sum, &of_other)])
        };
        let (each, total) = (to_before(exchange.parts), to_sum(exchange.parts));
        let given = guarded(vec![last], vec![gives]);
        [given, vec![self.barriers.barrier(), each, first, total]].concat()
    }
}

pub(super) fn is_scan(step: &Step<'_>) -> bool {
    matches!(step, Step::Loop(_, node) if scan(node).is_some())
}

/// Returns what joins a register with something after it.
fn join(operator: Binary, register: &Access, after: &Access) -> Instruction {
    Instruction::Assign(Assignment::reduce(register.clone(), operator, Expression::Load(after.clone())))
}
