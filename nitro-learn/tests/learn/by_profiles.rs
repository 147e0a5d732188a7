//! Hardware counters of a source device tell which device features a selector uses (P-DFS).

use nitro_learn::evaluate::{EvaluateOptions, Split, evaluate};
use nitro_learn::{FitOptions, LearnError, Strategy, fit};
use nitro_store::recordings::counters::{COUNTERS, Counter, ISSUED};
use nitro_store::recordings::{
    DeviceRecord, Input, Measurement, Metrics, Outcome, Profiles, ProxyProfile, Recordings, VariantProfile,
};

/// Metrics of a mix of instructions, as shares by counter.
fn metrics(mix: &[(&str, f64)]) -> Metrics {
    let mut metrics: Metrics = COUNTERS.iter().map(|counter| (counter.metric.to_owned(), 0.0)).collect();
    metrics.insert(ISSUED.to_owned(), 1.0);
    for &(name, share) in mix {
        let metric = Counter::named(name).unwrap().metric;
        let threads = if metric.contains("thread") { 32.0 } else { 1.0 };
        metrics.insert(metric.to_owned(), threads * share);
    }
    metrics
}

/// Profiles of a function that streams through memory, made on one device.
fn profiles(device: &str) -> Profiles {
    let loads = "inst_executed_global_loads";
    let proxy = |proxy: &str, counter: &str, intensity: u32| {
        let share = f64::from(intensity) / 5.0;
        let metrics = metrics(&[(counter, share), ("inst_integer", 1.0 - share)]);
        ProxyProfile { device: device.into(), proxy: proxy.into(), intensity, metrics }
    };
    let proxies = (0..=5)
        .flat_map(|step| [proxy("global_bandwidth", loads, step), proxy("double_flop", "inst_fp_64", step)])
        .collect();
    let variant = |variant: &str| VariantProfile {
        device: device.into(),
        variant: variant.into(),
        input: "train/0".into(),
        kernel: "stream".into(),
        launches: 1,
        shown: 1,
        metrics: metrics(&[(loads, 0.3), ("inst_integer", 0.6)]),
    };
    Profiles { variants: vec![variant("small"), variant("wide")], proxies }
}

/// `wide` pays off where the input is large for the device's bandwidth; the other device features mean nothing.
fn recordings(profiled_on: Option<&str>) -> Recordings {
    let mut recordings = Recordings {
        function: "f".into(),
        variants: vec!["small".into(), "wide".into()],
        features: vec!["size".into()],
        profiles: profiled_on.map(profiles).unwrap_or_default(),
        ..Recordings::default()
    };
    for device in 0..6_u32 {
        let bandwidth = f64::from(1 + device);
        let features = [
            ("copy_gbps", bandwidth),
            ("copy_engines", f64::from(device * 7 % 5)),
            ("peak_gflops_dp", f64::from(device * 5 % 6)),
            ("sm_count", f64::from(device * 11 % 7)),
        ];
        let features = features.map(|(name, value)| (name.to_owned(), value)).into();
        recordings.devices.push(DeviceRecord { id: format!("d{device}"), features });
        for input in 0..40_u32 {
            let side = if input % 2 == 0 { "train" } else { "test" };
            let size = f64::from(input / 2) / 2.5;
            if device == 0 {
                recordings.inputs.push(Input { name: format!("{side}/{input}"), features: vec![size] });
            }
            for (variant, time_ns) in [(0, 10.0 + size), (1, 10.0 + bandwidth)] {
                recordings.measurements.push(Measurement {
                    device: device as usize,
                    input: input as usize,
                    variant,
                    configuration: String::new(),
                    outcome: Outcome::Time(time_ns),
                    spread_ns: 0.0,
                    repeats: 1,
                    load: None,
                    reason: String::new(),
                });
            }
        }
    }
    recordings
}

fn by_profile(recordings: &Recordings) -> Result<Vec<String>, LearnError> {
    let strategies = vec!["svm-profile".parse::<Strategy>()?];
    Ok(fit(recordings, &FitOptions { strategies, ..FitOptions::default() })?.model.device_features)
}

#[test]
fn the_features_of_the_stressed_resource_are_used_and_no_others() {
    assert_eq!(by_profile(&recordings(Some("d1"))).unwrap(), ["copy_gbps"]);
}

#[test]
fn without_profiles_of_a_source_it_says_how_to_make_some() {
    for recordings in [recordings(None), recordings(Some("somewhere else"))] {
        let message = by_profile(&recordings).unwrap_err().to_string();
        assert!(message.contains("`f`") && message.contains("`profile`"), "{message}");
    }
}

#[test]
fn cross_validation_begins_with_what_the_profiles_leave() {
    let recordings = recordings(Some("d1"));
    let split = Split::from_lists(&recordings, None, None).unwrap();
    let evaluation = evaluate(&recordings, &split, &EvaluateOptions::default()).unwrap();
    for device in &evaluation.devices {
        let selected = &device.device_features["svm-cross-validation"];
        let profiled = device.selectors.get("svm-profile");
        if device.held_out == "d1" {
            assert!(profiled.is_none(), "the profile is of the device that nobody has measured");
            continue;
        }
        assert!(selected.iter().all(|name| name == "copy_gbps"), "{}: {selected:?}", device.held_out);
        let none = device.selectors.get("svm-none").unwrap().mean;
        assert!(profiled.unwrap().mean >= none, "{}: the bandwidth decides", device.held_out);
    }
}

#[test]
fn the_table_marks_means_over_some_of_the_devices() {
    let table = |recordings: &Recordings| {
        let split = Split::from_lists(recordings, None, None).unwrap();
        evaluate(recordings, &split, &EvaluateOptions::default()).unwrap().to_string()
    };
    let explained = "* over the devices that the selector applies to";
    let partial = table(&recordings(Some("d1")));
    let means = partial.lines().find(|line| line.starts_with("mean ")).unwrap();
    // Each learner by profile applies to five of the six devices; everything else to all.
    let learners = Strategy::all().filter(|strategy| strategy.name().ends_with("-profile")).count();
    assert_eq!(means.matches('*').count(), learners, "{partial}");
    assert!(partial.contains(explained));
    assert!(!table(&recordings(None)).contains('*'));
}
