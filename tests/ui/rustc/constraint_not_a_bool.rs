//! A constraint of another type.

use nitro::code_variant;

#[code_variant(features(length = keys.len()), variants(merge, radix if length), default = merge)]
fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
