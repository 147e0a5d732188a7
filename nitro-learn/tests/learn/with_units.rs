//! Features with units: what an input needs over what a device has carries over to devices unlike the sources.

use nitro_core::Unit;
use nitro_core::model::{Forest, Model, Selector};
use nitro_learn::{FitOptions, Fitted, fit};
use nitro_stats::random::Random;
use nitro_store::recordings::{DeviceRecord, Input, Meanings, Measurement, Outcome, Recordings};

/// Caches of the sources, each of another machine.
const CACHES: [f64; 5] = [3e4, 2e5, 1e6, 9e6, 6e7];

/// `whole` is three times as fast as `tiled` where the bytes of an input are below the limit of a device.
fn recordings(limit: impl Fn(f64) -> f64) -> Recordings {
    let mut random = Random::new(5);
    let device = |(number, &cache): (usize, &f64)| DeviceRecord {
        id: format!("host:4@m{number}"),
        features: [("l2_bytes".to_owned(), cache), ("clock_mhz".to_owned(), 3000.0 - 200.0 * number as f64)]
            .into(),
    };
    let mut recordings = Recordings {
        function: "f".into(),
        variants: vec!["whole".into(), "tiled".into()],
        default_variant: Some(0),
        features: vec!["size".into(), "noise".into()],
        devices: CACHES.iter().enumerate().map(device).collect(),
        meanings: with_unit(Unit::Bytes),
        ..Recordings::default()
    };
    for input in 0..150 {
        let size = 10_f64.powf(3.0 + 6.0 * random.unit());
        recordings.inputs.push(Input { name: format!("train/{input}"), features: vec![size, random.unit()] });
        for (device, cache) in CACHES.iter().enumerate() {
            let times = if size < limit(*cache) { [1e6, 3e6] } else { [3e6, 1e6] };
            for (variant, time_ns) in times.into_iter().enumerate() {
                recordings.measurements.push(Measurement {
                    device,
                    input,
                    variant,
                    configuration: String::new(),
                    outcome: Outcome::Time(time_ns),
                    spread_ns: 0.0,
                    repeats: 5,
                    load: None,
                    reason: String::new(),
                });
            }
        }
    }
    recordings
}

fn with_unit(unit: Unit) -> Meanings {
    Meanings { units: [("size".to_owned(), unit)].into(), ..Meanings::default() }
}

fn fitted(recordings: &Recordings) -> Fitted {
    let strategies = vec!["forest-all".parse().unwrap()];
    fit(recordings, &FitOptions { strategies, ..FitOptions::default() }).unwrap()
}

fn forest(model: &Model) -> &Forest {
    match &model.selector {
        Selector::Forest(forest) => forest,
        other => panic!("{other:?}"),
    }
}

/// The share of right choices on a device with this cache.
fn right(model: &Model, cache: f64) -> f64 {
    let features: Vec<f64> =
        model.device_features.iter().map(|name| if name == "l2_bytes" { cache } else { 2500.0 }).collect();
    let selector = model.on_device("host:4@another", &features);
    let sizes = (0..300).map(|n| 10_f64.powf(3.0 + f64::from(n) / 50.0));
    let is_right = |size: &f64| selector.first(&[*size, 0.5]) == Some(usize::from(*size >= cache));
    sizes.filter(is_right).count() as f64 / 300.0
}

#[test]
fn a_share_of_the_cache_carries_over_to_caches_that_no_source_has() {
    let with = fitted(&recordings(|cache| cache));
    assert_eq!(with.hyperparameters["ratios to device features"], 1.0, "{:?}", with.hyperparameters);
    let without = fitted(&Recordings { meanings: Meanings::default(), ..recordings(|cache| cache) });
    assert!(forest(&without.model).ratios.is_empty() && !forest(&with.model).ratios.is_empty());
    for cache in [2e3, 5e8] {
        let [with, without] = [&with, &without].map(|fitted| right(&fitted.model, cache));
        assert!(with > 0.95 && without < 0.9, "{cache}: {with} with units, {without} without");
    }
    let read = Model::from_bytes(&with.model.to_bytes()).unwrap();
    assert_eq!(read, with.model);
    assert_eq!(fitted(&recordings(|cache| cache)).model, with.model, "the same again");
}

#[test]
fn ratios_that_do_not_carry_over_are_not_used() {
    let fitted = fitted(&recordings(|_| 1e6));
    assert!(forest(&fitted.model).ratios.is_empty(), "{:?}", fitted.hyperparameters);
}

/// A unit that no device feature has, and devices without what to divide by, change nothing but the digest.
#[test]
fn without_a_ratio_the_forest_is_as_before() {
    let plain = fitted(&Recordings { meanings: Meanings::default(), ..recordings(|cache| cache) });
    let other = fitted(&Recordings { meanings: with_unit(Unit::Count), ..recordings(|cache| cache) });
    assert_eq!(other.model.selector, plain.model.selector);
    assert_eq!(other.hyperparameters, plain.hyperparameters);
    for nothing in [0.0, -1.0, 1e-300] {
        let damaged = |mut recordings: Recordings| {
            recordings.devices[2].features.insert("l2_bytes".to_owned(), nothing);
            fitted(&recordings).model.selector
        };
        let with = damaged(recordings(|cache| cache));
        let without = damaged(Recordings { meanings: Meanings::default(), ..recordings(|cache| cache) });
        assert_eq!(with, without, "{nothing}");
    }
}
