//! After a mistake in the signature, code that uses the function has no errors of its own.

use nitro::code_variant;

#[code_variant(variants(merge), default = merge)]
fn sort(mut keys: Vec<u32>) -> Vec<u32>;

fn merge(keys: Vec<u32>) -> Vec<u32> {
    keys
}

fn main() {
    let sorted: Vec<u32> = sort(vec![2, 1]);
    println!("{sorted:?}");
}
