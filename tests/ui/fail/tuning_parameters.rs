//! The grammar of tuning parameters is reserved.

use nitro::code_variant;

#[code_variant(features(length = keys.len()), variants(merge, tiled { block in pow2(64..=512), unroll in [1, 2, 4, 8] } if block * unroll <= 1024), default = merge)]
fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
