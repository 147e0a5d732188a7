//! Neighbouring elements that go between registers and memory at once.

use super::Accumulator;
use crate::kernel::{Instruction, WIDE};
use crate::lower::bounds::{iterator, mentions};
use crate::lower::threads::body::at_points_or_groups;
use crate::lower::threads::context::{Context, Points, everywhere};
use crate::lower::threads::copy::aligned_rows;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Condition};

/// Code that needs to find something out: what does that, the conditions that come of it, and the code.
pub(super) type Wide = (Vec<Instruction>, Vec<Condition>, Vec<Instruction>);

/// Moves all neighbouring points at once.
///
/// It takes blocks of which all is there, and elements that are neighbours too and begin at a multiple.
pub(super) fn wide_transfer(
    context: &mut Context<'_>,
    accumulator: &Accumulator,
    instruction: &Instruction,
) -> Option<Wide> {
    let at = accumulator.axes.iter().copied().find(|at| context.axes[*at].dimension == 0)?;
    let (x, own) = (context.axes[at].clone(), context.own[at]);
    let width = x.neighbours as u32;
    if !matches!(width, 2 | WIDE) || x.is_serial || context.scope.points == Points::OneByOne {
        return None;
    }
    let moved = wide_instruction(context, instruction, own.neighbour, width)?;
    // Neighbouring points have to be neighbouring elements of a row.
    let variable = Variable::Iterator(x.iterator);
    let (last, rows) = accumulator.element.subscripts.split_last()?;
    let is_of_row = !rows.iter().any(|subscript| subscript.mentions(variable));
    let others: Vec<usize> =
        context.axes.iter().filter(|axis| axis.dimension > 0).map(|axis| axis.iterator).collect();
    if !is_of_row || last.coefficient(variable) != 1 || x.range.step != 1 || mentions(last, &others) {
        return None;
    }
    // Elements that are converted come one by one.
    if !context.nest.arrays[accumulator.element.array].storage.is_number() {
        return None;
    }
    let first = last.substitute(variable, &iterator(own.first));
    let (divisions, aligned) = aligned_rows(context, accumulator.element.array, &first, width)?;
    let full = everywhere(&accumulator.conditions, &context.tile());
    let moves = at_points_or_groups(context, &accumulator.axes, vec![moved], Some(at));
    Some((divisions, [full, aligned].concat(), moves))
}

/// Returns the instruction that moves a whole group of neighbours, if there is one.
fn wide_instruction(
    context: &Context<'_>,
    instruction: &Instruction,
    neighbour: usize,
    width: u32,
) -> Option<Instruction> {
    let first = |access: &Access| access.with(neighbour, &Affine::from(0));
    match instruction {
        Instruction::Assign(Assignment { target, value: Expression::Load(value) }) => {
            Some(Instruction::Copy { target: first(target), source: first(value), width })
        }
        Instruction::Add { target, value, lanes: 1 } if context.tiling.adds_wide && width == WIDE => {
            Some(Instruction::AddWide { target: first(target), value: first(value) })
        }
        _ => None,
    }
}
