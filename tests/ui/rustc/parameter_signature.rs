//! A variant with parameters takes them first; one with constants has them last of its generics.

use nitro::code_variant;

fn plain(_: usize) {}

fn without(_: usize) {}

fn no_constant(_: usize) {}

fn with(_: work::With, _: usize) {}

#[code_variant(
    variants(
        plain,
        without { block in [1, 2] },
        no_constant { const LANES in [4] },
        with { block: Unknown in [Unknown::A] },
    ),
    default = plain,
)]
fn work(rows: usize);

fn main() {
    work(1);
}
