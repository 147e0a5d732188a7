//! What `#[code_variants]` stands on.

use nitro::code_variants;

#[code_variants]
struct Keys;

#[code_variants]
fn sort(_: &mut [u32]) {}

#[code_variants(variants(merge), default = merge)]
impl Keys {
    #[code_variant(variants(merge), default = merge)]
    fn sort(&mut self);

    fn merge(&mut self) {}
}

#[code_variants]
impl Keys {
    fn nothing_to_choose(&self) {}
}

trait Sort {
    fn sort(self);
}

#[code_variants]
impl<T> Sort for (T, T) {
    #[code_variant(variants(merge), default = merge)]
    fn sort(self);
}

fn merge<T>(_: T) {}

fn main() {}
