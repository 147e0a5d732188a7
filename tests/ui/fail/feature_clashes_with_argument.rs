//! A feature and a parameter of one name.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, features(keys = keys.len()))]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(N = N))]
fn sort_2<const N: usize>(keys: &mut [u32; N]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
