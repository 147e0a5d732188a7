//! One feature.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, features(keys.len()))]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(length))]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(length: keys.len()))]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(length = ))]
fn sort_4(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features("length" = keys.len()))]
fn sort_5(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(keys.length = keys.len()))]
fn sort_6(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(#[cfg(test)] length = keys.len()))]
fn sort_7(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(length = keys.len() first = keys[0]))]
fn sort_8(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(length = keys.len(),, first = keys[0]))]
fn sort_9(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge, features(length = keys.len() +))]
fn sort_10(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
