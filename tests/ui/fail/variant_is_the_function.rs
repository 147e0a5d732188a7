//! A function cannot be its own variant.

use nitro::code_variant;

#[code_variant(variants(merge, sort), default = merge)]
fn sort(keys: &mut [u32]);

#[code_variant(variants(merge, self::again), default = merge)]
fn again(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
