//! A feature of another type.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, features(length = keys.len(), text = format!("{keys:?}"), first = keys.first(), unit = ()))]
fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
