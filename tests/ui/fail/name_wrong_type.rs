//! The name is a string literal.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, name = 3)]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name = sort)]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name("sort"))]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name)]
fn sort_4(keys: &mut [u32]);

#[code_variant(name, variants(merge, radix), default = merge)]
fn sort_5(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name =)]
fn sort_6(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, name = concat!("a"))]
fn sort_7(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
