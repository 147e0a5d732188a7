//! The default is a name.

use nitro::code_variant;

#[code_variant(variants(merge), default = 1 + 1)]
fn sort_1(keys: &mut [u32]);

#[code_variant(variants(merge), default = "merge")]
fn sort_2(keys: &mut [u32]);

#[code_variant(variants(sorts::merge), default = sorts::merge)]
fn sort_3(keys: &mut [u32]);

#[code_variant(variants(merge), default(merge))]
fn sort_4(keys: &mut [u32]);

#[code_variant(variants(merge), default)]
fn sort_5(keys: &mut [u32]);

#[code_variant(default = , variants(merge))]
fn sort_6(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
