//! The floors of recorded inputs.

use std::collections::BTreeMap;

use nitro_search::{Floor, UnderFloor};
use nitro_store::recordings::{Outcome, Recordings};

use crate::report::data::DeviceFloors;
use crate::search::Floors;

/// An input on a device with its floor and its best time.
pub(crate) struct RecordedFloor<'a> {
    pub(crate) device: &'a str,
    pub(crate) input: &'a str,
    pub(crate) floor: Floor,
    pub(crate) best_ns: f64,
    /// Set where the time is under the floor: one of both is wrong.
    pub(crate) wrong: Option<UnderFloor>,
}

/// Returns the inputs whose floors are known, by device.
pub(crate) fn recorded_floors<'a>(recordings: &'a Recordings, floors: Floors<'_>) -> Vec<RecordedFloor<'a>> {
    let mut all = Vec::new();
    for ((device, input), best_ns) in best_times(recordings) {
        let (device, input) = (&recordings.devices[device], recordings.inputs[input].name.as_str());
        let Some(floor) = floors.of(input, &|name| device.features.get(name).copied()) else { continue };
        let recorded = || format!("recorded of {} on {}, input {input}", recordings.function, device.id);
        let wrong = floor.check(best_ns, recorded).err();
        all.push(RecordedFloor { device: &device.id, input, floor, best_ns, wrong });
    }
    all
}

/// Returns how near the best times are to their floors, for each device of which a floor is known.
pub(crate) fn device_floors(recordings: &Recordings, floors: Floors<'_>) -> Vec<DeviceFloors> {
    let mut all: Vec<DeviceFloors> = Vec::new();
    for RecordedFloor { device, floor, best_ns, wrong, .. } in recorded_floors(recordings, floors) {
        if all.last().is_none_or(|last| last.device != device) {
            all.push(DeviceFloors { device: device.to_owned(), ..DeviceFloors::default() });
        }
        let own = all.last_mut().expect("it has been added");
        own.shares.push(floor.share(best_ns));
        *own.limits.entry(floor.limit).or_default() += 1;
        own.wrong = own.wrong.take().or(wrong);
    }
    all.iter_mut().for_each(|own| own.shares.sort_by(f64::total_cmp));
    all
}

/// Returns the shortest time in nanoseconds of each device and input with a success.
pub(super) fn best_times(recordings: &Recordings) -> BTreeMap<(usize, usize), f64> {
    let mut best = BTreeMap::new();
    for one in &recordings.measurements {
        if let Outcome::Time(time_ns) = one.outcome {
            let own = best.entry((one.device, one.input)).or_insert(time_ns);
            *own = time_ns.min(*own);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::InputFloor;

    #[test]
    fn the_best_of_each_input_is_held_against_its_floor_and_what_cannot_be_is_told() {
        let mut recordings = nitro_store::example();
        recordings.devices[1].features.insert("rate".into(), 2.0);
        let rate = |feature: &dyn Fn(&str) -> Option<f64>| feature("rate");
        let least = best_times(&recordings).into_iter().filter(|((device, _), _)| *device == 1);
        let least = least.map(|(_, time_ns)| time_ns).fold(f64::INFINITY, f64::min);
        let at = |ns: f64| -> Box<InputFloor> {
            Box::new(move |_, feature| {
                rate(feature).map(|_| Floor { ns, limit: "memory".into(), reason: "1e3 bytes".into() })
            })
        };
        assert!(device_floors(&recordings, Floors(None)).is_empty());
        let table = device_floors(&recordings, Floors(Some(&*at(0.5 * least))));
        assert_eq!((table.len(), &table[0].device), (1, &recordings.devices[1].id));
        assert_eq!((table[0].shares.last(), table[0].wrong.as_ref()), (Some(&0.5), None));
        assert_eq!(table[0].limits, BTreeMap::from([("memory".to_owned(), table[0].shares.len())]));
        let told = device_floors(&recordings, Floors(Some(&*at(2.0 * least))))[0].wrong.clone().unwrap();
        assert!(told.to_string().contains("1e3 bytes"), "{told}");
    }
}
