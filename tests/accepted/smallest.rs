//! The least one can write.

use nitro::code_variant;

#[code_variant(variants(only), default = only)]
fn work();

fn only() {}

#[test]
fn the_least_is_called() {
    work();
}
