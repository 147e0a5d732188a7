//! An option given twice.

use nitro::code_variant;

#[code_variant(variants(merge), default = merge, variants(radix))]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, default = radix)]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name = "a", name = "b")]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(), features())]
fn sort_4(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
