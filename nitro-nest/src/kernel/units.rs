//! What threads of a warp, or of four of them, do together when a program is interpreted: shuffles and matrix units.

use super::Instruction;
use super::matrix::{
    FRAGMENT, FragmentLoad, FragmentProduct, GroupOperand, GroupProduct, PartSplit, add_product, left_place,
    parts, right_place, sum_place,
};
use super::memory::Memory;
use super::run::{Running, WARP};
use super::thread::Thread;
use crate::data::RunError;
use crate::mapping::MatrixArithmetic;
use crate::nest::Assignment;
use crate::nest::expression::{Access, Binary, Expression};
use crate::number::Number;

/// A product that a group of warps has begun.
pub(super) struct Begun<'a> {
    /// The first thread of the group.
    first: usize,
    product: &'a GroupProduct,
    /// The first of its sums, of that thread.
    target: (usize, Vec<i64>),
    /// The iterators of its threads where it began, which say what it reads.
    iterators: Vec<Vec<i64>>,
    /// What each warp's sums become, fragment after fragment.
    sums: Vec<Vec<f32>>,
}

impl<T: Number> Running<'_, T> {
    /// Does what these threads have come for, all of which are there.
    pub fn together(&mut self, threads: &[usize]) -> Result<(), RunError> {
        let mut lanes = threads.to_vec();
        lanes.sort_unstable();
        match self.threads[lanes[0]].together {
            Some(Instruction::Combine { register, operator, lanes: width }) => {
                self.combine(&lanes, register, *operator, Some(*width as usize));
            }
            Some(Instruction::Scan { register, operator }) => self.combine(&lanes, register, *operator, None),
            Some(Instruction::Multiply(product)) => self.multiply(&lanes, product),
            Some(Instruction::LoadFragment(load)) => self.load_fragments(&lanes, load)?,
            Some(Instruction::BeginProduct(product)) => {
                let sums = self.product_of_group(&lanes, product)?;
                let iterators = lanes.iter().map(|thread| self.threads[*thread].iterators.clone()).collect();
                let (first, target) = (lanes[0], self.target(lanes[0], product));
                self.begun.push(Begun { first, product, target, iterators, sums });
            }
            Some(Instruction::AwaitProduct { but, .. }) => self.finish_products(&lanes, *but as usize)?,
            _ => {}
        }
        Ok(())
    }

    /// Combines a register of so many neighbouring lanes of a warp each, or scans it.
    fn combine(&mut self, lanes: &[usize], register: &Access, operator: Binary, width: Option<usize>) {
        let mut values: Vec<T> =
            lanes.iter().map(|thread| *self.threads[*thread].own(register, &self.memory)).collect();
        // As a GPU does it: in each round a lane takes the value of another one.
        for round in 0..width.unwrap_or(WARP).ilog2() {
            let before = values.clone();
            for (lane, value) in values.iter_mut().enumerate() {
                let other = match width {
                    None => lane.checked_sub(1 << round),
                    Some(width) => Some(lane ^ ((width / 2) >> round)),
                };
                let Some(other) = other.map(|other| before[other]) else { continue };
                let (left, right) = if width.is_none() { (other, *value) } else { (*value, other) };
                *value = T::binary(operator, left, right);
            }
        }
        for (thread, combined) in lanes.iter().zip(values) {
            *self.threads[*thread].own(register, &self.memory) = combined;
        }
    }

    /// Computes a product of fragments in the registers of a warp's threads.
    fn multiply(&mut self, lanes: &[usize], product: &FragmentProduct) {
        let (arithmetic, [_, columns]) = (product.arithmetic, FRAGMENT);
        let depth = arithmetic.depth() as usize;
        let left = self.left_fragment(lanes, product.arithmetic, &product.left);
        let mut right = vec![Vec::new(); depth * columns];
        for (lane, thread) in lanes.iter().enumerate() {
            for register in 0..depth / 4 {
                let [term, column] = right_place(arithmetic, lane, register);
                let value =
                    *self.threads[*thread].own(&product.right.neighbour(register as i64), &self.memory);
                right[term * columns + column] = parts(arithmetic, value.widened() as f32);
            }
        }
        let mut sums = self.sums(lanes, &product.sums);
        add_product(arithmetic, &left, &right, &mut sums);
        self.set_sums(lanes, &product.sums, &sums);
    }

    /// Reads a left fragment of a warp, row by row, as parts.
    fn left_fragment(
        &mut self,
        lanes: &[usize],
        arithmetic: MatrixArithmetic,
        first: &Access,
    ) -> Vec<Vec<f32>> {
        let depth = arithmetic.depth() as usize;
        let mut left = vec![Vec::new(); FRAGMENT[0] * depth];
        for (lane, thread) in lanes.iter().enumerate() {
            for register in 0..depth / 2 {
                let [row, term] = left_place(arithmetic, lane, register);
                let value = *self.threads[*thread].own(&first.neighbour(register as i64), &self.memory);
                left[row * depth + term] = parts(arithmetic, value.widened() as f32);
            }
        }
        left
    }

    /// Reads a fragment of sums of a warp, row by row.
    fn sums(&mut self, lanes: &[usize], registers: &[Access]) -> Vec<f32> {
        let mut sums = vec![0.0; FRAGMENT[0] * FRAGMENT[1]];
        for (lane, thread) in lanes.iter().enumerate() {
            for (register, sum) in registers.iter().enumerate() {
                let [row, column] = sum_place(lane, register);
                sums[row * FRAGMENT[1] + column] =
                    self.threads[*thread].own(sum, &self.memory).widened() as f32;
            }
        }
        sums
    }

    fn set_sums(&mut self, lanes: &[usize], registers: &[Access], sums: &[f32]) {
        for (lane, thread) in lanes.iter().enumerate() {
            for (register, sum) in registers.iter().enumerate() {
                let [row, column] = sum_place(lane, register);
                *self.threads[*thread].own(sum, &self.memory) =
                    T::rounded(sums[row * FRAGMENT[1] + column].into());
            }
        }
    }

    /// Loads fragments to the registers of a warp's threads.
    fn load_fragments(&mut self, lanes: &[usize], load: &FragmentLoad) -> Result<(), RunError> {
        let mut rows = Vec::new();
        for thread in &lanes[..8 * load.matrices as usize] {
            rows.push(self.threads[*thread].row(load, &mut self.memory)?);
        }
        for (lane, thread) in lanes.iter().enumerate() {
            for register in 0..2 * load.matrices as usize {
                let [row, column] = load.place(lane, register);
                let target = load.target.neighbour(register as i64);
                *self.threads[*thread].own(&target, &self.memory) = rows[row][column];
            }
        }
        Ok(())
    }

    /// Returns the first of the sums of a product, of a thread.
    fn target(&self, thread: usize, product: &GroupProduct) -> (usize, Vec<i64>) {
        let first = &product.sums[0];
        (first.array, self.threads[thread].subscripts(first))
    }

    /// Returns what the sums of each warp of a group become, fragment after fragment.
    fn product_of_group(
        &mut self,
        lanes: &[usize],
        product: &GroupProduct,
    ) -> Result<Vec<Vec<f32>>, RunError> {
        let arithmetic = product.arithmetic;
        let depth = i64::from(arithmetic.depth());
        // Products to the same sums follow each other, whether they are awaited or not.
        let target = self.target(lanes[0], product);
        let is_before = |begun: &&Begun<'_>| begun.first == lanes[0] && begun.target == target;
        let before = self.begun.iter().rfind(is_before).map(|begun| begun.sums.clone());
        let mut before = before.into_iter().flatten();
        let mut found = Vec::new();
        for (number, warp) in (0..).zip(lanes.chunks(WARP)) {
            let mut left = Vec::new();
            for fragment in 0..i64::from(product.fragments) {
                let place = [fragment * depth, number * FRAGMENT[0] as i64];
                left.push(match &product.left {
                    GroupOperand::Registers(first) => {
                        self.left_fragment(warp, arithmetic, &first.neighbour(fragment * depth / 2))
                    }
                    _ => self.threads[warp[0]].left_fragment(product, place, &mut self.memory)?,
                });
            }
            for (at, registers) in (0..).zip(product.sums.chunks(4)) {
                let begins_anew = arithmetic.parts() > 1;
                let mut sums = before.next().unwrap_or_else(|| self.sums(warp, registers));
                if begins_anew {
                    sums.fill(0.0);
                }
                for (fragment, left) in (0..).zip(&left) {
                    let place = [fragment * depth, at * FRAGMENT[1] as i64];
                    let right = self.threads[warp[0]].right_fragment(product, place, &mut self.memory)?;
                    add_product(arithmetic, left, &right, &mut sums);
                }
                found.push(sums);
            }
        }
        Ok(found)
    }

    /// Finishes the products that a group of warps has begun, but for the last ones: what they read must be as it was.
    fn finish_products(&mut self, lanes: &[usize], but: usize) -> Result<(), RunError> {
        let all = std::mem::take(&mut self.begun);
        let (mut own, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|begun| begun.first == lanes[0]);
        let later = own.split_off(own.len().saturating_sub(but));
        self.begun = others;
        for mut begun in own {
            self.swap_iterators(lanes, &mut begun.iterators);
            let again = self.product_of_group(lanes, begun.product)?;
            let bits = |all: &[Vec<f32>]| all.concat().iter().map(|one| one.to_bits()).collect::<Vec<_>>();
            if bits(&again) != bits(&begun.sums) {
                return Err(self.divergence("what a product reads has changed while it was computed"));
            }
            let of_warp = begun.product.sums.len() / 4;
            for (warp, sums) in lanes.chunks(WARP).zip(begun.sums.chunks(of_warp)) {
                for (registers, sums) in begun.product.sums.chunks(4).zip(sums) {
                    self.set_sums(warp, registers, sums);
                }
            }
            self.swap_iterators(lanes, &mut begun.iterators);
        }
        self.begun.extend(later);
        Ok(())
    }

    fn swap_iterators(&mut self, lanes: &[usize], iterators: &mut [Vec<i64>]) {
        for (thread, iterators) in lanes.iter().zip(iterators) {
            std::mem::swap(&mut self.threads[*thread].iterators, iterators);
        }
    }
}

