//! `NITRO_FORCE` pins variants; what it cannot mean is ignored.
//!
//! In a file of its own, in one test: the variable is the process's.

use std::process::Command;

use nitro::{Reason, code_variant};

fn a(_: u32) -> char {
    'a'
}

fn b(_: u32) -> char {
    'b'
}

#[code_variant(name = "pinned", variants(a, b), default = a)]
fn pinned(n: u32) -> char;

#[code_variant(variants(a, b), default = a)]
fn by_last_segment(n: u32) -> char;

#[code_variant(name = "misspelt", variants(a, b), default = a)]
fn misspelt(n: u32) -> char;

#[code_variant(name = "limited", variants(a, b if n < 10), default = a)]
fn limited(n: u32) -> char;

#[code_variant(
    name = "rough",
    variants(a, b),
    default = a,
    approximate(b = 0.01),
    tolerance = f64::from(n) / 1000.0,
)]
fn rough(n: u32) -> char;

#[test]
fn pins_hold_where_they_can() {
    // SAFETY: this is the only test of the process, and no other thread runs yet.
    unsafe {
        std::env::set_var(
            "NITRO_FORCE",
            "pinned=a,pinned=b, by_last_segment=b,=b,misspelt=bb,nonsense,limited=b,rough=b,other=x",
        )
    };
    assert_eq!((pinned(1), pinned::select(1).reason()), ('b', Reason::Forced));
    assert_eq!((by_last_segment(1), by_last_segment::select(1).reason()), ('b', Reason::Forced));
    assert_eq!((misspelt(1), misspelt::select(1).reason()), ('a', Reason::NoModel));
    let not_b = Reason::ForcedInadmissible { pinned: "b" };
    assert_eq!((limited(1), limited::select(1).reason()), ('b', Reason::Forced));
    assert_eq!((limited(10), limited::select(10).reason()), ('a', not_b), "a constraint is never broken");
    for (n, runs) in [(9, ('a', not_b)), (10, ('b', Reason::Forced)), (9, ('a', not_b))] {
        assert_eq!(
            (rough(n), rough::select(n).reason()),
            runs,
            "nor more error given than {n} in a thousand"
        );
    }
    if std::env::var_os(AGAIN).is_none() {
        what_means_nothing_is_told_once();
    }
}

/// Tells a copy of this program that it is one.
const AGAIN: &str = "FORCED_VARIANTS_AGAIN";

/// Every function reads the variable; five were called.
fn what_means_nothing_is_told_once() {
    let itself = std::env::current_exe().unwrap();
    let arguments = ["--exact", "pins_hold_where_they_can", "--nocapture"];
    let output = Command::new(itself).args(arguments).env(AGAIN, "1").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert_eq!(told.matches("`nonsense` is ignored: write function=variant").count(), 1, "{told}");
    assert_eq!(told.matches("`=b` is ignored: write function=variant").count(), 1, "{told}");
    assert_eq!(told.matches("pins `pinned` more than once: `b`, the last, holds").count(), 1, "{told}");
    assert_eq!(told.matches("`bb` is not a choice of `misspelt`").count(), 1, "{told}");
}
