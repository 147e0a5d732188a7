//! A model of another type.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, model = "sort.model")]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, model = vec![0_u8])]
fn sort_2(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
