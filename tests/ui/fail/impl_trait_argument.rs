//! `impl Trait` in arguments, at any depth.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
fn sort_1(keys: impl AsMut<[u32]>);

#[code_variant(variants(merge, radix), default = merge)]
fn sort_2(keys: &mut [Option<impl Copy>]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
