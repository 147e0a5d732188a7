//! A constant parameter has a type that Rust has constants of, and every instance is compiled.

use nitro::code_variant;

fn tiled<const A: usize, const B: usize>() {}

#[code_variant(
    variants(
        tiled { const A in 1..=16, const B in 1..=17 },
        scaled { const FACTOR: f64 in [0.5] },
    ),
    default = tiled,
)]
fn work();

fn main() {
    work();
}
