//! The list of variants.

use nitro::code_variant;

#[code_variant(variants = [merge, radix], default = merge)]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants[merge, radix], default = merge)]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants { merge, radix }, default = merge)]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants, default = merge)]
fn sort_4(keys: &mut [u32]);

#[code_variant(variants: merge, default = merge)]
fn sort_5(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
