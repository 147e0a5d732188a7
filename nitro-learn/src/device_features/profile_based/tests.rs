use nitro_store::recordings::VariantProfile;
use nitro_store::recordings::counters::ISSUED;

use super::*;

/// Metrics of a thousand instructions of this mix, as shares by counter.
fn metrics(mix: &[(&str, f64)]) -> Metrics {
    let mut metrics: Metrics = COUNTERS
        .iter()
        .map(|counter| (counter.metric.to_owned(), 0.0))
        .chain([(ISSUED.to_owned(), 1000.0)])
        .collect();
    for &(name, share) in mix {
        let counter = Counter::named(name).unwrap();
        // Thread counts are 32 to an instruction.
        let unit = 1.0 / counter.per_instruction(&metrics_with(counter, 1000.0)).unwrap();
        metrics.insert(counter.metric.to_owned(), 1000.0 * share * unit);
    }
    metrics
}

fn metrics_with(counter: Counter, value: f64) -> Metrics {
    [(ISSUED.to_owned(), 1000.0), (counter.metric.to_owned(), value)].into()
}

/// The proxies as they are built: of every five instructions as many as the intensity are of the kind, the others
/// integer.
fn proxies() -> Vec<ProxyProfile> {
    let kinds: [(&str, &[(&str, f64)]); 5] = [
        ("single_flop", &[("inst_fp_32", 1.0)]),
        ("double_flop", &[("inst_fp_64", 1.0)]),
        ("atomics", &[("inst_executed_global_reductions", 0.5), ("inst_executed_shared_atomics", 0.5)]),
        (
            "global_bandwidth",
            &[
                ("inst_executed_global_loads", 0.5),
                ("inst_executed_global_stores", 0.5),
                ("gld_transactions", 2.0),
                ("gst_transactions", 2.0),
                ("dram_read_transactions", 1.0),
            ],
        ),
        (
            "shared_bandwidth",
            &[
                ("inst_executed_shared_loads", 0.5),
                ("inst_executed_shared_stores", 0.5),
                ("shared_load_transactions", 0.5),
                ("shared_store_transactions", 0.5),
            ],
        ),
    ];
    let profile = |(proxy, kind): (&str, &[(&str, f64)]), intensity: u32| {
        let share = f64::from(intensity) / 5.0;
        let mut mix: Vec<(&str, f64)> = kind.iter().map(|&(name, each)| (name, share * each)).collect();
        mix.push(("inst_integer", 1.0 - share));
        ProxyProfile { device: "d".into(), proxy: proxy.into(), intensity, metrics: metrics(&mix) }
    };
    kinds.iter().flat_map(|&kind| (0..=5).map(move |step| profile(kind, step))).collect()
}

fn variant(name: &str, input: usize, mix: &[(&str, f64)]) -> VariantProfile {
    VariantProfile {
        device: "d".into(),
        variant: name.into(),
        input: format!("train/{input}"),
        kernel: String::new(),
        launches: 1,
        shown: 1,
        metrics: metrics(mix),
    }
}

const STREAMING: [(&str, f64); 5] = [
    ("inst_executed_global_loads", 0.2),
    ("gld_transactions", 0.8),
    ("dram_read_transactions", 0.4),
    ("inst_fp_64", 0.05),
    ("inst_integer", 0.4),
];

#[test]
fn each_proxy_is_recognised_at_every_intensity() {
    let profiles = proxies();
    let models = Models::fit(profiles.iter().collect());
    for profile in &profiles {
        for (proxy, predicted) in models.intensities(&profile.metrics) {
            let expected = if proxy == profile.proxy { f64::from(profile.intensity) } else { 0.0 };
            let what = format!("{} {}", profile.proxy, profile.intensity);
            assert!((predicted - expected).abs() < 0.1, "{what}: {proxy} {predicted}");
        }
    }
}

#[test]
fn a_streaming_variant_makes_bandwidth_matter_and_not_floating_point() {
    let profiles = Profiles { variants: vec![variant("csr", 0, &STREAMING)], proxies: proxies() };
    let relevance = select(&profiles).unwrap();
    assert_eq!(relevance.variants["csr"], BTreeSet::from(["global_bandwidth".to_owned()]));
    assert!(relevance.device_features.contains("copy_gbps"));
    assert!(!relevance.device_features.contains("peak_gflops_dp"));
}

