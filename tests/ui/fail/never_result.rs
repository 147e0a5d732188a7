//! A function that never returns.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
fn sort(keys: &mut [u32]) -> !;

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
