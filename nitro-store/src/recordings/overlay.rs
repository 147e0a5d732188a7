//! One set of recordings laid over another.

use std::collections::{HashMap, HashSet};

use super::{FeatureTimes, Input, Measurement, Recordings, SpaceRecord};

impl Recordings {
    /// Adds everything of `below` that is not here yet: variants with their configurations, generated code, inputs,
    /// devices, and the measurements of a device and input that have none here. What is here stays as it is.
    ///
    /// Returns `false` and adds nothing when `below` does not know all features of this function: it was recorded with
    /// another program.
    pub fn overlay_onto(&mut self, below: &Self) -> bool {
        let columns: Option<Vec<usize>> =
            self.features.iter().map(|feature| below.feature_index(feature)).collect();
        let Some(columns) = columns else { return false };
        let key = |recordings: &Self, m: &Measurement| {
            (recordings.devices[m.device].id.clone(), recordings.inputs[m.input].name.clone())
        };
        let here: HashSet<_> = self.measurements.iter().map(|m| key(self, m)).collect();
        let variants = indices(&mut self.variants, &below.variants, |name| name.clone(), Clone::clone);
        let devices = indices(&mut self.devices, &below.devices, |device| device.id.clone(), Clone::clone);
        let inputs = indices(
            &mut self.inputs,
            &below.inputs,
            |input| input.name.clone(),
            |input| {
                let features = columns.iter().map(|&column| input.features[column]).collect();
                Input { name: input.name.clone(), features }
            },
        );
        let added =
            below.measurements.iter().filter(|m| !here.contains(&key(below, m))).map(|m| Measurement {
                device: devices[m.device],
                input: inputs[m.input],
                variant: variants[m.variant],
                ..m.clone()
            });
        self.measurements.extend(added);
        let timed: HashSet<_> = self.feature_times.iter().map(|own| (own.device, own.input)).collect();
        let times = below.feature_times.iter().map(|own| FeatureTimes {
            device: devices[own.device],
            input: inputs[own.input],
            times_ns: columns.iter().map(|&column| own.times_ns[column]).collect(),
        });
        self.feature_times.extend(times.filter(|own| !timed.contains(&(own.device, own.input))));
        for (artifact, text) in &below.artifacts {
            self.artifacts.entry(*artifact).or_insert_with(|| text.clone());
        }
        for space in &below.spaces {
            let variant = variants[space.variant];
            match self.spaces.iter_mut().find(|own| own.variant == variant) {
                // Another list of what seems to be the same variant: what is here stays.
                Some(own) => drop(own.extend(space)),
                None => self.spaces.push(SpaceRecord { variant, ..space.clone() }),
            }
        }
        self.spaces.sort_by_key(|space| space.variant);
        true
    }
}

/// Returns the index in `own` of each of `below`, which is appended if its name is not there.
fn indices<T>(
    own: &mut Vec<T>,
    below: &[T],
    name: impl Fn(&T) -> String,
    copy: impl Fn(&T) -> T,
) -> Vec<usize> {
    let mut known: HashMap<String, usize> = own.iter().map(&name).zip(0..).collect();
    let mut indices = Vec::with_capacity(below.len());
    for item in below {
        indices.push(*known.entry(name(item)).or_insert_with(|| {
            own.push(copy(item));
            own.len() - 1
        }));
    }
    indices
}

#[cfg(test)]
mod tests {
    use crate::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

    fn recordings(features: &[&str], device: &str, rows: &[(&str, &str, f64)]) -> Recordings {
        let mut recordings = Recordings {
            function: "f".into(),
            features: features.iter().map(|&f| f.into()).collect(),
            devices: vec![DeviceRecord { id: device.into(), features: Default::default() }],
            ..Default::default()
        };
        for &(input, variant, time_ns) in rows {
            let input = recordings.input_index(input).unwrap_or_else(|| {
                let features = (0..features.len()).map(|f| f as f64).collect();
                recordings.inputs.push(Input { name: input.into(), features });
                recordings.inputs.len() - 1
            });
            let variant = recordings.variant_index(variant).unwrap_or_else(|| {
                recordings.variants.push(variant.into());
                recordings.variants.len() - 1
            });
            recordings.measurements.push(Measurement {
                device: 0,
                input,
                variant,
                configuration: String::new(),
                outcome: Outcome::Time(time_ns),
                spread_ns: 0.0,
                repeats: 1,
                load: None,
                reason: String::new(),
            });
        }
        recordings
    }

    #[test]
    fn what_is_here_stays_and_the_rest_is_added() {
        let mut own = recordings(&["n"], "here", &[("x", "b", 1.0), ("x", "a", 2.0)]);
        let same_device = recordings(&["m", "n"], "here", &[("x", "a", 9.0), ("y", "a", 3.0)]);
        let other_device = recordings(&["n"], "there", &[("x", "a", 4.0)]);
        assert!(own.overlay_onto(&same_device) && own.overlay_onto(&other_device));
        assert_eq!(own.variants, ["b", "a"]);
        assert_eq!(own.inputs[1], Input { name: "y".into(), features: vec![1.0] }, "features by name");
        let times: Vec<_> = own
            .measurements
            .iter()
            .map(|m| (m.device, m.input, m.variant, m.outcome.time_ns().unwrap()))
            .collect();
        assert_eq!(times, [(0, 0, 0, 1.0), (0, 0, 1, 2.0), (0, 1, 1, 3.0), (1, 0, 1, 4.0)]);
    }

    #[test]
    fn recordings_of_another_program_are_left_alone() {
        let mut own = recordings(&["n"], "here", &[("x", "a", 1.0)]);
        let before = own.clone();
        assert!(!own.overlay_onto(&recordings(&["m"], "there", &[("x", "a", 1.0)])));
        assert_eq!(own, before);
    }
}
