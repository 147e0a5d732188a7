//! `impl Trait` in arguments that no generic parameter can stand for.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
fn sort_1(keys: impl Iterator<Item = impl Ord>);

#[code_variant(variants(merge, radix), default = merge)]
fn sort_2(keys: &dyn Fn(impl Copy));

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
