//! Two variants whose names differ only in underscores.

use nitro::code_variant;

#[code_variant(variants(merge, merge_, sort1, sort_1), default = merge)]
fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
