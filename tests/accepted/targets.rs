//! Clones for target features in a crate that wants no unsafe code of its own, under lints that speak of no generated
//! code, and where the crate has another name.

#![deny(warnings, missing_docs, unreachable_pub, unused, rust_2018_idioms, unsafe_code)]
#![deny(single_use_lifetimes, unused_lifetimes, unused_qualifications, missing_debug_implementations)]
#![deny(clippy::all, clippy::pedantic)]

use nitro as adaptive;

/// Numbers.
#[derive(Debug)]
pub(crate) struct Numbers(Vec<f32>);

#[adaptive::code_variants]
impl Numbers {
    /// The sum.
    #[code_variant(
        crate = adaptive,
        variants(
            r#as targets("x86_64+avx2", "x86+avx2", "aarch64+neon"),
            #[cfg(any())]
            absent targets("x86_64+avx2"),
            self::seven targets("x86_64+sse4.2", "aarch64+neon") { const LANES in [2, 4] },
        ),
        default = r#as,
    )]
    #[must_use]
    pub(crate) fn sum(&self, a: u8, b: u8, c: u8, d: u8, e: u8, f: u8) -> f32;

    #[inline]
    fn r#as(&self, a: u8, _: u8, _: u8, _: u8, _: u8, _: u8) -> f32 {
        self.0.iter().sum::<f32>() + f32::from(a)
    }
}

/// Beside the block.
#[adaptive::cloneable]
#[must_use]
fn seven<const LANES: usize>(numbers: &Numbers, _: u8, _: u8, _: u8, _: u8, _: u8, f: u8) -> f32 {
    numbers.0.chunks(LANES).flatten().sum::<f32>() + f32::from(f)
}

#[adaptive::code_variant(crate = adaptive, variants(nothing targets("aarch64+neon")), default = nothing)]
fn elsewhere();

#[adaptive::cloneable]
fn nothing() {}

#[test]
fn strict_lints_are_silent_about_clones() {
    let numbers = Numbers(vec![1.0, 2.0, 3.0]);
    assert!((numbers.sum(1, 0, 0, 0, 0, 0) - 7.0).abs() < f32::EPSILON);
    let seven = numbers_sum::Choice::Seven(numbers_sum::Seven { LANES: 2 });
    assert!((numbers.sum_call(seven, 0, 0, 0, 0, 0, 4) - 10.0).abs() < f32::EPSILON);
    elsewhere();
}
