//! All mistakes are reported by one run of the compiler.

use nitro::code_variant;

#[code_variant(
    features(length = keys.len(), length = 3, keys = 4, type = 5, bad),
    variants(merge if true, merge, #[inline] radix, tiled { block in [1] }, "quick"),
    default = bubble,
    name = 3,
    nmae = "sort",
)]
async fn sort(mut keys: &mut [u32], more: impl Copy);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
