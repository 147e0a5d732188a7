//! The closures of one input: what makes it, and what calls the function on it.

/// Calls of the function on one input, as often as they are wanted.
pub(super) trait Calls {
    /// The type of what they return.
    type Output;

    /// Makes the input anew, unrecorded, and returns what calls the function on it once.
    fn next(&mut self) -> impl FnOnce() -> Self::Output;

    /// Returns the number of instances that take turns.
    fn instances(&self) -> usize {
        1
    }

    /// Returns which of several instances the calls that were given last are of.
    fn instance(&self) -> usize {
        0
    }

    /// Lets the next calls be of the same instance as the last ones.
    fn stay(&mut self) {}
}

/// A closure that makes the input, and one that takes it.
pub(super) struct WithSetup<M, C> {
    pub(super) make: M,
    pub(super) call: C,
}

impl<T, R, M: FnMut() -> T, C: FnMut(T) -> R> Calls for WithSetup<M, C> {
    type Output = R;

    fn next(&mut self) -> impl FnOnce() -> R {
        let input = (self.make)();
        || (self.call)(input)
    }
}

/// A closure that takes the instances of an input in turn.
pub(super) struct InTurns<C> {
    pub(super) call: C,
    /// Number of instances.
    pub(super) count: usize,
    /// Number of runs so far.
    pub(super) runs: usize,
}

impl<R, C: FnMut(usize) -> R> Calls for InTurns<C> {
    type Output = R;

    fn next(&mut self) -> impl FnOnce() -> R {
        self.runs += 1;
        let instance = self.instance();
        move || (self.call)(instance)
    }

    fn instances(&self) -> usize {
        self.count
    }

    fn instance(&self) -> usize {
        self.runs.saturating_sub(1) % self.count.max(1)
    }

    fn stay(&mut self) {
        self.runs = self.runs.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_take_turns_and_one_may_stay() {
        let mut calls = InTurns { call: |instance: usize| instance, count: 3, runs: 0 };
        let mut seen = Vec::new();
        for stays in [false, true, false, false, true, false] {
            if stays {
                calls.stay();
            }
            seen.push(calls.next()());
        }
        assert_eq!(seen, [0, 0, 1, 2, 2, 0]);
    }
}
