//! Attributes of the function that cannot mean here what they mean elsewhere.

use nitro::code_variant;

#[track_caller]
#[code_variant(variants(here), default = here)]
fn line() -> u32;

#[code_variant(variants(here), default = here)]
#[cfg_attr(all(), doc(hidden), cfg_attr(all(), track_caller))]
fn line_again() -> u32;

#[target_feature(enable = "avx2")]
#[code_variant(variants(here), default = here)]
fn wide() -> u32;

fn here() -> u32 {
    1
}

fn main() {
    assert_eq!(line() + line_again(), 2);
}
