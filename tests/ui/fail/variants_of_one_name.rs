//! Two variants of one name.

use nitro::code_variant;

#[code_variant(variants(merge, sorts::merge), default = merge)]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(#[cfg(test)] radix, #[cfg(not(test))] sorts::radix, merge), default = merge)]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, r#merge), default = merge)]
fn sort_3(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
