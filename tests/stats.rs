//! `nitro::stats` tells how often calls ran a variant, and why: of all threads, exactly, alive or ended.
//!
//! In a file of its own: the counts are the process's. Each test counts functions of its own.

mod macro_support;

use std::sync::{Barrier, LazyLock};

use macro_support::threshold;
use nitro::{ReasonKind, code_variant, stats};

fn insertion(_: &[u32]) -> &'static str {
    "insertion"
}

fn merge(_: &[u32]) -> &'static str {
    "merge"
}

fn fallback(_: &[u32]) -> &'static str {
    "fallback"
}

static SHORT_OR_LONG: LazyLock<Vec<u8>> =
    LazyLock::new(|| threshold("counted::by_model", ["insertion", "merge"], "length", 50.0));

#[code_variant(
    name = "counted::by_model",
    features(length = keys.len()),
    variants(insertion if length != 7, merge, fallback),
    default = fallback,
    model = SHORT_OR_LONG.as_slice(),
)]
fn by_model(keys: &[u32]) -> &'static str;

#[code_variant(name = "counted::by_default", variants(insertion, merge), default = merge)]
fn by_default(keys: &[u32]) -> &'static str;

#[code_variant(name = "counted::never", variants(insertion, merge), default = merge)]
fn never(keys: &[u32]) -> &'static str;

#[code_variant(name = "counted::by_threads", variants(insertion, merge), default = merge)]
fn by_threads(keys: &[u32]) -> &'static str;

/// The counts of a function: variant, reason, calls.
fn counts(function: &str) -> Vec<(&'static str, ReasonKind, u64)> {
    let stats = stats();
    let own = stats.counts().iter().filter(|count| count.function == function);
    own.map(|count| (count.variant, count.reason, count.calls)).collect()
}

#[test]
fn a_call_counts_for_its_variant_and_reason() {
    assert_eq!(counts("counted::by_model"), []);
    for length in 0..100 {
        by_model(&vec![0; length]);
    }
    assert_eq!(
        counts("counted::by_model"),
        [
            ("insertion", ReasonKind::PredictedWithout, 49), // 0 to 49, and 7 is forbidden
            ("merge", ReasonKind::PredictedWithout, 50),
            ("merge", ReasonKind::FirstChoiceInadmissible, 1),
        ]
    );
    let _ = by_model::select(&[0; 3]);
    by_model::call(by_model::Variant::Merge, &[0; 3]);
    let calls: u64 = counts("counted::by_model").iter().map(|(_, _, calls)| calls).sum();
    assert_eq!(calls, 100, "neither a selection nor a call of a given variant is a choice that was run");
}

#[test]
fn a_table_shows_what_was_called() {
    by_default(&[]);
    let _ = never::select(&[]);
    let table = stats().to_string();
    let row: Vec<&str> = table
        .lines()
        .find(|line| line.starts_with("counted::by_default "))
        .unwrap_or_else(|| panic!("{table}"))
        .split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect();
    assert_eq!(row, ["counted::by_default", "merge", "1", "no model"]);
    assert!(table.starts_with("function") && !table.contains("counted::never"), "{table}");
}

/// Threads in waves, so that later ones go on with the counters of those that ended, and all of a wave at once.
#[test]
fn no_call_is_lost_between_threads() {
    const WAVES: u64 = 20;
    const THREADS: u64 = 8;
    const CALLS: u64 = 1000;
    for wave in 1..=WAVES {
        let together = Barrier::new(THREADS as usize);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    together.wait();
                    for _ in 0..CALLS {
                        by_threads(&[]);
                    }
                });
            }
        });
        let expected = ("merge", ReasonKind::NoModel, wave * THREADS * CALLS);
        assert_eq!(counts("counted::by_threads"), [expected]);
    }
}
