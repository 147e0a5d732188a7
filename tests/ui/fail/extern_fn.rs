//! A function of another calling convention.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
extern "C" fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
