//! Where times and errors stand in a plot of both.

use nitro_page::{Axis, HEIGHT, Tick, number};

use crate::Evolved;

/// What takes longer than the original by more than this stands at the edge.
const SLOWEST: f64 = 1.5;
/// Where the edge begins that has everything slower, in percent.
pub(super) const EDGE: f64 = 93.0;
/// How high the lane of what is exact is where there are errors too, in percent.
const LANE: f64 = 26.0;
/// Results may be off by any number: more decades above what is worth having, or below, are not told apart.
const MORE_DECADES: f64 = 2.0;
const MOST_DECADES: f64 = 12.0;

/// Where times and errors stand.
pub(super) struct Scales {
    pub(super) original_ns: f64,
    pub(super) time: Axis,
    /// Logarithms of the least and the largest error that is told apart; none where all are exact.
    pub(super) decades: Option<(f64, f64)>,
}

impl Scales {
    pub(super) fn new(evolved: &Evolved, original_ns: f64) -> Self {
        let front = || evolved.front.iter().map(|(fitness, _)| *fitness);
        let all = || evolved.history.tried.iter().map(|tried| tried.fitness).chain(front());
        let times = || all().map(|fitness| fitness.time_ns / original_ns).filter(|time| time.is_finite());
        let (least, most) = (times().fold(1.0, f64::min), times().fold(1.0, f64::max));
        let of_interest = front().map(|fitness| fitness.error).chain([evolved.max_error]);
        let decades = decades(all().map(|fitness| fitness.error), of_interest);
        Self { original_ns, time: Axis::around(least, most.clamp(1.05, SLOWEST)), decades }
    }

    /// In percent from the left; the edge has what is slower.
    pub(super) fn x(&self, time_ns: f64) -> f64 {
        let time = time_ns / self.original_ns;
        match time > self.time.high + 1e-9 {
            true => (EDGE + 100.0) / 2.0,
            false => EDGE / 100.0 * self.time.place(time),
        }
    }

    /// In percent from below; what is exact stands in its lane, at a height of its own.
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

    /// Of what is exact, in the plot's own units.
    pub(super) fn lane_top(&self) -> f64 {
        self.decades.map_or(0.0, |_| HEIGHT * (1.0 - (LANE - 1.5) / 100.0))
    }

    pub(super) fn x_labels(&self) -> Vec<Tick> {
        let decimals = if self.time.high - self.time.low < 0.05 { 1 } else { 0 };
        let of_time =
            |time: f64| (EDGE / 100.0 * self.time.place(time), format!("{:.decimals$} %", 100.0 * time));
        // The last one would stand on the word at the edge.
        let ticks = self.time.ticks().into_iter().filter(|time| self.time.place(*time) < 99.0);
        ticks.map(of_time).chain([((EDGE + 100.0) / 2.0, "slower".to_owned())]).collect()
    }

    pub(super) fn y_labels(&self) -> Vec<Tick> {
        let Some((low, high)) = self.decades else {
            return vec![(50.0, "exact".to_owned())];
        };
        let step = ((high - low) / 4.0).ceil().max(1.0);
        let decades = (0..).map(|at| low + step * f64::from(at)).take_while(|decade| *decade <= high + 1e-9);
        let label = |decade: f64| {
            let error = 10f64.powi(decade as i32);
            (self.y(error, 0.0), if decade >= -3.0 { number(error) } else { format!("1e{decade:.0}") })
        };
        [((LANE - 2.0) / 2.0, "exact".to_owned())].into_iter().chain(decades.map(label)).collect()
    }
}

/// From the least error that is none to the largest of interest and a little further, as logarithms; none where all
/// are exact.
fn decades(errors: impl Iterator<Item = f64>, of_interest: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let drawn = |error: &f64| error.is_finite() && *error > 0.0;
    let (least, most) =
        errors.filter(drawn).map(f64::log10).fold(None, |range: Option<(f64, f64)>, error| {
            Some(range.map_or((error, error), |(low, high)| (low.min(error), high.max(error))))
        })?;
    let interest = of_interest.filter(drawn).map(f64::log10).reduce(f64::max);
    let least = interest.map_or(least, |interest| least.min(interest));
    let most =
        most.min(interest.unwrap_or(least + MORE_DECADES) + MORE_DECADES).max(interest.unwrap_or(least));
    let high = (most + 0.1).ceil();
    Some(((least - 0.1).floor().max(high - MOST_DECADES), high))
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
