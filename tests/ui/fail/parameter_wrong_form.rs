//! How tuning parameters are written.

use nitro::code_variant;

#[code_variant(
    variants(
        plain,
        no_parameters {},
        attribute { #[cfg(unix)] block in [1] },
        no_values { block in },
        no_name { 4 },
        followed { block in [1] 2 },
        no_default { block in [1] = },
    ),
    default = plain,
)]
fn work();

fn main() {
    work();
}
