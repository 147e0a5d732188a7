//! What a thread remembers of a model's answers never shows but in time: a repeated call chooses as a first one does.

mod macro_support;

use std::cell::Cell;

use nitro::code_variant;
use nitro::model::Node;

use macro_support::forest;

/// A forest of one tree, which for lengths above 10 likes the variants in the given order and below in the opposite
/// one.
fn model(function: &str, order: [u8; 3]) -> &'static [u8] {
    let nodes = vec![Node::Split { column: 0, threshold: 10.0 }, Node::Leaf, Node::Leaf];
    let values = [order.map(|place| 200 - 50 * place), order.map(|place| 50 * place)].concat();
    let names = ["first", "second", "third"];
    let model = macro_support::model(function, &names, &["length"], forest(3, nodes, values));
    Box::leak(model.to_bytes().into_boxed_slice())
}

fn first(_: usize, _: usize) -> usize {
    1
}

fn second(_: usize, _: usize) -> usize {
    2
}

fn third(_: usize, _: usize) -> usize {
    3
}

#[code_variant(
    name = "rising",
    features(length = items),
    variants(first if forbidden != 1, second if forbidden != 2, third),
    default = third,
    model = model("rising", [0, 1, 2]),
)]
fn rising(items: usize, forbidden: usize) -> usize;

#[code_variant(
    name = "falling",
    features(length = items),
    variants(first, second if rising(items, forbidden) == 2, third),
    default = third,
    model = model("falling", [2, 0, 1]),
)]
fn falling(items: usize, forbidden: usize) -> usize;

#[test]
fn constraints_are_asked_anew() {
    for _ in 0..3 {
        assert_eq!([0, 1, 2].map(|forbidden| rising(20, forbidden)), [1, 2, 1]);
        assert_eq!([0, 1, 2].map(|forbidden| rising(5, forbidden)), [3, 3, 3]);
    }
}

/// Both functions have the same feature; the constraint of one calls the other.
#[test]
fn functions_are_told_apart() {
    for _ in 0..3 {
        assert_eq!([0, 1, 2].map(|forbidden| falling(20, forbidden)), [3, 2, 3]);
        assert_eq!([0, 1, 2].map(|forbidden| rising(20, forbidden)), [1, 2, 1]);
    }
}

/// More inputs than any memory of fixed size holds, again and again.
#[test]
fn every_input_is_answered_for_itself() {
    for _ in 0..3 {
        for length in 0..1000 {
            let expected = if length > 10 { 1 } else { 3 };
            assert_eq!(rising(length, 0), expected, "{length}");
            assert_eq!(rising::select(length, 0).variant() as usize + 1, expected, "{length}");
        }
    }
}

thread_local! {
    static VALUE: Cell<f64> = const { Cell::new(0.0) };
}

#[code_variant(
    name = "bits",
    features(length = VALUE.get()),
    variants(first, second, third),
    default = second,
    model = model("bits", [0, 1, 2]),
)]
fn bits(items: usize, forbidden: usize) -> usize;

/// Numbers that differ in the last bit, and numbers that are none.
#[test]
fn nearly_the_same_input_is_another_one() {
    let value = |value: f64| {
        VALUE.set(value);
        bits(0, 0)
    };
    for _ in 0..3 {
        assert_eq!(
            [10.0, 10.0_f32.next_up().into(), f64::NAN, f64::INFINITY, -0.0, 0.0].map(value),
            [3, 1, 2, 2, 3, 3]
        );
    }
}
