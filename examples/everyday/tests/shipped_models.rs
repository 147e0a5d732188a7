//! The models in the package decide for every test input, on this machine, whatever it is.

use std::collections::BTreeSet;

use nitro::{CodeVariant, Reason, Selection};
use nitro_everyday::inputs;
use nitro_everyday::{Matrix, big_product, compress, find, group, matmul, sort, transform};

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

/// Chooses for every test input, and returns the number of different choices.
fn choices(names: Vec<String>, choose: impl Fn(&str) -> &'static str) -> usize {
    let tests: Vec<String> = names.into_iter().filter(|name| name.starts_with("test/")).collect();
    let chosen: BTreeSet<_> = tests.iter().map(|name| choose(name)).collect();
    assert!(tests.len() >= 100, "{} inputs", tests.len());
    chosen.len()
}

#[test]
fn every_test_input_is_decided_by_a_model() {
    // What a model asks of this device is measured before it decides.
    let functions = [
        big_product::function(),
        compress::function(),
        find::function(),
        group::function(),
        matmul::function(),
        sort::function(),
        transform::function(),
    ];
    functions.into_iter().for_each(|function| function.prepare().unwrap());
    let counts = [
        choices(inputs::sort::names(), |name| {
            decided(name, sort::select(&mut inputs::sort::load(name, 0).unwrap()))
        }),
        choices(inputs::find::names(), |name| {
            let search = inputs::find::load(name, 0).unwrap();
            decided(name, find::select(&search.text, &search.needles()))
        }),
        choices(inputs::matmul::names(), |name| {
            let (a, b) = inputs::matmul::load(name, 0).unwrap();
            let mut c = Matrix::zeros(a.rows(), b.columns());
            decided(name, matmul::select(&a, &b, &mut c))
        }),
        choices(inputs::group::names(), |name| {
            let (keys, values) = inputs::group::load(name, 0).unwrap();
            decided(name, group::select(&keys, &values))
        }),
        choices(inputs::big_product::names(), |name| {
            let (a, b) = inputs::big_product::load(name, 0).unwrap();
            decided(name, big_product::select(&a, &b))
        }),
        choices(inputs::compress::names(), |name| {
            let (data, least_ratio) = inputs::compress::load(name, 0).unwrap();
            decided(name, compress::select(&data, least_ratio))
        }),
        choices(inputs::transform::names(), |name| {
            decided(name, transform::select(&mut inputs::transform::load(name, 0).unwrap()))
        }),
    ];
    // Of one function a model may say that nothing gains over one variant for all.
    assert!(counts.iter().filter(|count| **count >= 2).count() >= counts.len() - 1, "{counts:?}");
}
