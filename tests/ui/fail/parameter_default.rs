//! The default of a tuning parameter is one of its values.

use nitro::code_variant;

fn tiled(_: work::Tiled) {}

#[code_variant(
    variants(tiled {
        block: u32 in pow2(32..=1024) = 48,
        unroll in 1..=100 = 0,
        step in (0..=8).step_by(4) = 1,
        none in [1] = ,
        staged: bool = 1,
        alpha: f64 in [0.5, 1.0] = 1,
    }),
    default = tiled,
)]
fn work();

fn main() {
    work();
}
