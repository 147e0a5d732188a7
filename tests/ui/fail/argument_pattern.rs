//! Arguments without a plain name.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
fn sort_1(mut keys: Vec<u32>);

#[code_variant(variants(merge, radix), default = merge)]
fn sort_2(_: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge)]
fn sort_3((keys, limit): (&mut [u32], u32));

#[code_variant(variants(merge, radix), default = merge)]
fn sort_4(ref keys: Vec<u32>, [first, _]: [u32; 2]);

#[code_variant(variants(merge, radix), default = merge)]
fn sort_5(__nitro_variant: u32);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
