//! The exchange of what threads of a row have of its sums: through shared memory, with one barrier for all sums.

use super::{Row, equal};
use crate::kernel::{Instruction, Unroll};
use crate::limits::LANES;
use crate::lower::bounds::{count_to, iterator};
use crate::lower::threads::context::guarded;
use crate::lower::threads::tiles::divide;
use crate::nest::affine::Affine;
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Condition, Range};

/// The parts of a row that meet in shared memory: those of warps, or of threads that are across rows.
pub(super) struct Exchange {
    /// The number of a thread's part.
    pub(super) own: Affine,
    /// The conditions that a thread hands over the part.
    pub(super) gives: Vec<Condition>,
    /// The iterator that numbers all parts.
    pub(super) other: usize,
    pub(super) parts: i64,
}

impl Row<'_> {
    /// Finds out which parts meet in shared memory, if any do.
    pub(super) fn begin_exchange(&mut self) -> Vec<Instruction> {
        if self.is_across {
            let other = self.context.iterator("other");
            let (own, parts) = (self.thread.clone(), self.threads);
            self.exchange = Some(Exchange { own, gives: Vec::new(), other, parts });
            return Vec::new();
        }
        let parts = self.threads / i64::from(LANES);
        if parts <= 1 {
            return Vec::new();
        }
        let [warp, lane, other] = ["warp", "lane", "other"].map(|name| self.context.iterator(name));
        let gives = vec![equal(iterator(lane), Affine::from(0))];
        self.exchange = Some(Exchange { own: iterator(warp), gives, other, parts });
        vec![divide([warp, lane], self.thread.clone(), LANES.into())]
    }

    /// Returns the shape of an array for the parts of so many rows: neighbouring threads have neighbouring places.
    pub(super) fn exchange_shape(&self, exchange: &Exchange, rows: i64) -> Vec<i64> {
        if self.is_across { vec![exchange.parts, rows] } else { vec![rows, exchange.parts] }
    }

    /// Lets threads exchange their parts of these sums.
    pub(super) fn write_exchange(&mut self, parts: &[usize]) -> Vec<Instruction> {
        let Some(exchange) = &self.exchange else { return Vec::new() };
        let (mut gives, mut takes) = (Vec::new(), Vec::new());
        for part in parts.iter().map(|part| &self.parts[*part]) {
            let array = part.exchange.expect("rows that exchange parts have an array for them");
            let place = |number: Affine| {
                let row = self.row.clone();
                let subscripts = if self.is_across { vec![number, row] } else { vec![row, number] };
                Access { array, subscripts }
            };
            let load = |access: &Access| Expression::Load(access.clone());
            gives.push(Instruction::assign(place(exchange.own.clone()), load(&part.register)));
            // All threads add up all parts in the same order.
            takes.push(Instruction::assign(part.register.clone(), load(&place(Affine::from(0)))));
            let others = Range { lower: vec![Affine::from(1)], ..count_to(exchange.other, exchange.parts) };
            let other = load(&place(iterator(exchange.other)));
            let joined = Assignment::reduce(part.register.clone(), part.operator, other);
            let unroll = if self.is_across { Unroll::Free } else { Unroll::All };
            takes.push(Instruction::Loop(others, unroll, vec![Instruction::Assign(joined)]));
        }
        let mut all = guarded(exchange.gives.clone(), gives);
        all.push(self.barriers.barrier());
        all.extend(takes);
        all
    }
}
