//! A feature that consumes an argument leaves nothing for the variant.

use nitro::code_variant;

#[code_variant(features(length = keys.into_iter().count()), variants(merge), default = merge)]
fn sort(keys: Vec<u32>);

fn merge(_: Vec<u32>) {}

fn main() {}
