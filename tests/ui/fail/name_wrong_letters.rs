//! The name has a place in stores, in NITRO_FORCE, and among files.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, name = "")]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name = "a=b")]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name = "a,b")]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name = "two words")]
fn sort_4(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name = "../../sort")]
fn sort_5(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name = "app::::sort")]
fn sort_6(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name = "sort\u{1b}[31m")]
fn sort_7(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
