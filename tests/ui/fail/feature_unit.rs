//! The unit of a feature.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, features(length: Bytes = keys.len(), bits: Octets = 8))]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(length: bytes = keys.len()))]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(length: = keys.len()))]
fn sort_3(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
