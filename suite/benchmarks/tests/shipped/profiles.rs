//! The shipped profiles: the proxies do what they are for, and every GPU function's variants point to device features.

use std::collections::BTreeSet;
use std::path::Path;

use nitro_benchmarks::cuda::{cuda_bfs, cuda_histogram, cuda_solver, cuda_sort, cuda_spmv, cuda_transpose};
use nitro_learn::device_features::profile_based::{Models, RESOURCES, Relevance, select};
use nitro_store::recordings::Profiles;
use nitro_store::recordings::counters::{metrics, stressed_share};
use nitro_train::profile::Folder;

fn shipped(function: &str) -> Profiles {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/recordings");
    Folder::new(folder).read(function).unwrap()
}

fn relevance(function: &str) -> Relevance {
    select(&shipped(function)).unwrap_or_else(|| panic!("the profiles of {function} say nothing"))
}

#[test]
fn the_measured_mix_of_every_proxy_is_within_5_points_of_its_intensity() {
    let proxies = shipped("cuda_spmv").proxies;
    let kinds: BTreeSet<(&str, u32)> = proxies.iter().map(|one| (&*one.proxy, one.intensity)).collect();
    let wanted = RESOURCES.iter().flat_map(|own| (0..=5).map(move |step| (own.proxy, step)));
    assert_eq!(kinds, wanted.collect());
    for one in &proxies {
        let measured = 100.0 * stressed_share(&one.proxy, &one.metrics).unwrap();
        let wanted = 20.0 * f64::from(one.intensity);
        let what = format!("{} at {} on {}", one.proxy, one.intensity, one.device);
        assert!((measured - wanted).abs() <= 5.0, "{what}: {measured:.1} % instead of {wanted} %");
    }
}

#[test]
fn every_proxy_resembles_itself_and_no_other() {
    let proxies = shipped("cuda_spmv").proxies;
    let models = Models::fit(proxies.iter().collect());
    for one in &proxies {
        for (proxy, predicted) in models.intensities(&one.metrics) {
            let expected = if proxy == one.proxy { f64::from(one.intensity) } else { 0.0 };
            let what = format!("{} at {} seems {proxy} at {predicted:.2}", one.proxy, one.intensity);
            assert!((predicted - expected).abs() < 0.1, "{what}");
        }
    }
}

#[test]
fn every_variant_is_profiled_and_resembles_a_proxy() {
    for function in [
        cuda_bfs::function(),
        cuda_histogram::function(),
        cuda_solver::function(),
        cuda_sort::function(),
        cuda_spmv::function(),
        cuda_transpose::function(),
    ] {
        let name = function.name();
        let is_whole = shipped(name).variants.iter().all(|one| one.metrics.len() == metrics().len());
        assert!(is_whole, "{name}");
        let relevance = relevance(name);
        // Libraries launch kernels of their own, which are not profiled.
        let is_own = |variant: &&str| !variant.starts_with("cu");
        for variant in function.variants().iter().map(|variant| variant.name()).filter(is_own) {
            let proxies = relevance.variants.get(variant);
            assert!(proxies.is_some_and(|proxies| !proxies.is_empty()), "{name}: {variant}");
        }
    }
}

#[test]
fn each_function_resembles_the_proxies_that_the_documentation_names() {
    for (function, proxies) in [
        ("cuda_histogram", &[("atomics", 4), ("shared_bandwidth", 4)][..]),
        ("cuda_spmv", &[("double_flop", 1), ("global_bandwidth", 5), ("shared_bandwidth", 1)]),
        ("cuda_sort", &[("atomics", 1), ("shared_bandwidth", 3)]),
        ("cuda_transpose", &[("global_bandwidth", 4), ("shared_bandwidth", 4), ("single_flop", 1)]),
        ("cuda_bfs", &[("global_bandwidth", 6), ("shared_bandwidth", 3)]),
        ("cuda_solver", &[("double_flop", 6), ("shared_bandwidth", 2)]),
    ] {
        let found = relevance(function).proxies;
        let found: Vec<(&str, usize)> = found.iter().map(|(proxy, &variants)| (&**proxy, variants)).collect();
        assert_eq!(found, proxies, "{function}");
    }
}
