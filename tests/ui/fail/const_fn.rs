//! A `const fn`.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
const fn sort(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
