//! Variants of an `async fn` that are none, or other ones.

use nitro::code_variant;

#[code_variant(variants(merge, radix, heap), default = merge)]
async fn sort(keys: &mut [u32]) -> usize;

async fn merge(keys: &mut [u32]) -> usize {
    keys.len()
}

fn radix(keys: &mut [u32]) -> usize {
    keys.len()
}

async fn heap(_: Vec<u32>) -> usize {
    0
}

fn main() {}
