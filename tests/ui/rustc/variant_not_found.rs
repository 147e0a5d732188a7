//! A variant that does not exist.

use nitro::code_variant;

#[code_variant(variants(merge, rdix, sorts::quick), default = merge)]
fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
