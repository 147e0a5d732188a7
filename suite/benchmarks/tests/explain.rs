//! `train explain` says of feature values what dispatch does with an input that has them.
//!
//! In a file of its own, in one test: `NITRO_MODELS` is the process's.

mod trainer;

use std::path::Path;

use nitro::recording::record;
use nitro::{Device, Reason, Selection, host};
use nitro_benchmarks::inputs;
use nitro_benchmarks::spmv::{self, Variant};
use trainer::success;

/// The word behind a heading at the begin of a line.
fn figure<'t>(text: &'t str, heading: &str) -> Option<&'t str> {
    let line = text.lines().find_map(|line| line.strip_prefix(heading))?;
    line.split_whitespace().next().map(|word| word.trim_end_matches(','))
}

/// Keeps what this process measured of its device for the trainer: builds without optimisation measure it anew,
/// which gives other figures.
fn keep_device_features(cache: &Path) {
    let entry = host::current().entry();
    let lines: String = entry
        .measured()
        .iter()
        .map(|own| {
            format!("{} {} {} {} {}\n", own.feature.name, own.feature.value, own.spread, own.load, own.unix_s)
        })
        .collect();
    let file = cache.join(format!("nitro/{}.features", entry.id().replace(':', "-")));
    std::fs::create_dir_all(file.parent().expect("it has a folder")).unwrap();
    std::fs::write(file, format!("nitro device features 2: name value spread load unix_s\n{lines}")).unwrap();
}

/// All features of a call, also those that no decision needed.
fn features<R>(call: impl FnOnce() -> R) -> Vec<String> {
    let (function, default) = (spmv::function(), spmv::function().default_choice());
    let (_, observed) = record(function, default, &[default], call).unwrap();
    function.features().iter().zip(observed.features).map(|(name, value)| format!("{name}={value}")).collect()
}

fn check(models: &str, features: &[String], selection: &Selection<Variant>) {
    let features = features.iter().map(String::as_str);
    let shown = success(
        Path::new("."),
        &["explain", "spmv", "--models", models].into_iter().chain(features).collect::<Vec<_>>(),
    );
    let two_digits = |distance: Option<f64>| distance.map(|distance| format!("{distance:.2}"));
    assert_eq!(
        figure(&shown, "input distance"),
        two_digits(selection.input_distance()).as_deref(),
        "{shown}"
    );
    assert_eq!(
        figure(&shown, "device distance"),
        two_digits(selection.device_distance()).as_deref(),
        "{shown}"
    );
    if let Reason::PredictedFar { far } = selection.reason() {
        assert!(shown.contains(&far.to_string()), "{shown}");
    }
    let first = figure(&shown, "The first that its constraint admits is run:").expect("it names a variant");
    if matches!(selection.reason(), Reason::Predicted | Reason::PredictedFar { .. }) {
        assert_eq!(first, selection.variant().to_string(), "{shown}");
    }
    if let Reason::FirstChoiceInadmissible { first: forbidden } = selection.reason() {
        assert!(first == selection.variant().to_string() || first == forbidden, "{shown}");
    }
}

#[test]
fn explain_says_what_dispatch_does() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().to_str().expect("a temporary folder has a plain name");
    success(Path::new("."), &["fit", "--function", "spmv", "--selector", "forest", "--models", models]);
    let cache = folder.path().join("cache");
    // SAFETY: this is the only test of the process, and no other thread runs yet.
    unsafe {
        std::env::set_var("NITRO_MODELS", models);
        std::env::set_var("XDG_CACHE_HOME", &cache);
    }
    spmv::function().prepare().unwrap();
    keep_device_features(&cache);
    let names = inputs::spmv::names();
    let mut near = 0;
    for name in names.iter().filter(|name| name.starts_with("test/")).step_by(7) {
        let matrix = inputs::spmv::load(name).unwrap();
        let (x, mut y) = (vec![1.0; matrix.columns()], vec![0.0; matrix.rows()]);
        let selection = spmv::select(&matrix, &x, &mut y);
        near += usize::from(selection.input_distance() <= Some(1.0));
        assert!(
            selection.input_distance().is_some() && selection.margin().is_some(),
            "{name}: {selection:?}"
        );
        check(models, &features(|| nitro_benchmarks::spmv(&matrix, &x, &mut y)), &selection);
    }
    assert!(near >= 3, "test inputs are like training inputs: {near}");
}
