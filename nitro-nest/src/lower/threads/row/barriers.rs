//! Barriers between the steps of a row: where a thread touches what another one has written, or writes what another
//! one has touched.

use crate::kernel::Instruction;
use crate::lower::bounds::mentions;
use crate::nest::Range;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::Access;

/// The threads of a row that touch elements of an array.
#[derive(Clone, Debug)]
pub(super) enum By {
    /// Any of them touches any element.
    All,
    /// The first one alone.
    First,
    /// Each those that its values of a shared loop lead to.
    Shared {
        /// The first values of the loop, from which threads go on.
        lower: Vec<Affine>,
        step: i64,
        /// Neighbouring values that a thread has.
        neighbours: i64,
        /// The subscripts that only the value decides, where the loop's iterator is [`VALUE`].
        subscripts: Vec<Option<Affine>>,
    },
}

/// Stands for the value of any shared loop: subscripts of a nest mention no thread.
const VALUE: Variable = Variable::Thread(0);

impl By {
    /// Tells who touches an element in a shared loop, among these loops of its step.
    pub(super) fn shared(range: &Range, inner: &[usize], element: &Access, neighbours: i64) -> Self {
        let own = Variable::Iterator(range.iterator);
        let others: Vec<usize> = inner.iter().copied().filter(|other| *other != range.iterator).collect();
        let decides = |subscript: &Affine| subscript.mentions(own) && !mentions(subscript, &others);
        let value = Affine::from(VALUE);
        let subscripts = element.subscripts.iter();
        Self::Shared {
            lower: range.lower.clone(),
            step: range.step,
            neighbours,
            subscripts: subscripts
                .map(|subscript| decides(subscript).then(|| subscript.substitute(own, &value)))
                .collect(),
        }
    }

    /// Returns `true` if the same element is touched by the same thread.
    fn is_same_thread(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::First, Self::First) => true,
            (
                Self::Shared { lower, step, neighbours, subscripts },
                Self::Shared { lower: other_lower, step: other_step, neighbours: more, subscripts: others },
            ) => {
                // Then the subscript tells the value, and the value its thread.
                let mut pairs = subscripts.iter().zip(others);
                lower == other_lower
                    && (step, neighbours) == (other_step, more)
                    && pairs.any(|(one, other)| one.is_some() && one == other)
            }
            _ => false,
        }
    }
}

/// The accesses since the last barrier: arrays, `true` where they are written, and by whom.
#[derive(Debug, Default)]
pub(super) struct Barriers {
    touched: Vec<(usize, bool, By)>,
}

impl Barriers {
    /// Returns the barrier that these accesses need before them, if any, and takes note of them.
    pub(super) fn before(&mut self, touched: Vec<(usize, bool, By)>) -> Vec<Instruction> {
        let needs_one = touched.iter().any(|(array, is_written, by)| {
            let mut earlier = self.touched.iter();
            earlier.any(|(other, was_written, before)| {
                array == other && (*is_written || *was_written) && !by.is_same_thread(before)
            })
        });
        let barrier = needs_one.then(|| self.barrier());
        self.touched.extend(touched);
        barrier.into_iter().collect()
    }

    /// Returns a barrier.
    pub(super) fn barrier(&mut self) -> Instruction {
        self.touched.clear();
        Instruction::Barrier
    }
}
