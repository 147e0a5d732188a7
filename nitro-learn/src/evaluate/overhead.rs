//! The time that a choice takes.

use std::hint::black_box;
use std::time::Instant;

use nitro_stats::statistics::quantile;

use super::chooser::Chooser;

/// Rounds over all inputs; an odd number, whose median was really measured.
const ROUNDS: usize = 21;

impl Chooser<'_> {
    /// Time that the model takes to choose for one of these recorded inputs, in nanoseconds, on the machine that
    /// runs this: median of 21 rounds over all of them. Computing the features is not part of it.
    ///
    /// # Panics
    ///
    /// When there are no inputs.
    pub fn choosing_ns(&self, inputs: &[usize]) -> f64 {
        let rows: Vec<Vec<f64>> = inputs.iter().map(|&input| self.features(input)).collect();
        self.round_ns(&rows); // caches and clock frequency settle
        let mut times: Vec<f64> = (0..ROUNDS).map(|_| self.round_ns(&rows)).collect();
        times.sort_unstable_by(f64::total_cmp);
        quantile(&times, 0.5)
    }

    /// The mean time of a choice in one round over all inputs, in nanoseconds.
    fn round_ns(&self, rows: &[Vec<f64>]) -> f64 {
        let start = Instant::now();
        for row in rows {
            black_box(self.first(black_box(row)));
        }
        start.elapsed().as_nanos() as f64 / rows.len() as f64
    }
}
