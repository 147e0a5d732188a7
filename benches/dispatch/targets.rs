//! Clones for target features, beside the crate `multiversion` on its own benchmark: squares of so many numbers.

use std::arch::is_x86_feature_detected;
use std::hint::black_box;

use multiversion::multiversion;
use nitro::{cloneable, code_variant};

use super::{Line, models};

/// The lengths of that benchmark.
pub const LENGTHS: [usize; 3] = [0, 16, 1000];

#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"), dispatcher = "indirect")]
fn indirect(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value *= *value);
}

#[multiversion(targets("x86_64+avx512f", "x86_64+avx2+fma"), dispatcher = "direct")]
fn direct(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value *= *value);
}

#[inline(never)]
fn as_compiled(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value *= *value);
}

/// The features detected by hand at each call.
fn by_hand(values: &mut [f32]) {
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has the feature.
        return unsafe { with_avx512(values) };
    }
    as_compiled(values);
}

#[target_feature(enable = "avx512f")]
fn with_avx512(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value *= *value);
}

#[cloneable]
fn square(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value *= *value);
}

#[inline(never)]
fn uncloned(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value *= *value);
}

/// A function of the name that always takes the choice of this index.
macro_rules! chosen {
    ($($name:ident = $choice:expr;)*) => {$(
        #[code_variant(
            name = "bench",
            variants(uncloned, square targets("x86_64+avx512f", "x86_64+avx2+fma")),
            default = uncloned,
            model = models::constant(&["uncloned", "square@avx512f", "square@avx2+fma"], $choice),
        )]
        fn $name(values: &mut [f32]);
    )*};
}

chosen! {
    without_target = 0;
    for_avx512 = 1;
    for_avx2 = 2;
}

/// The lines of one length, those without a choice first.
pub fn lines(length: usize) -> Vec<Line> {
    vec![
        line("direct call", length, as_compiled),
        line("features detected by hand", length, by_hand),
        line("multiversion, indirect", length, indirect),
        line("multiversion, direct", length, direct),
        line("dispatched, a variant without target", length, without_target),
        line("dispatched, clone for avx512f", length, for_avx512),
        line("dispatched, clone for avx2+fma", length, for_avx2),
    ]
}

/// Numbers at the begin of a cache line: where they lie makes more of a difference than whose clone it is.
#[repr(align(64))]
struct Numbers([f32; 1000]);

fn line(name: &str, length: usize, call: impl Fn(&mut [f32]) + Sync + 'static) -> Line {
    let calls = move |_: &[super::Input], calls: usize| {
        let mut numbers = Numbers([1.0; 1000]);
        for _ in 0..calls {
            call(black_box(&mut numbers.0[..length]));
        }
    };
    Line { name: name.to_owned(), repeated: true, calls: Box::new(calls) }
}

/// Asserts that the clones run as the models say, where the processor has them.
pub fn check() {
    for (selection, clone, is_there) in [
        (for_avx512::select(&mut []).to_string(), "square@avx512f", is_x86_feature_detected!("avx512f")),
        (for_avx2::select(&mut []).to_string(), "square@avx2+fma", is_x86_feature_detected!("avx2")),
    ] {
        assert_eq!(selection.starts_with(clone), is_there, "{selection}");
    }
}
