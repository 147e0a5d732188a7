//! Axes: from where to where, which values are marked, and where a value lies.

use maud::{Markup, html};

/// A linear axis. Places on it are in percent of its length.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The value at its start.
    pub low: f64,
    /// The value at its end.
    pub high: f64,
    steps: usize,
}

impl Axis {
    /// Creates the axis of these shares: from a round one below all of them to 1, or from 0 where there is none.
    ///
    /// It starts where differences show; [`note`](Self::note) says so.
    pub fn of_shares(shares: impl IntoIterator<Item = f64>) -> Self {
        const FLOORS: [f64; 8] = [0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5];
        let least = shares.into_iter().filter(|share| share.is_finite()).reduce(f64::min).unwrap_or(0.0);
        let low = FLOORS.into_iter().find(|floor| *floor <= least).unwrap_or(0.0);
        Self { low, high: 1.0, steps: 2 }
    }

    /// Creates an axis with few round numbers, from one below both values to one above them. Values have to be finite.
    ///
    /// ```
    /// let axis = nitro_page::Axis::around(1.0, 1.37);
    /// assert_eq!((axis.low, axis.high, axis.ticks().len()), (1.0, 1.4000000000000001, 5));
    /// ```
    #[must_use]
    pub fn around(low: f64, high: f64) -> Self {
        const MOST_STEPS: f64 = 5.0;
        let span = (high - low).max(1e-3);
        // The smallest of the round steps that are few enough.
        let size = 10f64.powf((span / MOST_STEPS).log10().floor());
        let round = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * size);
        let step = round.into_iter().find(|step| span / step <= MOST_STEPS).unwrap_or(10.0 * size);
        // What is a round number but for its last digits needs no further step.
        let low = (low / step + 1e-9).floor() * step;
        let high = ((high / step - 1e-9).ceil() * step).max(low + step);
        Self { low, high, steps: ((high - low) / step).round() as usize }
    }

    /// Returns where a value lies; at an end for what lies beyond, at the start for what is no number.
    #[must_use]
    pub fn place(&self, value: f64) -> f64 {
        crate::width((value - self.low) / (self.high - self.low))
    }

    /// Returns true for values that do not lie before the start.
    #[must_use]
    pub fn has(&self, value: f64) -> bool {
        value >= self.low
    }

    /// Returns the values that are marked, from the start to the end.
    #[must_use]
    pub fn ticks(&self) -> Vec<f64> {
        let step = (self.high - self.low) / self.steps as f64;
        (0..=self.steps).map(|at| self.low + step * at as f64).collect()
    }

    /// Returns the marked values in percent, with the sign behind the last one.
    #[must_use]
    pub fn percent_labels(&self) -> Vec<String> {
        let mut labels: Vec<String> =
            self.ticks().into_iter().map(|share| crate::at(100.0 * share)).collect();
        if let Some(last) = labels.last_mut() {
            *last += " %";
        }
        labels
    }

    /// Returns a sentence for whoever takes lengths for values, where an axis of shares does not start at 0.
    #[must_use]
    pub fn note(&self) -> Markup {
        html! {
            @if self.low > 0.0 {
                p.axis-note { "The axis starts at " (format_args!("{:.0}", 100.0 * self.low)) " %, not at 0." }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_of_shares_starts_at_a_round_one_below_what_it_shows() {
        let axis = Axis::of_shares([0.97, 0.83, f64::NAN]);
        assert_eq!(axis.percent_labels(), ["80", "90", "100 %"]);
        assert_eq!((axis.place(0.8), axis.place(0.9), axis.place(0.1)), (0.0, 50.0, 0.0));
        assert!(axis.note().into_string().contains("starts at 80 %, not at 0"));
        assert_eq!(Axis::of_shares([0.955]).percent_labels(), ["95", "97.5", "100 %"]);
        assert_eq!(Axis::of_shares([]).percent_labels()[0], "0");
        assert_eq!(Axis::of_shares([0.3]).note().into_string(), "", "an axis from 0 needs no word");
    }

    #[test]
    fn an_axis_has_few_round_numbers_around_its_values() {
        let axis = Axis::around(1.0, 1.37);
        let ticks: Vec<String> = axis.ticks().iter().map(|tick| format!("{tick:.1}")).collect();
        assert_eq!(ticks, ["1.0", "1.1", "1.2", "1.3", "1.4"]);
        assert_eq!([axis.place(1.2), axis.place(9.0), axis.place(0.0)], [50.0, 100.0, 0.0]);
        let one = Axis::around(1.0, 1.0);
        assert!(one.high > one.low && one.ticks().len() >= 2);
    }

    #[test]
    fn no_value_is_without_a_place() {
        let axis = Axis::around(0.0, 1.0);
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
            assert!((0.0..=100.0).contains(&axis.place(value)), "{value}");
        }
    }
}
