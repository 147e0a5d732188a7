//! An empty list of variants.

use nitro::code_variant;

#[code_variant(variants(), default = merge)]
fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
