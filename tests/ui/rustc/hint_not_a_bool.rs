//! A hint that is no condition.

use nitro::code_variant;

#[code_variant(variants(merge, radix prefer if keys.len()), default = merge)]
fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
