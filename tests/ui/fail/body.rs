//! A function that has a body already.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
fn sort(keys: &mut [u32]) {
    keys.sort();
}

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
