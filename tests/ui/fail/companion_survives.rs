//! After a mistake, code that uses the function and its module has no errors of its own.

use nitro::code_variant;

#[code_variant(variants(merge, radix), default = merge, nmae = "sort")]
fn sort(keys: &mut [u32]);

#[code_variant(variants(merge, radix), default = quick)]
pub fn again<T: Ord>(keys: &mut [T]) -> Option<&T>;

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}

fn main() {
    let mut keys = [3, 1, 2];
    sort(&mut keys);
    sort::call(sort::Variant::Radix, &mut keys);
    let selection: nitro::Selection<sort::Variant> = sort::select(&mut keys);
    let parsed: Result<sort::Variant, nitro::UnknownVariant> = "merge".parse();
    println!("{selection} {parsed:?} {} {:?}", sort::function().name(), sort::Variant::ALL);
    let first: Option<&u32> = again::call(again::Variant::Merge, &mut keys);
    println!("{first:?} {:?}", again::<u8>(&mut []));
}
