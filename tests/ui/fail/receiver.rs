//! Methods whose block the macro does not see.

use nitro::code_variant;

struct Keys;

impl Keys {
    #[code_variant(variants(merge, radix), default = merge)]
    fn sort(&mut self);

    #[code_variant(variants(merge, radix), default = merge)]
    pub fn merged(&self, first: usize, keys: &[u32]) -> Result<u32, String>;
}

fn merge(_: &Keys) {}
fn radix(_: &Keys) {}

fn main() {}
