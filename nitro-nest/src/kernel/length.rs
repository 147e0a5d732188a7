//! The length of a program once its loops are unrolled, which decides how long a compiler takes.

use super::{Instruction, Program, Unroll};
use crate::nest::Range;
use crate::nest::expression::Expression;

/// Operations as a compiler writes them out that take NVRTC some three seconds; it cannot be interrupted, and a search
/// waits for the longest of those that are compiled side by side.
///
/// On 2026-11-28 (NVRTC 13.0, one core): products of matrices of 9,000 to 16,000 operations took 0.4 to 1.6 s, a star
/// of 25 points in space 2.8 s of 25,000, sums of exponentials 3.6 s of 21,000. Drawn mappings of convolutions have up
/// to 1,600,000.
pub(crate) const MOST_WRITTEN_OUT: u64 = 20_000;

/// An element of the nest's arrays is read at an address, which has to be computed.
const OF_AN_ADDRESS: u64 = 6;
/// A function that processors have no instruction for is a polynomial with its special cases, or the call of one.
const OF_A_FUNCTION: u64 = 80;

impl Program {
    /// Returns the operations of all kernels as a compiler writes them out: those in loops that it is told to unroll
    /// count as often.
    pub(crate) fn written_out(&self) -> u64 {
        let of_nest = self.nest.arrays.len();
        self.kernels.iter().map(|kernel| operations(&kernel.body, of_nest)).fold(0, u64::saturating_add)
    }
}

fn operations(instructions: &[Instruction], of_nest: usize) -> u64 {
    let each = instructions.iter().map(|instruction| match instruction {
        Instruction::Loop(range, unroll, body) => {
            operations(body, of_nest).saturating_mul(copies(range, *unroll))
        }
        Instruction::If(_, body, otherwise) => {
            operations(body, of_nest).saturating_add(operations(otherwise, of_nest))
        }
        Instruction::Assign(assignment) => 1 + parts(&assignment.value, of_nest),
        _ => 1,
    });
    each.fold(0, u64::saturating_add)
}

/// Returns how often a loop's body is written out: no more often than it runs, where that is known.
fn copies(range: &Range, unroll: Unroll) -> u64 {
    match (unroll, most_iterations(range)) {
        (Unroll::By(factor), Some(all)) => all.min(u64::from(factor)),
        (Unroll::By(1) | Unroll::Free, _) | (Unroll::All, None) => 1,
        // Those that are left over have a loop of their own.
        (Unroll::By(factor), None) => u64::from(factor) + 1,
        (Unroll::All, Some(all)) => all,
    }
}

/// Returns the iterations that a loop has at most, where its bounds say so: those of a tile are from its first value
/// on.
fn most_iterations(range: &Range) -> Option<u64> {
    let pairs = range.lower.iter().flat_map(|lower| range.upper.iter().map(move |upper| (lower, upper)));
    let lengths = pairs.map(|(lower, upper)| upper.clone() - lower.clone());
    let known = lengths.filter(|length| length.terms().is_empty());
    let most = known.map(|length| length.constant().max(0).unsigned_abs()).min()?;
    Some(most.div_ceil(range.step.unsigned_abs().max(1)))
}

/// Returns the number of values that a value is made of, itself included.
fn parts(value: &Expression, of_nest: usize) -> u64 {
    let mut count = 0;
    value.visit(&mut |part| {
        count += match part {
            Expression::Load(access) if access.array < of_nest => 1 + OF_AN_ADDRESS,
            Expression::Gather(_) => 2 * (1 + OF_AN_ADDRESS),
            Expression::Unary(function, _) if function.is_of_library() => OF_A_FUNCTION,
            _ => 1,
        };
    });
    count
}
