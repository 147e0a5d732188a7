//! A default that may not always run.

use nitro::code_variant;

#[code_variant(variants(merge if keys.len() > 3, radix), default = merge)]
fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
