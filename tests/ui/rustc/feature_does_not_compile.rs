//! A mistake inside a feature is reported there, once.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, features(length = keys.size(), first = kyes[0]))]
fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
