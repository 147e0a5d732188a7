//! A function with variants stands at module level, and in no `impl` block.

use nitro::code_variant;

struct Keys;

impl Keys {
    #[code_variant(variants(stable), default = stable)]
    fn sort(keys: &mut [u32]);
}

fn stable(_: &mut [u32]) {}

fn main() {
    Keys::sort(&mut []);
}
