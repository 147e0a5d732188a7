//! The values of a tuning parameter are finite, known to the macro, and of the parameter's type.

use nitro::code_variant;

const MOST: u32 = 1024;

pub enum Order {
    Row,
}

fn tiled(_: work::Tiled) {}

#[code_variant(
    variants(tiled {
        empty in 8..=4,
        nothing in [],
        no_power in pow2(5..=7),
        half_open in 1..8,
        constant in 1..=MOST,
        no_step in (1..=8).step_by(0),
        too_many in 1..=1025,
        twice in [1, 2, 1],
        fraction: usize in [1, 2.5],
        range: f64 in 0..=1,
        no_list: Order in Order::Row,
        no_path: Order in [0],
        unknown: Order,
        number,
        flag: bool in [0],
    }),
    default = tiled,
)]
fn work();

fn main() {
    let _ = MOST;
    let _ = Order::Row;
    work();
}
