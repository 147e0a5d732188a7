//! Items without variants.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge)]
struct Sort;

#[code_variant(variants(merge, radix), default = merge)]
pub trait Sorting {
    fn sort(&mut self);
}

#[code_variant(variants(merge, radix), default = merge)]
impl Sort {}

#[code_variant(variants(merge, radix), default = merge)]
mod sorts {}

#[code_variant(variants(merge, radix), default = merge)]
const SORT: fn(&mut [u32]) = merge;

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
