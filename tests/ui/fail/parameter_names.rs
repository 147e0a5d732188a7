//! A tuning parameter has a name of its own.

use nitro::code_variant;

#[code_variant(
    features(length = values.len()),
    variants(
        plain,
        tiled { values in [1], length in [1], block in [1], block in [2], __nitro_x in [1], type in [1] },
        variant { block in [1] },
        choice { block in [1] },
    ),
    default = plain,
)]
fn work(values: &[u8]);

fn main() {
    work(&[]);
}
