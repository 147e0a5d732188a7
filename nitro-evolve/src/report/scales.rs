//! The scales of a plot of times and errors.

use nitro_page::{Axis, HEIGHT, Tick, number};
use nitro_search::evolve::Fitness;

use crate::evolve::EvolveResult;

/// The times of the original beyond which a candidate stands at the edge.
const SLOWEST: f64 = 1.5;
/// The place in percent at which the edge begins that has everything slower.
pub(super) const EDGE: f64 = 93.0;
/// The height in percent of the lane of exact candidates, where there are errors too.
const LANE: f64 = 26.0;
/// The decades above all errors of interest that are told apart: results may be off by any number.
const MORE_DECADES: f64 = 2.0;
/// The most decades that are told apart.
const MOST_DECADES: f64 = 12.0;

/// The scales of times and errors.
pub(super) struct Scales {
    pub(super) original_ns: f64,
    pub(super) time: Axis,
    /// The logarithms of the least and the largest error that is told apart; none where all are exact.
    pub(super) decades: Option<(f64, f64)>,
}

impl Scales {
    /// Chooses scales for all candidates.
    pub(super) fn new(evolved: &EvolveResult, original_ns: f64) -> Self {
        let tried = evolved.history.tried.iter().map(|attempt| attempt.fitness);
        let all: Vec<Fitness> = tried.chain(evolved.front.iter().map(|(fitness, _)| *fitness)).collect();
        let (mut least, mut most) = (1.0f64, 1.0f64);
        for time in all.iter().map(|fitness| fitness.time_ns / original_ns).filter(|time| time.is_finite()) {
            (least, most) = (least.min(time), most.max(time));
        }
        let of_interest = evolved.front.iter().map(|(fitness, _)| fitness.error).chain([evolved.max_error]);
        let decades = decades(all.iter().map(|fitness| fitness.error), of_interest);
        Self { original_ns, time: Axis::around(least, most.clamp(1.05, SLOWEST)), decades }
    }

    /// Returns the place of a time in percent from the left; the edge has what is slower.
    pub(super) fn x(&self, time_ns: f64) -> f64 {
        let time = time_ns / self.original_ns;
        match time > self.time.high + 1e-9 {
            true => (EDGE + 100.0) / 2.0,
            false => EDGE / 100.0 * self.time.place(time),
        }
    }

    /// Returns the place of an error in percent from below.
    ///
    /// What is exact stands in its lane, at a height of its own.
    pub(super) fn y(&self, error: f64, height: f64) -> f64 {
        match self.decades {
            None => height * 100.0,
            Some(_) if error == 0.0 => height * (LANE - 4.0) + 1.0,
            Some((low, high)) => {
                let place = ((error.log10() - low) / (high - low)).clamp(0.0, 1.0);
                LANE + (100.0 - LANE) * place
            }
        }
    }

    /// Returns the top of the lane of exact candidates, in the plot's own units.
    pub(super) fn lane_top(&self) -> f64 {
        self.decades.map_or(0.0, |_| HEIGHT * (1.0 - (LANE - 1.5) / 100.0))
    }

    /// Returns the labels of times.
    pub(super) fn x_labels(&self) -> Vec<Tick> {
        let decimals = if self.time.high - self.time.low < 0.05 { 1 } else { 0 };
        let mut labels = Vec::new();
        for time in self.time.ticks() {
            let place = self.time.place(time);
            // The last one would stand on the word at the edge.
            if place < 99.0 {
                labels.push((EDGE / 100.0 * place, format!("{:.decimals$} %", 100.0 * time)));
            }
        }
        labels.push(((EDGE + 100.0) / 2.0, "slower".to_owned()));
        labels
    }

    /// Returns the labels of errors.
    pub(super) fn y_labels(&self) -> Vec<Tick> {
        let Some((low, high)) = self.decades else {
            return vec![(50.0, "exact".to_owned())];
        };
        let step = ((high - low) / 4.0).ceil().max(1.0);
        let mut labels = vec![((LANE - 2.0) / 2.0, "exact".to_owned())];
        let decades = (0..).map(|at| low + step * f64::from(at)).take_while(|decade| *decade <= high + 1e-9);
        for decade in decades {
            let error = 10f64.powi(decade as i32);
            let text = if decade >= -3.0 { number(error) } else { format!("1e{decade:.0}") };
            labels.push((self.y(error, 0.0), text));
        }
        labels
    }
}

/// Returns the range of errors that is told apart, as logarithms; none where all are exact.
///
/// It goes from the least error to the largest of interest and a little further.
fn decades(errors: impl Iterator<Item = f64>, of_interest: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for decade in errors.filter_map(decade) {
        (least, most) = (least.min(decade), most.max(decade));
    }
    if least > most {
        return None;
    }
    let interest = of_interest.filter_map(decade).reduce(f64::max);
    let least = interest.map_or(least, |interest| least.min(interest));
    let most =
        most.min(interest.unwrap_or(least + MORE_DECADES) + MORE_DECADES).max(interest.unwrap_or(least));
    let high = (most + 0.1).ceil();
    Some(((least - 0.1).floor().max(high - MOST_DECADES), high))
}

/// Returns the logarithm of an error, unless it is exact or infinite.
fn decade(error: f64) -> Option<f64> {
    (error.is_finite() && error > 0.0).then(|| error.log10())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_beyond_all_bounds_do_not_press_the_others_together() {
        let decades = |errors: &[f64], of_interest: &[f64]| {
            decades(errors.iter().copied(), of_interest.iter().copied())
        };
        assert_eq!(decades(&[0.0, 1e-5, 0.3, f64::NAN], &[0.0, 0.01]), Some((-6.0, 0.0)));
        assert_eq!(decades(&[1e-5, 1e30], &[0.0, 0.01]), Some((-6.0, 1.0)));
        assert_eq!(decades(&[1e-300, 1e30], &[0.01]), Some((-11.0, 1.0)));
        assert_eq!(decades(&[1e-3], &[0.5]), Some((-4.0, 0.0)), "what is allowed is shown");
        assert_eq!(decades(&[1e-3, 1e30], &[0.0]), Some((-4.0, 2.0)));
        assert_eq!(decades(&[0.0, f64::INFINITY], &[0.1]), None);
    }
}
