//! An option that does not exist, nearly or not at all.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, nmae = "sort")]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, feature(length = keys.len()))]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, constraint = true)]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, 3)]
fn sort_4(keys: &mut [u32]);

#[code_variant("sort", variants(merge, radix), default = merge)]
fn sort_5(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
