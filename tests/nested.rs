//! `nested(..)` and `hold()`: the calls of a function within one call of another run what the first of them chose.

mod macro_support;

use std::cell::Cell;
use std::panic;
use std::thread;

use nitro::model::Node;
use nitro::{code_variant, code_variants};

use macro_support::forest;

thread_local! {
    static COMPUTED: Cell<usize> = const { Cell::new(0) };
}

/// The number of features that this thread has computed since it last asked.
fn computed() -> usize {
    COMPUTED.take()
}

fn weigh(items: usize) -> usize {
    COMPUTED.set(COMPUTED.get() + 1);
    items
}

/// A forest of one tree: for sizes above 10 `long`, else `short`.
fn model(function: &str) -> &'static [u8] {
    let nodes = vec![Node::Split { column: 0, threshold: 10.0 }, Node::Leaf, Node::Leaf];
    let model =
        macro_support::model(function, &["short", "long"], &["size"], forest(2, nodes, vec![0, 200, 200, 0]));
    Box::leak(model.to_bytes().into_boxed_slice())
}

fn short(_: usize) -> &'static str {
    "short"
}

fn long(_: usize) -> &'static str {
    "long"
}

#[code_variant(
    name = "nested::inner",
    features(size = weigh(items)),
    variants(short, long),
    default = short,
    model = model("nested::inner"),
)]
fn inner(items: usize) -> &'static str;

/// `long` is for inputs of more than 20.
#[code_variant(
    name = "nested::guarded",
    features(size = weigh(items)),
    variants(short, long if items > 20),
    default = short,
    model = model("nested::guarded"),
)]
fn guarded(items: usize) -> &'static str;

struct Sizes;

#[code_variants]
impl Sizes {
    #[code_variant(
        name = "nested::method",
        features(size = weigh(items)),
        variants(short, long),
        default = short,
        model = model("nested::method"),
    )]
    fn method(&self, items: usize) -> &'static str;

    fn short(&self, _: usize) -> &'static str {
        "short"
    }

    fn long(&self, _: usize) -> &'static str {
        "long"
    }
}

/// What each function says of each size, one size after the other.
fn of_each(sizes: &[usize]) -> Vec<[&'static str; 3]> {
    sizes.iter().map(|&items| [inner(items), guarded(items), Sizes.method(items)]).collect()
}

#[code_variant(variants(of_each), default = of_each, nested(inner, guarded, Sizes::method))]
fn outer(sizes: &[usize]) -> Vec<[&'static str; 3]>;

fn twice(sizes: &[usize]) -> Vec<[&'static str; 3]> {
    [outer(sizes), of_each(sizes)].concat()
}

#[code_variant(variants(twice), default = twice, nested(self::inner))]
fn outermost(sizes: &[usize]) -> Vec<[&'static str; 3]>;

#[test]
fn a_function_chooses_once_within_a_call_of_another() {
    for _ in 0..2 {
        assert_eq!(of_each(&[50, 5]), [["long"; 3], ["short"; 3]], "each by its own input");
        assert_eq!(outer(&[5, 50]), [["short"; 3]; 2], "the first one decides");
        let held = outer(&[50, 5, 15]);
        assert_eq!(held[0], ["long"; 3]);
        assert_eq!(
            held[1..],
            [["long", "short", "long"]; 2],
            "what has a constraint is no choice for all inputs"
        );
    }
}

#[test]
fn a_held_choice_computes_no_feature() {
    let held = inner::hold();
    inner(50);
    computed();
    assert_eq!([5, 6, 7].map(inner), ["long"; 3]);
    assert_eq!(computed(), 0);
    drop(held);
    assert_eq!(([5, 6, 7].map(inner), computed()), (["short"; 3], 3));
}

#[test]
fn the_outermost_call_holds() {
    let said = outermost(&[50, 5]).into_iter().map(|[inner, _, method]| (inner, method));
    let said: Vec<_> = said.collect();
    assert_eq!(said, [("long", "long"), ("long", "long"), ("long", "long"), ("long", "short")]);
    assert_eq!(inner(5), "short");
}

#[test]
fn a_panic_ends_it() {
    let result = panic::catch_unwind(|| {
        let _held = inner::hold();
        inner(50);
        panic!("in a variant");
    });
    assert!(result.is_err());
    assert_eq!(inner(5), "short");
}

#[test]
fn other_threads_choose_for_themselves() {
    let _held = inner::hold();
    assert_eq!((inner(50), inner(5)), ("long", "long"));
    assert_eq!(thread::spawn(|| inner(5)).join().ok(), Some("short"));
}

/// `select` says what an input alone would choose.
#[test]
fn a_selection_is_not_held() {
    let _held = inner::hold();
    inner(50);
    assert_eq!(inner::select(5).variant(), inner::Variant::Short);
}
