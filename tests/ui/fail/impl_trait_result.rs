//! `impl Trait` as the result.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
fn sort_1(keys: &mut [u32]) -> impl Iterator<Item = u32>;

#[code_variant(variants(merge, radix), default = merge)]
fn sort_2(keys: &mut [u32]) -> Option<impl Copy>;

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
