//! Sums of which a block has one: its threads bring their parts together before any is added to memory.
//!
//! Additions to one element come one after the other, so that one for each block takes less than one for each warp.

use super::accumulate::Accumulator;
use super::context::{Context, Points, Threads};
use super::tiles::divide;
use crate::kernel::{Instruction, Space, Unroll};
use crate::limits::LANES;
use crate::lower::bounds::{count_to, iterator};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Binary, Expression, Relation};
use crate::nest::{Condition, Range};

/// Returns `true` if all threads of a block, several whole warps, come here with parts of one element.
pub(super) fn is_of_block(context: &Context<'_>, sum: &Accumulator) -> bool {
    let Context { block, scope, .. } = context;
    let is_one = sum.axes.is_empty() && context.slices == 1 && scope.points == Points::ByStatement;
    let has_warps = block[0].is_multiple_of(LANES) && block.iter().product::<u32>() > LANES;
    is_one && has_warps && scope.threads == Threads::Block
}

/// Writes code after which the first thread of a block has the sum of all, and what that thread does with it.
pub(super) fn write_block_sum(
    context: &mut Context<'_>,
    register: &Access,
    then: Vec<Instruction>,
) -> Vec<Instruction> {
    let [x, y, z] = context.block.map(i64::from);
    let warps = x * y * z / i64::from(LANES);
    let parts = context.local(&format!("parts_{}", context.symbols.locals.len()), Space::Shared, vec![warps]);
    let [warp, lane, other] = ["warp", "lane", "other"].map(|name| context.iterator(name));
    let thread = Affine::from(Variable::Thread(0)) + Variable::Thread(1) * x + Variable::Thread(2) * (x * y);
    let place = |number: Affine| Access { array: parts, subscripts: vec![number] };
    let load = |access: &Access| Box::new(Expression::Load(access.clone()));
    let others = Range { lower: vec![Affine::from(1)], ..count_to(other, warps) };
    let sum = Expression::Binary(Binary::Add, load(register), load(&place(iterator(other))));
    let mut first = vec![
        Instruction::assign(register.clone(), *load(&place(Affine::from(0)))),
        Instruction::Loop(others, Unroll::All, vec![Instruction::assign(register.clone(), sum)]),
    ];
    first.extend(then);
    let is_zero = |left: Affine| vec![Condition { relation: Relation::Equal, left, right: Affine::from(0) }];
    let give = Instruction::assign(place(iterator(warp)), *load(register));
    vec![
        Instruction::Combine { register: register.clone(), operator: Binary::Add, lanes: LANES },
        divide([warp, lane], thread.clone(), LANES.into()),
        // What was there before has been added up.
        Instruction::Barrier,
        Instruction::If(is_zero(iterator(lane)), vec![give], Vec::new()),
        Instruction::Barrier,
        Instruction::If(is_zero(thread), first, Vec::new()),
    ]
}
