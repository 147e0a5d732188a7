//! The crate is a path.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, crate = "nitro")]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, crate = 1)]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, crate(nitro))]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, crate = nitro::<u32>)]
fn sort_4(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
