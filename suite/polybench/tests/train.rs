//! The trainer has every nest and every space of decisions, with what a search of them begins with.

use std::collections::BTreeSet;

use nitro_nest::LaunchPlan;
use nitro_polybench::train::trainer;
use nitro_train::search::SearchStrategy;
use nitro_train::{DataRequest, GeneratedRequest, SearchRequest};

fn data(function: &str, folder: &tempfile::TempDir) -> DataRequest {
    let store = Some(folder.path().join("s.db").display().to_string());
    DataRequest { functions: vec![function.to_owned()], store, ..DataRequest::default() }
}

#[test]
fn every_nest_with_sizes_and_every_space_is_a_function() {
    let trainer = trainer();
    let names: BTreeSet<&str> = trainer.functions().map(|function| function.name()).collect();
    let all = nitro_polybench::kernels().into_iter().chain(nitro_polybench::kernels_beyond());
    for kernel in all.chain(nitro_polybench::kernels_of_strangers()) {
        let nest = (kernel.nest)();
        let has_sizes = nitro_polybench::sizes(nest.name(), "huge").is_some();
        assert_eq!(names.contains(nest.name()), has_sizes, "{}", nest.name());
    }
    assert!(names.contains("sgemm_1024") && names.contains("matvec_by_warps"), "{names:?}");
    assert_eq!(names.len(), 17 + 41 + 8);
}

#[test]
fn searches_begin_with_presets_and_with_what_was_fastest_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let of = |function: &str| {
        let request = GeneratedRequest { data: data(function, &folder), ..GeneratedRequest::default() };
        trainer().generated(&request).unwrap()
    };
    let presets = |function: &str, variant: &str| -> BTreeSet<String> {
        of(function).into_iter().filter(|own| own.variant == variant).map(|own| own.name).collect()
    };
    assert!(presets("mvt", "found").contains("naive"), "{:?}", presets("mvt", "found"));
    assert_eq!(presets("sgemm_1024", "reduced"), BTreeSet::new());
    assert_eq!(presets("sgemm_1024", "full").len(), 8, "points of the space `ahead`");
    assert!(of("sgemm_1024").iter().all(|own| LaunchPlan::from_json(&own.text).is_ok()));
}

/// `cargo test --release -p nitro-polybench --features train --test train -- --ignored`.
#[test]
#[ignore = "needs a CUDA device"]
fn a_search_and_a_proof_find_what_gives_what_plain_loops_give() {
    let folder = tempfile::tempdir().unwrap();
    let devices = vec!["cuda:0".to_owned()];
    let request = |function: &str, evaluations| SearchRequest {
        data: data(function, &folder),
        devices: devices.clone(),
        evaluations,
        keep: 1,
        ..SearchRequest::default()
    };
    let found = trainer().search(&request("mvt", 12)).unwrap();
    assert!(found.searched.iter().all(|own| own.best.is_some()), "{found:?}");
    let proof = SearchRequest {
        variant: Some("full".to_owned()),
        strategy: Some(SearchStrategy::Prove),
        ..request("matvec_by_warps", 1000)
    };
    let proved = trainer().search(&proof).unwrap().searched.remove(0);
    assert!(proved.proof.as_ref().is_some_and(|own| own.is_complete), "{proved:?}");
}
