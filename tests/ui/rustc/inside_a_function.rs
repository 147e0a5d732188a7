//! A function with variants stands at module level.

use nitro::code_variant;

fn stable(_: &mut [u32]) {}

fn main() {
    #[code_variant(variants(stable), default = stable)]
    fn sort(keys: &mut [u32]);

    sort(&mut []);
}
