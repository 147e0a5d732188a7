//! What the evaluations of an input take.

use super::Recording;
use crate::measure::spent::{Spent, timed};

impl Recording<'_> {
    /// Runs a candidate, and returns the seconds that it took without those in which the input was made.
    pub(super) fn timed_run<T>(&self, run: impl FnOnce() -> T) -> (f64, T) {
        let before_s = self.spent.get().restoring_s;
        let (seconds, ran) = timed(run);
        (seconds - (self.spent.get().restoring_s - before_s), ran)
    }

    /// Notes what a part of the evaluations took.
    pub(super) fn spend(&self, spent: Spent) {
        let mut all = self.spent.get();
        all += spent;
        self.spent.set(all);
    }
}
