//! A program that is told to calibrates its models by its own calls, and no result is one that the call does not admit.
//!
//! Times are scripted, so what is learned depends on no clock. Windows are the background thread's: calls are made
//! until it has done its work.

mod macro_support;

use std::cell::Cell;
use std::sync::LazyLock;
use std::thread;

use nitro::model::{Node, Selector};
use nitro::{
    Device, DeviceEntry, Reason, ReasonKind, Stopwatch, calibrate_in_background, code_variant, stats,
};

use macro_support::{forest, model};

/// A device whose time is what the last variant said that it takes.
struct Scripted;

thread_local! {
    static TAKEN_NS: Cell<f64> = const { Cell::new(0.0) };
    /// Calls that failed because a failing variant was tried.
    static FAILED: Cell<usize> = const { Cell::new(0) };
}

struct Taken;

impl Stopwatch for Taken {
    fn start(&mut self) {}

    fn stop(&mut self) -> f64 {
        TAKEN_NS.get()
    }
}

impl Device for Scripted {
    fn entry(&self) -> &'static DeviceEntry {
        DeviceEntry::intern("scripted:0@lab", Vec::new, |_| Vec::new())
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        Box::new(Taken)
    }
}

/// A tree that expects `usual` to be best for every input, on either side of 8.
fn usual_is_best() -> Selector {
    let split = Node::Split { column: 0, threshold: 8.0 };
    forest(4, vec![split, Node::Leaf, Node::Leaf], vec![0, 60, 60, 200, 0, 60, 60, 200])
}

macro_rules! functions {
    ($($name:ident: $selector:expr;)*) => {$(
        static $name: LazyLock<Vec<u8>> = LazyLock::new(|| {
            model(stringify!($name), &["usual", "other", "odd_only", "failing"], &["length"], $selector).to_bytes()
        });
    )*}
}

functions! {
    BY_FOREST: usual_is_best();
    BY_ORDER: Selector::Constant { choice: 0 };
    EXACTLY: usual_is_best();
}

fn usual(_: usize) -> Result<&'static str, ()> {
    TAKEN_NS.set(100.0);
    Ok("usual")
}

/// Faster above 8 and slower below.
fn other(n: usize) -> Result<&'static str, ()> {
    TAKEN_NS.set(if n > 8 { 50.0 } else { 150.0 });
    Ok("other")
}

/// The fastest, but not admissible for even numbers.
fn odd_only(n: usize) -> Result<&'static str, ()> {
    assert!(n % 2 == 1, "its constraint forbids {n}");
    TAKEN_NS.set(120.0);
    Ok("odd_only")
}

fn failing(_: usize) -> Result<&'static str, ()> {
    FAILED.set(FAILED.get() + 1);
    TAKEN_NS.set(1.0);
    Err(())
}

#[code_variant(
    name = "BY_FOREST",
    device = Scripted,
    features(length = n),
    variants(usual, other, odd_only if n % 2 == 1, failing),
    default = usual,
    model = BY_FOREST.as_slice(),
)]
fn by_forest(n: usize) -> Result<&'static str, ()>;

#[code_variant(
    name = "BY_ORDER",
    device = Scripted,
    features(length = n),
    variants(usual, other, odd_only if n % 2 == 1, failing),
    default = usual,
    model = BY_ORDER.as_slice(),
)]
fn by_order(n: usize) -> Result<&'static str, ()>;

#[code_variant(
    name = "EXACTLY",
    device = Scripted,
    features(length = n),
    variants(exact(usual, odd_only if n % 2 == 1), other, failing),
    default = usual,
    model = EXACTLY.as_slice(),
)]
fn exactly(n: usize) -> Result<&'static str, ()>;

/// Makes calls until `is_done`, and fails where that takes far more than what is to be learned.
fn call_until(is_done: impl Fn() -> bool, mut call: impl FnMut(usize)) {
    const MOST_ROUNDS: usize = 2_000_000;
    for _ in 0..MOST_ROUNDS {
        (1..=32).for_each(&mut call);
        if is_done() {
            return;
        }
        thread::yield_now();
    }
    panic!("nothing was learned; calls: {:?}", stats());
}

#[test]
fn a_program_learns_from_its_own_calls_when_it_is_told_to() {
    assert_eq!((by_forest(4), by_forest(12)), (Ok("usual"), Ok("usual")));
    assert_eq!(by_order(12), Ok("usual"));
    let calls = |kind| {
        stats().counts().iter().filter(|count| count.reason == kind).map(|count| count.calls).sum::<u64>()
    };
    assert_eq!(calls(ReasonKind::Compared), 0, "it is off at first");

    calibrate_in_background(1.0);
    call_until(|| by_forest::select(12).variant() == by_forest::Variant::Other, |n| _ = by_forest(n));
    assert!(calls(ReasonKind::Compared) > 60);
    assert!(FAILED.get() < 5, "what fails is left alone, but {} calls failed", FAILED.get());
    let below = by_forest::select(4);
    assert_eq!((below.variant(), below.reason()), (by_forest::Variant::Usual, Reason::Predicted));

    // A model without trees learns one order.
    call_until(|| by_order::select(12).variant() == by_order::Variant::Other, |n| _ = by_order(10 * n));

    // Where results are to be the default's, nothing else is tried.
    nitro::set_exact(true);
    let compared = calls(ReasonKind::Compared);
    call_until(
        || calls(ReasonKind::Compared) > compared + 30,
        |n| assert!(matches!(exactly(n), Ok("usual" | "odd_only"))),
    );
    calibrate_in_background(0.0);
}
