//! Means over devices, with how certain so few of them make it.

use std::collections::BTreeMap;

use nitro_core::DeviceId;
use nitro_stats::statistics::{mean, mean_and_standard_error};

use super::table::signed;

/// The 0.975 quantile of Student's t by degrees of freedom from 1 on. More are taken for the last: their interval is
/// a little wider than it has to be.
const QUANTILES: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/// The mean of a difference over devices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The ends of its 95 % interval by Student's t; none of one device.
    pub ends: Option<(f64, f64)>,
}

impl Interval {
    /// The mean of these, one a device; none of none.
    pub fn of(differences: &[f64]) -> Option<Self> {
        let freedom = differences.len().checked_sub(1)?;
        let (mean, error) = mean_and_standard_error(differences);
        let ends = (freedom > 0).then(|| {
            let half = QUANTILES[freedom.min(QUANTILES.len()) - 1] * error;
            (mean - half, mean + half)
        });
        Some(Self { mean, ends })
    }

    /// As [`of`](Self::of) over machines, each with the mean of its devices.
    pub fn by_machine<'a>(differences: impl IntoIterator<Item = (&'a str, f64)>) -> Option<Self> {
        let mut machines: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (device, difference) in differences {
            let id = DeviceId::new(device);
            machines.entry(id.machine().unwrap_or(device).to_owned()).or_default().push(difference);
        }
        let means: Vec<f64> = machines.into_values().filter_map(mean).collect();
        Self::of(&means)
    }

    /// The lower end of the interval; the mean of one device.
    #[must_use]
    pub fn low(&self) -> f64 {
        self.ends.map_or(self.mean, |(low, _)| low)
    }

    /// The upper end of the interval; the mean of one device.
    #[must_use]
    pub fn high(&self) -> f64 {
        self.ends.map_or(self.mean, |(_, high)| high)
    }

    /// Returns `+1.0 (−0.8 to +2.8)`.
    pub fn text(&self) -> String {
        let ends = self.ends.map(|(low, high)| format!(" ({} to {})", signed(low), signed(high)));
        signed(self.mean) + &ends.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_that_of_a_t_test_over_pairs() {
        // scipy.stats.t.interval(0.95, 3, 2.5, scipy.stats.sem([1, 2, 3, 4])) is (0.4457, 4.5543).
        let (low, high) = Interval::of(&[1.0, 2.0, 3.0, 4.0]).unwrap().ends.unwrap();
        assert!((low - 0.4457).abs() < 1e-3 && (high - 4.5543).abs() < 1e-3, "{low} {high}");
        assert_eq!(Interval::of(&[]), None);
        assert_eq!(Interval::of(&[-2.0]).unwrap().text(), "−2.0");
        assert_eq!(Interval::of(&[1.0, 1.0]).unwrap().text(), "+1.0 (+1.0 to +1.0)");
    }

    #[test]
    fn devices_of_one_machine_count_once() {
        let devices = [("a@x", 1.0), ("b@x", 3.0), ("c@y", 4.0)];
        assert_eq!(Interval::by_machine(devices), Interval::of(&[2.0, 4.0]));
    }
}
