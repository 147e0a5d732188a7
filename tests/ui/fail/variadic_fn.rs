//! A function that takes as many arguments as the caller likes.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
unsafe extern "C" fn sort(keys: &mut [u32], _: ...);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
