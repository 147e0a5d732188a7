//! A digest of the recordings that a model is fitted from, by which the model can later be told to be theirs or not.
//!
//! SHA-256 rather than a shorter sum: a digest that agrees is taken as proof, and the crate is compiled already,
//! for the checks of `.xz` files.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::{DeviceRecord, FeatureTimes, Input, Measurement, Outcome, Recordings};

impl Recordings {
    /// SHA-256, as 64 hexadecimal digits, of what these devices and inputs (positions) bring to training: the
    /// function's name, device features, input features, outcomes and what features take, each by name.
    ///
    /// The order of anything does not count, nor do inputs that were not measured on any of the devices, spreads or
    /// numbers of repeats: whoever gets the same recordings through `export` and `import`, or adds other devices,
    /// gets the same digest.
    ///
    /// # Panics
    ///
    /// When a position is out of range.
    pub fn digest(&self, devices: &[usize], inputs: &[usize]) -> String {
        let rows = self.rows(devices, inputs);
        let mut text = Text::default();
        text.name(&self.function);
        let devices = sorted(devices.iter().map(|&device| &self.devices[device]), |device| &device.id);
        text.list(&devices, Text::device);
        let features = sorted(self.features.iter().enumerate(), |(_, name)| name.as_str());
        text.list(&features, |text, (_, name)| text.name(name));
        let used: BTreeSet<usize> = rows.iter().map(|row| row.input).collect();
        let used = sorted(used.into_iter().map(|input| &self.inputs[input]), |input| &input.name);
        text.list(&used, |text, input| {
            text.name(&input.name);
            features.iter().for_each(|&(column, _)| text.number(input.features[column]));
        });
        text.list(&rows, |text, row| {
            self.key(row).iter().for_each(|name| text.name(name));
            match row.doubtful_load() {
                // Such a time weighs less. Of others the load is not read.
                Some(load) => text.doubtful(row.outcome, load),
                None => text.outcome(row.outcome),
            }
        });
        let times = self.times(&devices, &used);
        if !times.is_empty() {
            text.list(&times, |text, one| {
                text.name(&self.devices[one.device].id);
                text.name(&self.inputs[one.input].name);
                features
                    .iter()
                    .for_each(|&(column, _)| text.number(one.times_ns[column].unwrap_or(f64::NAN)));
            });
        }
        let [units, of_devices] =
            [&self.meanings.units, &self.meanings.device_units].map(|units| units.iter().collect::<Vec<_>>());
        if !units.is_empty() || !of_devices.is_empty() {
            text.name("units");
            for units in [units, of_devices] {
                text.list(&units, |text, (name, unit)| {
                    [name.as_str(), unit.name()].iter().for_each(|own| text.name(own))
                });
            }
        }
        text.digest()
    }

    /// Returns the times of features on these devices and inputs, in the order of their names.
    fn times(&self, devices: &[&DeviceRecord], inputs: &[&Input]) -> Vec<&FeatureTimes> {
        let mut times: Vec<&FeatureTimes> = Vec::new();
        for one in &self.feature_times {
            let (device, input) = (&self.devices[one.device].id, &self.inputs[one.input].name);
            let is_of_device = devices.iter().any(|own| own.id == *device);
            if is_of_device && inputs.binary_search_by(|own| own.name.cmp(input)).is_ok() {
                times.push(one);
            }
        }
        times.sort_by_key(|one| (&self.devices[one.device].id, &self.inputs[one.input].name));
        times
    }

    /// The measurements of these devices and inputs in the order of their names.
    fn rows(&self, devices: &[usize], inputs: &[usize]) -> Vec<&Measurement> {
        let devices: BTreeSet<&usize> = devices.iter().collect();
        let inputs: BTreeSet<&usize> = inputs.iter().collect();
        let own = self.measurements.iter();
        let own = own.filter(|row| devices.contains(&row.device) && inputs.contains(&row.input));
        let mut rows: Vec<&Measurement> = own.collect();
        rows.sort_by_key(|row| self.key(row));
        rows
    }

    fn key<'a>(&'a self, row: &'a Measurement) -> [&'a str; 4] {
        let device = &self.devices[row.device].id;
        [device, &self.inputs[row.input].name, &self.variants[row.variant], &row.configuration]
    }
}

fn sorted<T>(items: impl Iterator<Item = T>, name: impl Fn(&T) -> &str) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_by(|a, b| name(a).cmp(name(b)));
    items
}

/// The digested text. Every part says its length first, so that no two texts run together into the same bytes.
#[derive(Default)]
struct Text(Sha256);

