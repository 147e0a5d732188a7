//! An `async fn`.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
async fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
