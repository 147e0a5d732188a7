//! Names that features cannot have.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, features(length = 1, length = 2))]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(type = 1))]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(r#type = 1))]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(_ = 1))]
fn sort_4(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(__nitro_length = 1))]
fn sort_5(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(self = 1))]
fn sort_6(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