impl Text {
    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_le_bytes());
    }

    fn name(&mut self, name: &str) {
        self.count(name.len());
        self.0.update(name);
    }

    /// Not every store keeps the sign of a zero or the bits of what is no number.
    fn number(&mut self, value: f64) {
        let value = if value.is_nan() { f64::NAN } else { value + 0.0 };
        self.0.update(value.to_bits().to_le_bytes());
    }

    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.count(items.len());
        items.iter().for_each(|one| item(self, one));
    }

    fn device(&mut self, device: &&DeviceRecord) {
        self.name(&device.id);
        self.count(device.features.len());
        for (name, &value) in &device.features {
            self.name(name);
            self.number(value);
        }
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.name(outcome.name());
        self.number(outcome.time_ns().unwrap_or(0.0));
    }

    fn doubtful(&mut self, outcome: Outcome, load: f64) {
        self.name("under load");
        self.number(load);
        self.outcome(outcome);
    }

    fn digest(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recordings() -> Recordings {
        let row = |device, input, variant, outcome| Measurement {
            device,
            input,
            variant,
            configuration: String::new(),
            outcome,
            spread_ns: 1.0,
            repeats: 5,
            load: None,
            reason: String::new(),
        };
        let device =
            |id: &str, gbps| DeviceRecord { id: id.into(), features: [("gbps".to_owned(), gbps)].into() };
        let input = |name: &str, x, y| Input { name: name.into(), features: vec![x, y] };
        Recordings {
            function: "f".into(),
            variants: vec!["a".into(), "b".into()],
            default_configuration: String::new(),
            default_variant: Some(0),
            features: vec!["x".into(), "y".into()],
            inputs: vec![input("g/1", 1.0, 2.0), input("h/2", 3.0, 4.0), input("i/3", 5.0, 6.0)],
            devices: vec![device("d", 10.0), device("e", 20.0), device("other", 30.0)],
            measurements: vec![
                row(0, 0, 0, Outcome::Time(7.0)),
                row(0, 0, 1, Outcome::Failed),
                row(1, 1, 0, Outcome::Time(8.0)),
                row(2, 0, 0, Outcome::Time(9.0)),
            ],
            feature_times: vec![FeatureTimes { device: 0, input: 0, times_ns: vec![None, Some(12.0)] }],
            ..Recordings::default()
        }
    }

    const USED: (&[usize], &[usize]) = (&[0, 1], &[0, 1]);

    fn digest(recordings: &Recordings) -> String {
        recordings.digest(USED.0, USED.1)
    }

    #[test]
    fn order_does_not_count() {
        let one = recordings();
        let mut other = one.clone();
        other.variants.reverse();
        other.features.reverse();
        other.inputs.iter_mut().for_each(|input| input.features.reverse());
        other.feature_times[0].times_ns.reverse();
        (other.feature_times[0].device, other.feature_times[0].input) = (2, 2);
        other.inputs.reverse();
        other.devices.reverse();
        other.measurements.reverse();
        for row in &mut other.measurements {
            (row.device, row.input, row.variant) = (2 - row.device, 2 - row.input, 1 - row.variant);
        }
        assert_eq!(other.digest(&[2, 1], &[1, 2]), digest(&one));
    }

    #[test]
    fn what_training_does_not_read_does_not_count() {
        let one = recordings();
        let mut other = one.clone();
        other.measurements[3].outcome = Outcome::Failed; // a device that is no source
        other.measurements[0].spread_ns = 3.0;
        other.measurements[0].repeats = 9;
        other.measurements[0].load = Some(0.05); // others were hardly there
        other.measurements[1].load = Some(0.9); // no load makes it fail
        other.inputs[2].features = vec![0.0, 0.0];
        assert_eq!(digest(&other), digest(&one));
        assert_eq!(one.digest(USED.0, &[0, 1, 2]), digest(&one), "the third input was never measured there");
    }

    #[test]
    fn everything_that_training_reads_counts() {
        type Change = fn(&mut Recordings);
        let changes: [(&str, Change); 11] = [
            ("function", |r| r.function.push('x')),
            ("variant", |r| r.variants[0].push('x')),
            ("name of a feature", |r| r.features[1].push('x')),
            ("value of a feature", |r| r.inputs[0].features[1] += 1e-9),
            ("name of an input", |r| r.inputs[1].name.push('x')),
            ("device feature", |r| *r.devices[1].features.get_mut("gbps").unwrap() = 21.0),
            ("time", |r| r.measurements[0].outcome = Outcome::Time(7.000_001)),
            ("load", |r| r.measurements[0].load = Some(0.5)),
            ("outcome", |r| r.measurements[1].outcome = Outcome::Wrong),
            ("measurement", |r| drop(r.measurements.remove(1))),
            ("time of a feature", |r| r.feature_times[0].times_ns[1] = Some(13.0)),
        ];
        for (what, change) in changes {
            let mut other = recordings();
            change(&mut other);
            assert_ne!(digest(&other), digest(&recordings()), "{what}");
        }
    }

    #[test]
    fn it_is_sha256() {
        let empty = Recordings::default().digest(&[], &[]);
        // printf '\0%.0s' $(seq 40) | sha256sum: five lengths of 8 bytes, all 0.
        assert_eq!(empty, "2c34ce1df23b838c5abf2a7f6437cca3d3067ed509ff25f11df6b11b582b51eb");
    }
}
