//! The list of features.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, features = keys.len())]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features[length = keys.len()])]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features { length = keys.len() })]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features)]
fn sort_4(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
