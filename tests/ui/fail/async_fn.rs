//! `async fn` with clones.

use nitro::code_variant;

#[code_variant(variants(merge, radix targets("x86_64+avx2")), default = merge)]
async fn sort(keys: &mut [u32]);

async fn merge(_: &mut [u32]) {}
async fn radix(_: &mut [u32]) {}

fn main() {}
