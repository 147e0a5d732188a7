//! Options that must be there.

use nitro::code_variant;

#[code_variant]
fn sort_1(keys: &mut [u32]);

#[code_variant()]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge))]
fn sort_3(keys: &mut [u32]);

#[code_variant(default = merge)]
fn sort_4(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
