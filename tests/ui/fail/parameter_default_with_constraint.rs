//! The default variant may say which of its configurations are possible, and nothing about inputs.

use nitro::code_variant;

fn tiled(_: work::Tiled, _: usize) {}

#[code_variant(
    variants(tiled { block in [1, 2], unroll in [1, 2] } if block * unroll < 4 && rows > block),
    default = tiled,
)]
fn work(rows: usize);

fn main() {
    work(1);
}
