//! Slices: threads along z share out what is staged of a sum, and a block adds up what they come to.

use super::accumulate::Accumulator;
use super::stage::{Staged, statements};
use super::walk::Walk;
use super::{Tiling, Work, guarded};
use crate::dependence::is_sum;
use crate::kernel::{Instruction, Space};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Binary, Expression, Relation};
use crate::nest::{Assignment, Condition, Node, Range};

/// The axis of a block along which its slices are.
const Z: Variable = Variable::Thread(2);

impl Work<'_> {
    /// Whether slices of a block may share out the sums of the kernel, if sums may be added up in any order: at
    /// each point of a grid with two dimensions there is one loop, and it only sums up.
    pub fn has_slices(&self) -> bool {
        let nodes = self.nodes(&self.nest.body, &mut 0);
        let mut loops = nodes.iter().filter(|node| super::walk::has_loop(std::slice::from_ref(node)));
        let (Some(Node::Loop(range, body)), None) = (loops.next(), loops.next()) else { return false };
        let mut assignments = Vec::new();
        let is_simple = range.step == 1 && !range.is_reversed && statements(body, &mut assignments);
        let sums_up = |assignment: &&Assignment| {
            let target = &assignment.target;
            let is_of_point = self.plan.grid.iter().all(|iterator| target.depends_on(&[*iterator]));
            is_sum(assignment) && is_of_point && !target.depends_on(&[range.iterator])
        };
        let is_plain = self.plan.grid.len() == 2 && self.plan.split.is_none() && self.plan.summed.is_empty();
        is_plain && is_simple && assignments.iter().all(sums_up)
    }

    /// As many as the tiling asks for, where there may be any.
    pub fn slices(&self, tiling: &Tiling) -> u32 {
        let is_asked = tiling.slices > 1 && tiling.inner > 0 && tiling.promotes && self.reassociates;
        if is_asked && self.has_slices() { tiling.slices } else { 1 }
    }
}

impl Walk<'_> {
    /// Iterations that are staged at once: those of all slices.
    pub fn staged_iterations(&self) -> i64 {
        i64::from(self.tiling.inner) * self.slices
    }

    /// Bytes of shared memory by which slices add up.
    pub fn exchanged_bytes(&self) -> i64 {
        4 * self.exchange().iter().product::<i64>()
    }

    /// Of half of the slices, what each thread has along x.
    fn exchange(&self) -> Vec<i64> {
        let [x, y, _] = self.kernel.block.map(i64::from);
        let points = self.axes.iter().find(|axis| axis.dimension == 0).map_or(1, |axis| axis.points);
        vec![self.slices / 2, points, x * y]
    }

    /// What only the first slice does, where the walk is in none.
    pub fn once(&self, body: Vec<Instruction>) -> Vec<Instruction> {
        let is_first = || Condition { relation: Relation::Equal, left: Z.into(), right: Affine::from(0) };
        if self.slices > 1 && !self.is_in_slice { guarded(vec![is_first()], body) } else { body }
    }

    /// The loop in tiles, of which each slice has some iterations: the others begin with zero, and in the end the
    /// first one has it all.
    pub fn sliced(
        &mut self,
        range: &Range,
        body: &[Node],
        guards: &[Condition],
        staged: Vec<Staged>,
    ) -> Vec<Instruction> {
        let mut assignments = Vec::new();
        statements(body, &mut assignments);
        let mut targets: Vec<&Access> = assignments.iter().map(|assignment| &assignment.target).collect();
        targets.sort_unstable_by_key(|target| target.array);
        targets.dedup();
        let find = |target: &&Access| self.accumulators.iter().find(|own| own.element == **target).cloned();
        let Some(sums) = targets.iter().map(find).collect::<Option<Vec<Accumulator>>>() else {
            return self.tiled(range, body, guards, staged);
        };
        self.is_sliced = true;
        let others = vec![at_least(1)];
        let zeros = sums.iter().flat_map(|sum| self.points(&sum.axes, vec![set(sum, Expression::from(0.0))]));
        let mut all = guarded(others, zeros.collect());
        self.is_in_slice = true;
        all.extend(self.tiled(range, body, guards, staged));
        self.is_in_slice = false;
        let exchanged = self.exchange();
        let exchange = self.local("exchange", Space::Shared, exchanged);
        all.extend(sums.iter().flat_map(|sum| self.added_up(sum, exchange)));
        all
    }

    /// The later half of the slices gives what it has to the earlier one, again and again.
    fn added_up(&self, sum: &Accumulator, exchange: usize) -> Vec<Instruction> {
        let (x, others): (Vec<usize>, Vec<usize>) =
            sum.axes.iter().partition(|at| self.axes[**at].dimension == 0);
        let point = x.first().map_or(Affine::from(0), |at| self.axes[*at].point(&self.own[*at]));
        let thread =
            Affine::from(Variable::Thread(0)) + Variable::Thread(1) * i64::from(self.kernel.block[0]);
        let of_slice = |slice: Affine| Access {
            array: exchange,
            subscripts: vec![slice, point.clone(), thread.clone()],
        };
        let mut rounds = Vec::new();
        let mut half = self.slices / 2;
        while half > 0 {
            let own = Expression::Load(sum.register.clone());
            let given = Assignment { target: of_slice(Z - half), value: own.clone() };
            let taken = Expression::Load(of_slice(Z.into()));
            let add = Expression::Binary(Binary::Add, Box::new(own), Box::new(taken));
            let give = self.points(&x, vec![Instruction::Assign(given)]);
            let take = self.points(&x, vec![set(sum, add)]);
            rounds.extend(guarded(vec![at_least(half), below(2 * half)], give));
            rounds.push(Instruction::Barrier);
            rounds.extend(guarded(vec![below(half)], take));
            rounds.push(Instruction::Barrier);
            half /= 2;
        }
        self.points(&others, rounds)
    }
}

fn set(sum: &Accumulator, value: Expression) -> Instruction {
    Instruction::Assign(Assignment { target: sum.register.clone(), value })
}

fn at_least(slice: i64) -> Condition {
    Condition { relation: Relation::GreaterOrEqual, left: Z.into(), right: Affine::from(slice) }
}

fn below(slice: i64) -> Condition {
    Condition { relation: Relation::Less, left: Z.into(), right: Affine::from(slice) }
}
