//! The time for choosing: features take time, and so does a selector.

use std::collections::HashMap;

use nitro_store::recordings::Recordings;

/// Time to walk a gate on an input that the call does not remember, in nanoseconds, as it counts beside a selector.
pub const GATE_NS: f64 = 4.0;
/// Time of a call that has to ask anew because a constraint refuses what its gate decides for, in nanoseconds, beside
/// what is asked then.
pub const REFUSED_NS: f64 = 120.0;
/// A feature that takes no longer by the clock is a length or a field: computed in line, it takes a nanosecond or
/// two. Of what is measured most is the clock's resolution, some ten nanoseconds, and a call that a compiler could
/// not see through.
const UNTOLD_NS: f64 = 20.0;

/// The times of each feature on each device and input of some recordings.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureCosts {
    inputs: usize,
    features: usize,
    /// Nanoseconds by device, input and feature.
    times_ns: Vec<f64>,
}

impl FeatureCosts {
    /// Reads the times of features from recordings; none where there are no such. What was not measured on a device
    /// counts as it does for that input on the others, in the mean; what was measured nowhere takes no time.
    pub fn of(recordings: &Recordings) -> Option<Self> {
        if recordings.feature_times.is_empty() {
            return None;
        }
        let (inputs, features) = (recordings.inputs.len(), recordings.features.len());
        let usual = usual(recordings);
        let mut everywhere = vec![0.0; inputs * features];
        for (input, times_ns) in usual {
            everywhere[input * features..(input + 1) * features].copy_from_slice(&times_ns);
        }
        let mut times_ns = everywhere.repeat(recordings.devices.len());
        for one in &recordings.feature_times {
            let start = (one.device * inputs + one.input) * features;
            for (slot, time_ns) in times_ns[start..start + features].iter_mut().zip(&one.times_ns) {
                *slot = time_ns.unwrap_or(*slot);
            }
        }
        times_ns.iter_mut().filter(|time_ns| **time_ns <= UNTOLD_NS).for_each(|time_ns| *time_ns = 0.0);
        Some(Self { inputs, features, times_ns })
    }

    /// Returns the time of these features together, in nanoseconds. Positions are those of the recordings.
    pub fn sum_ns(&self, device: usize, input: usize, features: &[usize]) -> f64 {
        let start = (device * self.inputs + input) * self.features;
        features.iter().map(|&feature| self.times_ns[start + feature]).sum()
    }
}

/// Returns what the features of each input take, in the mean over the devices that know it.
fn usual(recordings: &Recordings) -> HashMap<usize, Vec<f64>> {
    let mut sums: HashMap<usize, Vec<(f64, f64)>> = HashMap::new();
    for one in &recordings.feature_times {
        let sums = sums.entry(one.input).or_insert_with(|| vec![(0.0, 0.0); recordings.features.len()]);
        for ((sum, count), time_ns) in sums.iter_mut().zip(&one.times_ns) {
            *sum += time_ns.unwrap_or(0.0);
            *count += f64::from(u8::from(time_ns.is_some()));
        }
    }
    let mut usual = HashMap::new();
    for (input, sums) in sums {
        usual.insert(input, sums.into_iter().map(|(sum, count)| sum / f64::max(count, 1.0)).collect());
    }
    usual
}

#[cfg(test)]
mod tests {
    use nitro_store::recordings::{DeviceRecord, FeatureTimes, Input};

    use super::*;

    #[test]
    fn an_input_that_was_timed_elsewhere_takes_as_long_here() {
        let device = |id: &str| DeviceRecord { id: id.into(), features: Default::default() };
        let times =
            |device, times_ns: [Option<f64>; 2]| FeatureTimes { device, input: 0, times_ns: times_ns.into() };
        let recordings = Recordings {
            features: vec!["a".into(), "b".into()],
            inputs: vec![Input { name: "x".into(), features: vec![0.0; 2] }; 2],
            devices: ["d", "e", "f"].map(device).into(),
            feature_times: vec![times(0, [Some(100.0), Some(50.0)]), times(1, [Some(200.0), None])],
            ..Recordings::default()
        };
        let costs = FeatureCosts::of(&recordings).unwrap();
        let of_both = |device, input| costs.sum_ns(device, input, &[0, 1]);
        assert_eq!([of_both(0, 0), of_both(1, 0), of_both(2, 0)], [150.0, 250.0, 200.0]);
        assert_eq!((costs.sum_ns(1, 0, &[0]), of_both(0, 1)), (200.0, 0.0));
        assert_eq!(FeatureCosts::of(&Recordings::default()), None);
    }
}
