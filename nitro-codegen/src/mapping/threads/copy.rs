//! All threads of a block copy a part of an array to shared memory together.

use super::guarded;
use super::stage::Staged;
use super::walk::{Walk, constant};
use crate::kernel::{Instruction, Unroll};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Relation};
use crate::nest::{Assignment, Condition};

impl Walk<'_> {
    /// What brings these parts; with conditions where they may stand out beyond their arrays.
    pub fn copies(&mut self, staged: &[Staged], is_guarded: bool) -> Vec<Instruction> {
        staged.iter().flat_map(|one| self.copy(one, is_guarded)).collect()
    }

    /// All threads of the block copy a part: neighbours along its last dimension, rows of it one after another.
    fn copy(&mut self, staged: &Staged, is_guarded: bool) -> Vec<Instruction> {
        let threads = i64::from(self.kernel.threads());
        let (last, rows) = staged.extents.split_last().expect("an array that is reused has a dimension");
        let width = width(*last, threads);
        let height: i64 = rows.iter().product();
        let [row_0, column_0, row, column, count, across] =
            ["row_0", "column_0", "row", "column", "rows", "columns"].map(|name| self.iterator(name));
        let of = |iterator| Affine::from(Variable::Iterator(iterator));
        let mut indices = vec![of(column)];
        let (divisions, leading) = self.unfold(of(row), rows);
        indices.splice(0..0, leading);
        let global: Vec<Affine> = indices
            .iter()
            .zip(&staged.origin)
            .map(|(index, origin)| index.clone() + origin.clone())
            .collect();
        let within = if is_guarded { self.in_bounds(staged.array, &global) } else { Vec::new() };
        let (target, source) = (staged.element(indices), Access { array: staged.array, subscripts: global });
        let copy = if staged.buffer.is_some() {
            Instruction::Fetch { target, source }
        } else {
            let mut value = staged.value.clone();
            value.map_loads(&|_| source.clone());
            Instruction::Assign(Assignment { target, value })
        };
        let copy = guarded(within, vec![copy]);
        let define_column = Instruction::Define(column, vec![of(column_0) + of(across) * width]);
        let columns = [vec![define_column], guarded(below(column, *last, width), copy)].concat();
        let columns = vec![Instruction::Loop(constant(across, ceil(*last, width)), Unroll::All, columns)];
        let step = threads / width;
        let define_row = Instruction::Define(row, vec![of(row_0) + of(count) * step]);
        let in_row = guarded(below(row, height, step), [divisions, columns].concat());
        let rows = [vec![define_row], in_row].concat();
        vec![
            Instruction::Divide {
                quotient: row_0,
                remainder: column_0,
                value: self.linear_thread(),
                divisor: width,
            },
            Instruction::Loop(constant(count, ceil(height, step)), Unroll::All, rows),
        ]
    }

    /// The index along each dimension but the last, of the number of a row.
    fn unfold(&mut self, row: Affine, extents: &[i64]) -> (Vec<Instruction>, Vec<Affine>) {
        let (mut divisions, mut indices, mut left) = (Vec::new(), Vec::new(), row);
        for (at, extent) in extents.iter().enumerate().rev() {
            if extents[..at].iter().all(|extent| *extent == 1) {
                indices.push(std::mem::replace(&mut left, Affine::from(0)));
                continue;
            }
            let [quotient, remainder] = ["rest", "index"].map(|name| self.iterator(name));
            divisions.push(Instruction::Divide { quotient, remainder, value: left, divisor: *extent });
            indices.push(Affine::from(Variable::Iterator(remainder)));
            left = Affine::from(Variable::Iterator(quotient));
        }
        indices.reverse();
        (divisions, indices)
    }

    /// The number of a thread in its block.
    fn linear_thread(&self) -> Affine {
        let [x, y, _] = self.kernel.block.map(i64::from);
        let factors = [1, x, x * y];
        (0..3)
            .filter(|axis| self.kernel.block[*axis] > 1)
            .fold(Affine::from(0), |sum, axis| sum + Variable::Thread(axis) * factors[axis])
    }

    /// That an array has this element.
    fn in_bounds(&self, array: usize, subscripts: &[Affine]) -> Vec<Condition> {
        let zero = Affine::from(0);
        let of = |(subscript, extent): (&Affine, &Affine)| {
            let lower = Condition {
                relation: Relation::GreaterOrEqual,
                left: subscript.clone(),
                right: zero.clone(),
            };
            let upper =
                Condition { relation: Relation::Less, left: subscript.clone(), right: extent.clone() };
            let is_plain =
                subscript.constant() >= 0 && subscript.terms().iter().all(|(_, factor)| *factor > 0);
            if is_plain { vec![upper] } else { vec![lower, upper] }
        };
        subscripts.iter().zip(&self.nest.arrays[array].shape).flat_map(of).collect()
    }
}

/// How many threads copy a row together: as many as read 128 bytes, fewer where a row is shorter.
fn width(row: i64, threads: i64) -> i64 {
    let wanted = row.clamp(1, 32).unsigned_abs().next_power_of_two() as i64;
    (1..=wanted).rev().find(|width| threads % width == 0).unwrap_or(1)
}

fn ceil(value: i64, divisor: i64) -> i64 {
    value.unsigned_abs().div_ceil(divisor.unsigned_abs()) as i64
}

/// That an index that goes on in steps is below an extent, where steps do not come out even.
fn below(iterator: usize, extent: i64, step: i64) -> Vec<Condition> {
    let index = Affine::from(Variable::Iterator(iterator));
    if extent % step == 0 {
        return Vec::new();
    }
    vec![Condition { relation: Relation::Less, left: index, right: Affine::from(extent) }]
}
