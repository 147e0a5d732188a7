//! A default that is not listed.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = quick)]
fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
