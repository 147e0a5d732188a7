//! An error or a tolerance of another type, and a constant that is no error.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, approximate(radix = "much"), tolerance = 0.01)]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, approximate(radix = 0.01), tolerance = keys.len())]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, approximate(radix = NONE), tolerance = 0.01)]
fn sort_3(keys: &mut [u32]);

const NONE: f64 = 0.0;

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {
    sort_3::function();
}
