//! All threads of a block copy a part of an array to shared memory together.

use super::stage::Staged;
use super::tiles::Tiles;
use super::walk::{Walk, constant};
use super::{either, guarded};
use crate::kernel::{Instruction, Space, Unroll, WIDE};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Relation};
use crate::nest::{Assignment, Condition};

/// How a part is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Element by element, with conditions where it may stand out beyond its array.
    Guarded,
    /// Element by element.
    Whole,
    /// Several elements at once.
    Wide,
}

impl Way {
    /// Elements that a thread copies at once.
    fn width(self) -> i64 {
        if self == Way::Wide { i64::from(WIDE) } else { 1 }
    }
}

/// What is done with the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// They come to shared memory, or are on their way there.
    Bring,
    /// Those that were on their way become what is kept of them.
    Change,
}

impl Walk<'_> {
    /// Does something with all elements of these parts; with conditions where they may stand out beyond their
    /// arrays. Each thread has the same ones every time.
    pub fn copies(&mut self, staged: &[Staged], is_guarded: bool, deed: Deed) -> Vec<Instruction> {
        let wanted = staged.iter().filter(|one| deed == Deed::Bring || !one.is_element());
        wanted.flat_map(|one| self.copies_of(one, is_guarded, deed)).collect()
    }

    fn copies_of(&mut self, staged: &Staged, is_guarded: bool, deed: Deed) -> Vec<Instruction> {
        match &staged.wide {
            _ if is_guarded => self.copy(staged, Way::Guarded, deed),
            None => self.copy(staged, Way::Whole, deed),
            Some(conditions) => {
                let wide = self.copy(staged, Way::Wide, deed);
                either(conditions.clone(), wide, self.copy(staged, Way::Whole, deed))
            }
        }
    }

    /// All threads of the block copy a part: neighbours along its last dimension, rows of it one after another.
    fn copy(&mut self, staged: &Staged, way: Way, deed: Deed) -> Vec<Instruction> {
        let threads = i64::from(self.kernel.threads());
        let (last, rows) = staged.extents.split_last().expect("an array that is reused has a dimension");
        let steps = *last / way.width();
        let width = width(steps, threads);
        let height: i64 = rows.iter().product();
        let [row_0, column_0, row, column, count, across] =
            ["row_0", "column_0", "row", "column", "rows", "columns"].map(|name| self.iterator(name));
        let of = |iterator| Affine::from(Variable::Iterator(iterator));
        let (divisions, mut indices) = self.unfold(of(row), rows);
        indices.push(of(column) * way.width());
        let copy = match deed {
            Deed::Bring => self.bring(staged, indices, way),
            Deed::Change => self.change(staged, indices, way),
        };
        let define_column = Instruction::Define(column, vec![of(column_0) + of(across) * width]);
        let columns = [vec![define_column], guarded(below(column, steps, width), copy)].concat();
        let columns = vec![Instruction::Loop(constant(across, ceil(steps, width)), Unroll::All, columns)];
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

    /// What brings one element, or several.
    fn bring(&mut self, staged: &Staged, indices: Vec<Affine>, way: Way) -> Vec<Instruction> {
        let (within, source) = self.source(staged, &indices, way);
        if way == Way::Wide && (staged.is_transposed() || !staged.is_element()) && staged.buffer.is_none() {
            return self.through_registers(staged, source, &indices);
        }
        let target = staged.element(indices);
        let one = if staged.buffer.is_some() {
            Instruction::Fetch { target, source, width: way.width() as u32 }
        } else if way == Way::Wide {
            Instruction::Copy { target, source }
        } else {
            Instruction::Assign(Assignment { target, value: staged.value_of(&source) })
        };
        guarded(within, vec![one])
    }

    /// What makes of one element, or several, what is kept of them.
    fn change(&mut self, staged: &Staged, indices: Vec<Affine>, way: Way) -> Vec<Instruction> {
        let (within, _) = self.source(staged, &indices, way);
        let target = staged.element(indices.clone());
        if way == Way::Wide {
            return self.through_registers(staged, target, &indices);
        }
        let value = staged.value_of(&target);
        guarded(within, vec![Instruction::Assign(Assignment { target, value })])
    }

    /// The element in the nest's array, and the conditions under which there is one.
    fn source(&self, staged: &Staged, indices: &[Affine], way: Way) -> (Vec<Condition>, Access) {
        let place = |(index, origin): (&Affine, &Affine)| index.clone() + origin.clone();
        let subscripts: Vec<Affine> = indices.iter().zip(&staged.origin).map(place).collect();
        let within = if way == Way::Guarded { self.in_bounds(staged.array, &subscripts) } else { Vec::new() };
        (within, Access { array: staged.array, subscripts })
    }

    /// Several elements come to registers, and what is made of them goes to shared memory.
    fn through_registers(&mut self, staged: &Staged, source: Access, indices: &[Affine]) -> Vec<Instruction> {
        let array = self.local("wide", Space::Register, vec![i64::from(WIDE)]);
        let own = |index: i64| Access { array, subscripts: vec![Affine::from(index)] };
        let mut all = vec![Instruction::Copy { target: own(0), source }];
        for index in 0..i64::from(WIDE) {
            let target = if staged.is_transposed() {
                let mut within = indices.to_vec();
                let last = within.last_mut().expect("an array that is reused has a dimension");
                *last = last.clone() + index;
                staged.element(within)
            } else {
                own(index)
            };
            all.push(Instruction::Assign(Assignment { target, value: staged.value_of(&own(index)) }));
        }
        if !staged.is_transposed() {
            all.push(Instruction::Copy { target: staged.element(indices.to_vec()), source: own(0) });
        }
        all
    }

    /// Finds out under which conditions these parts come several elements at once: all of their rows begin at
    /// multiples.
    pub fn align(&mut self, staged: &mut [Staged], tiles: &Tiles) -> Vec<Instruction> {
        let mut divisions = Vec::new();
        for one in staged.iter_mut().filter(|one| one.wide.is_some()) {
            let last = one.origin.last().expect("an array that is reused has a dimension");
            let start = Variable::Iterator(tiles.start);
            // Tiles are multiples apart: where the first begins, all do.
            let are_apart = last.coefficient(start) * tiles.inner % i64::from(WIDE) == 0;
            let first = last.substitute(start, &tiles.range.lower[0]);
            let found = if are_apart { self.aligned(one.array, &first) } else { None };
            one.wide = found.map(|(own, conditions)| {
                divisions.extend(own);
                conditions
            });
        }
        divisions
    }

    /// That all rows of an array have a multiple at this place: what finds it out, and the conditions. None: they
    /// have not.
    pub fn aligned(&mut self, array: usize, last: &Affine) -> Option<(Vec<Instruction>, Vec<Condition>)> {
        let row = self.nest.arrays[array].shape[1..].last();
        let remainders: Vec<Affine> = row.into_iter().chain([last]).map(remainder_of).collect();
        if remainders.iter().any(|value| value.terms().is_empty() && value.constant() != 0) {
            return None;
        }
        let (mut divisions, mut conditions) = (Vec::new(), Vec::new());
        for value in remainders.into_iter().filter(|value| !value.terms().is_empty()) {
            let [quotient, remainder] = ["rest", "odd"].map(|name| self.iterator(name));
            divisions.push(Instruction::Divide { quotient, remainder, value, divisor: i64::from(WIDE) });
            let (left, right) = (Affine::from(Variable::Iterator(remainder)), Affine::from(0));
            conditions.push(Condition { relation: Relation::Equal, left, right });
        }
        Some((divisions, conditions))
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
    pub fn in_bounds(&self, array: usize, subscripts: &[Affine]) -> Vec<Condition> {
        let zero = Affine::from(0);
        let of = |(subscript, extent): (&Affine, &Affine)| {
            let lower = Condition {
                relation: Relation::GreaterOrEqual,
                left: subscript.clone(),
                right: zero.clone(),
            };
            let upper =
                Condition { relation: Relation::Less, left: subscript.clone(), right: extent.clone() };
            if self.is_never_negative(subscript) { vec![upper] } else { vec![lower, upper] }
        };
        subscripts.iter().zip(&self.nest.arrays[array].shape).flat_map(of).collect()
    }
}

/// What has the same remainder when it is divided, without what is a multiple anyway.
fn remainder_of(value: &Affine) -> Affine {
    let wide = i64::from(WIDE);
    let of = |sum: Affine, (variable, coefficient): &(Variable, i64)| sum + *variable * (coefficient % wide);
    value.terms().iter().fold(Affine::from(value.constant() % wide), of)
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
