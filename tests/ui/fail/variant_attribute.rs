//! Attributes other than `#[cfg]` on a variant.

use nitro::code_variant;

#[code_variant(variants(merge, #[inline] radix), default = merge)]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, #[cfg_attr(test, cfg(test))] radix), default = merge)]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, /// Fast.
 radix), default = merge)]
fn sort_3(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
