//! Function, `call` and `select` of an unsafe function are unsafe.

use nitro::code_variant;

#[code_variant(variants(merge), default = merge)]
unsafe fn sort(keys: *mut u32);

unsafe fn merge(_: *mut u32) {}

fn main() {
    let keys = std::ptr::null_mut();
    sort(keys);
    sort::call(sort::Variant::Merge, keys);
    sort::select(keys);
}
