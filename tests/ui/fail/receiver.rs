//! A method.

use nitro::code_variant;

struct Keys(Vec<u32>);

impl Keys {
    #[code_variant(variants(merge, radix), default = merge)]
    fn sort(&mut self);

    #[code_variant(variants(merge), default = merge)]
    pub fn merged(&self, first: usize, keys: &[u32]) -> Result<u32, String>;
}

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {}
