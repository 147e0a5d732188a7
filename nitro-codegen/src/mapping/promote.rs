//! Register promotion: an element that a loop of one thread writes again and again stays in a register while the loop runs.
//!
//! It may: in a kernel without races no other thread touches an element that this one writes, up to the next barrier.

use crate::kernel::{Instruction, Kernel, Local, Program, Space};
use crate::nest::affine::Variable;
use crate::nest::expression::{Access, Expression, Relation, Select};
use crate::nest::{Assignment, Condition, Nest, Range};

/// The program with elements in registers where loops allow it. What it computes is the same, bit for bit.
pub fn program(program: &mut Program) {
    let nest = &program.nest;
    for kernel in &mut program.kernels {
        let body = std::mem::take(&mut kernel.body);
        let body = Promotion { nest, kernel: &mut *kernel }.list(body);
        kernel.body = body;
    }
}

struct Promotion<'a> {
    /// Its arrays come before the kernel's own.
    nest: &'a Nest,
    kernel: &'a mut Kernel,
}

impl Promotion<'_> {
    fn list(&mut self, list: Vec<Instruction>) -> Vec<Instruction> {
        list.into_iter().flat_map(|instruction| self.instruction(instruction)).collect()
    }

    /// Inner loops first: what stays in a register there may stay in one further out.
    fn instruction(&mut self, instruction: Instruction) -> Vec<Instruction> {
        match instruction {
            Instruction::If(conditions, body) => vec![Instruction::If(conditions, self.list(body))],
            Instruction::Loop(range, body) => {
                let body = self.list(body);
                self.promoted(range, body)
            }
            other => vec![other],
        }
    }

    fn promoted(&mut self, range: Range, mut body: Vec<Instruction>) -> Vec<Instruction> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        while let Some(element) = self.candidate(&range, &body) {
            let own = self.register();
            body = replaced(body, &element, &own);
            before.push(assign(own.clone(), element.clone()));
            after.push(assign(element, own));
        }
        if before.is_empty() {
            return vec![Instruction::Loop(range, body)];
        }
        let conditions = not_empty(&range);
        before.push(Instruction::Loop(range, body));
        before.extend(after);
        if conditions.is_empty() { before } else { vec![Instruction::If(conditions, before)] }
    }

    fn register(&mut self) -> Access {
        let number = self.kernel.locals.len();
        let mut name = format!("own_{number}");
        while self.nest.names().any(|taken| *taken == name) {
            name.push('_');
        }
        self.kernel.locals.push(Local { name, space: Space::Register, shape: Vec::new() });
        Access { array: self.nest.arrays.len() + number, subscripts: Vec::new() }
    }

    /// An element of the nest's arrays that each iteration writes, and that is all of its array that the loop touches.
    fn candidate(&self, range: &Range, body: &[Instruction]) -> Option<Access> {
        let (mut changing, mut touched) = (vec![range.iterator], Vec::new());
        if !gather(body, &mut changing, &mut touched) {
            return None;
        }
        let is_fixed = |access: &Access| {
            !access
                .subscripts
                .iter()
                .any(|subscript| changing.iter().any(|of| subscript.mentions(Variable::Iterator(*of))))
        };
        let is_alone =
            |target: &Access| touched.iter().all(|other| other.array != target.array || *other == target);
        let written = body.iter().filter_map(|instruction| match instruction {
            Instruction::Assign(assignment) => Some(&assignment.target),
            _ => None,
        });
        let mut candidates = written.filter(|target| target.array < self.nest.arrays.len());
        candidates.find(|target| is_fixed(target) && is_alone(target)).cloned()
    }
}

/// The iterators that change in these instructions, and the elements they touch. False: there is a barrier.
fn gather<'a>(list: &'a [Instruction], changing: &mut Vec<usize>, touched: &mut Vec<&'a Access>) -> bool {
    list.iter().all(|instruction| match instruction {
        Instruction::Barrier => false,
        Instruction::Define(iterator, _) => {
            changing.push(*iterator);
            true
        }
        Instruction::Loop(range, body) => {
            changing.push(range.iterator);
            gather(body, changing, touched)
        }
        Instruction::If(_, body) => gather(body, changing, touched),
        Instruction::Assign(assignment) => {
            touched.push(&assignment.target);
            touched.extend(assignment.value.reads());
            true
        }
    })
}

fn assign(target: Access, value: Access) -> Instruction {
    Instruction::Assign(Assignment { target, value: Expression::Load(value) })
}

/// That the range has a value, as far as that is not plain.
fn not_empty(range: &Range) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for lower in &range.lower {
        for upper in &range.upper {
            let extent = upper.clone() - lower.clone();
            if !extent.terms().is_empty() || extent.constant() <= 0 {
                let (left, right) = (lower.clone(), upper.clone());
                conditions.push(Condition { relation: Relation::Less, left, right });
            }
        }
    }
    conditions
}

/// The instructions with another element in the place of one.
fn replaced(list: Vec<Instruction>, element: &Access, by: &Access) -> Vec<Instruction> {
    let one = |instruction| match instruction {
        Instruction::If(conditions, body) => Instruction::If(conditions, replaced(body, element, by)),
        Instruction::Loop(range, body) => Instruction::Loop(range, replaced(body, element, by)),
        Instruction::Assign(Assignment { mut target, mut value }) => {
            if target == *element {
                target = by.clone();
            }
            replace(&mut value, element, by);
            Instruction::Assign(Assignment { target, value })
        }
        other @ (Instruction::Define(..) | Instruction::Barrier) => other,
    };
    list.into_iter().map(one).collect()
}

fn replace(value: &mut Expression, element: &Access, by: &Access) {
    match value {
        Expression::Load(access) if *access == *element => *access = by.clone(),
        Expression::Constant(_) | Expression::Scalar(_) | Expression::Integer(_) | Expression::Load(_) => {}
        Expression::Unary(_, operand) => replace(operand, element, by),
        Expression::Binary(_, left, right) => {
            replace(left, element, by);
            replace(right, element, by);
        }
        Expression::Select(select) => {
            let Select { left, right, then, otherwise, .. } = &mut **select;
            [left, right, then, otherwise].into_iter().for_each(|part| replace(part, element, by));
        }
    }
}
