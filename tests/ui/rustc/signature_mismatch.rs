//! A variant whose signature differs: the error is at its path and names it.

use nitro::code_variant;

#[code_variant(variants(right, other_argument, other_result, more_arguments, needs_unsafe, shorter_life), default = right)]
fn sort<'a>(keys: &'a [u32], scratch: &mut [u32]) -> &'a u32;

fn right<'a>(keys: &'a [u32], _: &mut [u32]) -> &'a u32 {
    &keys[0]
}
fn other_argument<'a>(_: &'a [u64], _: &mut [u32]) -> &'a u32 {
    &0
}
fn other_result<'a>(keys: &'a [u32], _: &mut [u32]) -> Option<&'a u32> {
    keys.first()
}
fn more_arguments<'a>(keys: &'a [u32], _: &mut [u32], _: bool) -> &'a u32 {
    &keys[0]
}
unsafe fn needs_unsafe<'a>(keys: &'a [u32], _: &mut [u32]) -> &'a u32 {
    &keys[0]
}
fn shorter_life<'a>(_: &[u32], scratch: &'a mut [u32]) -> &'a u32 {
    &scratch[0]
}

fn main() {}
