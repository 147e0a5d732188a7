//! Attributes on arguments and generic parameters.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
fn sort_1(#[cfg(test)] keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = merge)]
fn sort_2<#[cfg(test)] T>(keys: &mut [T]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
