//! One variant.

use nitro::code_variant;

#[code_variant(variants(merge, radix()), default = merge)]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, "radix"), default = merge)]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(merge, radix if), default = merge)]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, radix = sorts::radix), default = merge)]
fn sort_4(keys: &mut [u32]);

#[code_variant(variants(merge, |keys| radix(keys)), default = merge)]
fn sort_5(keys: &mut [u32]);

#[code_variant(variants(merge, radix if keys.len() > 3 else merge), default = merge)]
fn sort_6(keys: &mut [u32]);

#[code_variant(variants(merge radix), default = merge)]
fn sort_7(keys: &mut [u32]);

#[code_variant(variants(merge, if keys.len() > 3 radix), default = merge)]
fn sort_8(keys: &mut [u32]);

#[code_variant(variants(merge, #[cfg(test)]), default = merge)]
fn sort_9(keys: &mut [u32]);

#[code_variant(variants(merge,, radix), default = merge)]
fn sort_10(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
