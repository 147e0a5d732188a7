//! The models in the repository decide for every test input of the suite, on this machine, whatever it is.
//!
//! In a file of its own, in one test: `NITRO_MODELS` is the process's.

use nitro::{CodeVariant, Reason, Selection};
use nitro_benchmarks::inputs::{self, sort::Keys};
use nitro_benchmarks::{histogram, sort, spmv, transpose};

/// Checks that a model decided, and returns the choice.
fn decided<V: CodeVariant>(name: &str, selection: Selection<V>) -> &'static str {
    let by_model = matches!(
        selection.reason(),
        Reason::Predicted
            | Reason::PredictedFar { .. }
            | Reason::FirstChoiceInadmissible { .. }
            | Reason::Unsure
    );
    assert!(by_model, "{name}: {selection}");
    selection.variant().name()
}

/// Chooses for every test input; every function has inputs that want different variants.
fn check(names: Vec<String>, choose: impl Fn(&str) -> &'static str) {
    let tests: Vec<String> = names.into_iter().filter(|name| name.starts_with("test/")).collect();
    let chosen: std::collections::BTreeSet<_> = tests.iter().map(|name| choose(name)).collect();
    assert!(tests.len() >= 50 && chosen.len() >= 2, "{} inputs, {chosen:?}", tests.len());
}

#[test]
fn every_test_input_is_decided_by_a_model() {
    // SAFETY: this is the only test of the process, and no other thread runs yet.
    unsafe { std::env::set_var("NITRO_MODELS", concat!(env!("CARGO_MANIFEST_DIR"), "/../../models")) };
    // What a model asks of this device is measured before it decides.
    for function in [histogram::function(), sort::function(), spmv::function(), transpose::function()] {
        function.prepare().unwrap();
    }
    check(inputs::histogram::names(), |name| {
        let image = inputs::histogram::load(name).unwrap();
        decided(name, histogram::select(&image.pixels, &mut [0; 256]))
    });
    check(inputs::spmv::names(), |name| {
        let matrix = inputs::spmv::load(name).unwrap();
        let (x, mut y) = (vec![1.0; matrix.columns()], vec![0.0; matrix.rows()]);
        decided(name, spmv::select(&matrix, &x, &mut y))
    });
    check(inputs::sort::names(), |name| match inputs::sort::load(name).unwrap() {
        Keys::F32(mut keys) => decided(name, sort::select(&mut keys)),
        Keys::F64(mut keys) => decided(name, sort::select(&mut keys)),
    });
    check(inputs::transpose::names(), |name| {
        let mut matrix = inputs::transpose::load(name).unwrap();
        decided(name, transpose::select(&mut matrix.values, matrix.rows, matrix.columns))
    });
}
