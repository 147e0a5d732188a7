//! No lint that a strict crate turns on speaks of generated code.

#![deny(warnings, missing_docs, unreachable_pub, unused, rust_2018_idioms)]
#![deny(single_use_lifetimes, unused_lifetimes, unused_qualifications, missing_debug_implementations)]
#![deny(clippy::all, clippy::pedantic)]

use nitro::code_variant;

/// A function that uses one of its arguments for the choice.
///
/// # Safety
/// None is needed.
#[code_variant(
    features(rows = limit(), size = { x.len() }, kind = if x.is_empty() { 1 } else { 2 }),
    variants(scalar if rows > 3, vector if { x.len() > 2 } || match size { 0 => true, other => other > 9 }, blocked),
    default = blocked,
)]
#[must_use]
#[inline]
unsafe fn multiply(x: &[f32], y: &mut [f32], unused: Box<u8>) -> u32;

fn limit() -> usize {
    3
}
unsafe fn scalar(_: &[f32], _: &mut [f32], _: Box<u8>) -> u32 {
    1
}
fn vector(_: &[f32], _: &mut [f32], _: Box<u8>) -> u32 {
    2
}
fn blocked(_: &[f32], _: &mut [f32], _: Box<u8>) -> u32 {
    3
}

#[code_variant(variants(#[cfg(any())] absent if true, present), default = present)]
fn constrained_variant_left_out();
fn present() {}

/// The helper has one argument more, too many for clippy.
#[code_variant(variants(seven), default = seven)]
fn seven_arguments(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8);
fn seven(_: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8) {}

#[code_variant(variants(first), default = first)]
fn borrowed<'a>(items: &'a [u8], hint: &str) -> Option<&'a u8>;
fn first<'a>(items: &'a [u8], _: &str) -> Option<&'a u8> {
    items.first()
}

#[test]
fn strict_lints_are_silent() {
    constrained_variant_left_out();
    seven_arguments(1, 2, 3, 4, 5, 6, 7);
    assert_eq!(borrowed(&[4], ""), Some(&4));
    // SAFETY: nothing is asked.
    assert_eq!(unsafe { multiply(&[], &mut [], Box::new(0)) }, 3);
}
