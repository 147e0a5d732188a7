//! A default that some builds do not have.

use nitro::code_variant;

#[code_variant(variants(#[cfg(unix)] merge, radix), default = merge)]
fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