impl<T: Number> Thread<'_, T> {
    /// Splits registers into parts in shared memory.
    pub fn split(&mut self, split: &PartSplit, memory: &mut Memory<'_, T>) -> Result<(), RunError> {
        for neighbour in 0..split.arithmetic.parts_in_16_bytes() {
            let source = split.source.neighbour(neighbour);
            let value = self.own(&source, memory).widened() as f32;
            for (part, value) in (0..).zip(parts(split.arithmetic, value)) {
                let target = split.target.neighbour(neighbour).behind(3, part);
                let doing = Assignment { target, value: Expression::Load(source.clone()) };
                let subscripts = self.subscripts(&doing.target);
                let place = memory.place(doing.target.array, &subscripts, self.actor.block, &doing)?;
                memory.store(&place, self.actor, &doing, T::rounded(value.into()))?;
            }
        }
        Ok(())
    }

    /// Reads the right fragment of a product that begins at a term and a column, term by term, as parts.
    fn right_fragment(
        &self,
        product: &GroupProduct,
        [first_term, first_column]: [i64; 2],
        memory: &mut Memory<'_, T>,
    ) -> Result<Vec<Vec<f32>>, RunError> {
        let mut right = Vec::new();
        for term in first_term..first_term + i64::from(product.arithmetic.depth()) {
            for column in first_column..first_column + FRAGMENT[1] as i64 {
                right.push(self.parts_of(product, &product.right, [term, column], memory)?);
            }
        }
        Ok(right)
    }

    /// Reads the left fragment of a product that begins at a term and a row, row by row, as parts.
    fn left_fragment(
        &self,
        product: &GroupProduct,
        [first_term, first_row]: [i64; 2],
        memory: &mut Memory<'_, T>,
    ) -> Result<Vec<Vec<f32>>, RunError> {
        let mut left = Vec::new();
        for row in first_row..first_row + FRAGMENT[0] as i64 {
            for term in first_term..first_term + i64::from(product.arithmetic.depth()) {
                left.push(self.parts_of(product, &product.left, [term, row], memory)?);
            }
        }
        Ok(left)
    }

    /// Reads the parts of an element of an operand in shared memory.
    fn parts_of(
        &self,
        product: &GroupProduct,
        operand: &GroupOperand,
        [term, across]: [i64; 2],
        memory: &mut Memory<'_, T>,
    ) -> Result<Vec<f32>, RunError> {
        let first = operand.element(term, across, product.arithmetic);
        let mut found = Vec::new();
        for part in 0..product.arithmetic.parts() as i64 {
            let element = first.behind(3, part);
            let value = Expression::Load(element.clone());
            let doing = Assignment { target: product.sums[0].clone(), value };
            let subscripts = self.subscripts(&element);
            let place = memory.place(element.array, &subscripts, self.actor.block, &doing)?;
            found.push(memory.load(&place, self.actor, &doing)?.widened() as f32);
        }
        match operand {
            GroupOperand::Stored { .. } => Ok(parts(product.arithmetic, found[0])),
            _ => Ok(found),
        }
    }

    /// Reads the row that it names of fragments.
    fn row(&self, load: &FragmentLoad, memory: &mut Memory<'_, T>) -> Result<Vec<T>, RunError> {
        let value = Expression::Load(load.row.clone());
        let copy = Assignment { target: load.target.clone(), value };
        memory.check_aligned(load.row.array, &self.subscripts(&load.row), 8, &copy)?;
        let mut row = Vec::new();
        for neighbour in 0..8 {
            let subscripts = self.subscripts(&load.row.neighbour(neighbour));
            let place = memory.place(load.row.array, &subscripts, self.actor.block, &copy)?;
            row.push(memory.load(&place, self.actor, &copy)?);
        }
        Ok(row)
    }
}
