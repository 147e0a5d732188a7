//! A function without variants has no choice to hold.

use nitro::code_variant;

fn plain(_: &[u8]) {}

#[code_variant(variants(plain), default = plain, nested(plain))]
fn without_variants(bytes: &[u8]);

fn main() {}
