//! What recorders of twin devices share: a function whose second variant takes twice the time of its first. Time is
//! scripted.

use std::sync::OnceLock;

use crate::scripted::{Scripted, TIME_NS};
use nitro::code_variant;

#[code_variant(
    name = "shared",
    device = Scripted,
    features(size = n),
    variants(once, twice),
    default = once,
)]
pub fn shared(n: u32) -> u32;

static IN_EVERY_RUN: OnceLock<fn(u32, &str)> = OnceLock::new();

/// Lets every run of a variant of this process do something besides; it gets the input and the variant.
pub fn in_every_run(besides: fn(u32, &str)) {
    IN_EVERY_RUN.set(besides).expect("a scenario says it once");
}

/// The time of a variant on an input.
pub fn time_ns(n: u32, variant: &str) -> f64 {
    f64::from(if variant == "once" { n + 1 } else { 2 * (n + 1) })
}

fn run(n: u32, variant: &str) -> u32 {
    IN_EVERY_RUN.get().expect("the scenario has said it")(n, variant);
    TIME_NS.set(time_ns(n, variant));
    n
}

fn once(n: u32) -> u32 {
    run(n, "once")
}

fn twice(n: u32) -> u32 {
    run(n, "twice")
}
