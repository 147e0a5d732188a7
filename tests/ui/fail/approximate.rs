//! Variants whose results are off by a known error.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, approximate(radix = 0.01))]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, tolerance = 0.01)]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, approximate(merge = 0.01), tolerance = 0.01)]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, exact(radix, quick)), default = merge, approximate(quick = 0.01), tolerance = 0.01)]
fn sort_4(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, approximate(radik = 0.01), tolerance = 0.01)]
fn sort_5(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, approximate(radix = 0.01, radix = 0.02), tolerance = 0.01)]
fn sort_6(keys: &mut [u32]);

#[code_variant(variants(merge, radix, quick), default = merge, approximate(radix = 0.0, quick = -0.1), tolerance = 0.01)]
fn sort_7(keys: &mut [u32]);

#[code_variant(variants(merge, radix, quick), default = merge, approximate(radix, quick = ), tolerance = 0.01)]
fn sort_8(keys: &mut [u32]);

#[code_variant(variants(merge, radix, quick), default = merge, approximate(radix = 0.1 over lengths, quick = 0.1 of "all"), tolerance = 0.01)]
fn sort_9(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, approximate = radix, tolerance)]
fn sort_10(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}
fn quick(_: &mut [u32]) {}

fn main() {}