#[test]
fn the_majority_of_inputs_decides_for_a_variant_and_any_variant_for_the_function() {
    let single = [("inst_fp_32", 0.6), ("inst_integer", 0.4)];
    let variants = vec![
        variant("a", 0, &STREAMING),
        variant("a", 1, &STREAMING),
        variant("a", 2, &single),
        variant("b", 0, &[("inst_executed_shared_atomics", 0.3), ("inst_executed_shared_loads", 0.02)]),
    ];
    let relevance = select(&Profiles { variants, proxies: proxies() }).unwrap();
    let expected = [("atomics".to_owned(), 1), ("global_bandwidth".to_owned(), 1)];
    assert_eq!(relevance.proxies, BTreeMap::from(expected));
    assert!(!relevance.device_features.contains("peak_gflops_sp"));
}

/// Algorithm 1 goes through the kernels of a variant: what one stresses is not hidden by another that issues more
/// instructions.
#[test]
fn every_kernel_of_a_variant_has_a_vote_of_its_own() {
    let atomics = [("inst_executed_shared_atomics", 0.3), ("inst_integer", 0.6)];
    let kernel = |name: &str, input, mix: &[_], times: f64| {
        let mut one = VariantProfile { kernel: name.to_owned(), ..variant("sorted", input, mix) };
        one.metrics.values_mut().for_each(|value| *value *= times);
        one
    };
    let kernels: Vec<VariantProfile> = (0..3)
        .flat_map(|input| [kernel("scan", input, &STREAMING, 10.0), kernel("count", input, &atomics, 1.0)])
        .collect();
    let sums = kernels.chunks(2).map(|pair| {
        let mut sum = VariantProfile { kernel: String::new(), ..pair[0].clone() };
        pair[1].metrics.iter().for_each(|(name, value)| *sum.metrics.get_mut(name).unwrap() += value);
        sum
    });
    let found = |variants: Vec<VariantProfile>| {
        select(&Profiles { variants, proxies: proxies() }).unwrap().variants["sorted"].clone()
    };
    assert_eq!(found(sums.collect()), BTreeSet::from(["global_bandwidth".to_owned()]), "all kernels as one");
    assert_eq!(found(kernels), BTreeSet::from(["atomics", "global_bandwidth"].map(String::from)));
}

#[test]
fn without_a_majority_those_named_most_often_are_elected() {
    let ballots = [BTreeSet::from(["a"]), BTreeSet::from(["a", "b"]), BTreeSet::from(["c"]), BTreeSet::new()];
    assert_eq!(elect(&ballots), BTreeSet::from(["a"]));
    assert_eq!(elect(&ballots[1..3]), BTreeSet::from(["a", "b", "c"]), "all of a tie");
    assert!(elect(&[BTreeSet::new()]).is_empty());
}

#[test]
fn profiles_that_say_nothing_select_nothing() {
    let variants = vec![variant("csr", 0, &STREAMING)];
    assert_eq!(select(&Profiles { variants: variants.clone(), proxies: Vec::new() }), None);
    assert_eq!(select(&Profiles { variants: Vec::new(), proxies: proxies() }), None);
    let elsewhere = variants.into_iter().map(|one| VariantProfile { device: "e".into(), ..one }).collect();
    assert_eq!(select(&Profiles { variants: elsewhere, proxies: proxies() }), None);
    let idle = vec![variant("idle", 0, &[("inst_integer", 1.0)])];
    assert_eq!(select(&Profiles { variants: idle, proxies: proxies() }), None);
}

#[test]
fn a_kernel_that_does_next_to_nothing_has_no_say() {
    let of_kernel = |kernel: &str, input: usize, mix: &[(&str, f64)], issued: f64| {
        let mut profile = variant("a", input, mix);
        profile.kernel = kernel.to_owned();
        profile.metrics.values_mut().for_each(|value| *value *= issued);
        profile
    };
    let variants = |clear: f64| {
        let work = [("inst_fp_64", 0.6)];
        (0..3).flat_map(move |input| {
            [of_kernel("work", input, &work, 1.0), of_kernel("clear", input, &STREAMING, clear)]
        })
    };
    let relevant = |clear| {
        let profiles = Profiles { proxies: proxies(), variants: variants(clear).collect() };
        select(&profiles).unwrap().proxies.into_keys().collect::<Vec<_>>()
    };
    assert_eq!(relevant(0.01), ["double_flop"]);
    assert_eq!(relevant(0.3), ["double_flop", "global_bandwidth"]);
}
