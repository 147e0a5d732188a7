//! Options that take an expression.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, device)]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, device(host))]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, model =)]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, model = include_bytes)]
fn sort_4(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
