//! Groups of variants whose results are the same bits.

use nitro::code_variant;

#[code_variant(variants(exact(merge, exact(radix, quick))), default = merge)]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge, exact()), default = merge)]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(exact(merge, radix), exact(radix, quick)), default = merge)]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge, exact(radix, quick) if keys.len() > 3), default = merge)]
fn sort_4(keys: &mut [u32]);

#[code_variant(variants(merge, #[cfg(unix)] exact(radix, quick)), default = merge)]
fn sort_5(keys: &mut [u32]);

#[code_variant(variants(exact[merge, radix]), default = merge)]
fn sort_6(keys: &mut [u32]);

#[code_variant(variants(exact(merge, radix) quick), default = merge)]
fn sort_7(keys: &mut [u32]);

#[code_variant(variants(exact(merge, radix()), quick), default = merge)]
fn sort_8(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}
fn quick(_: &mut [u32]) {}

fn main() {}
