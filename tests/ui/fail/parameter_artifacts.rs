//! Generated code is the only parameter of its variant, which is not the default; nothing else is to be said of it.

use nitro::code_variant;

fn plain() {}

fn found(_: work::Found) {}

#[code_variant(
    variants(plain, found { kernel in artifacts, block in [32, 64] }),
    default = plain,
)]
fn work();

#[code_variant(
    variants(plain, found { block in [32, 64], kernel in artifacts, other in artifacts }),
    default = plain,
)]
fn beside();

#[code_variant(
    variants(
        plain,
        typed { kernel: u64 in artifacts },
        defaulted { kernel in artifacts = none },
        constant { const KERNEL in artifacts },
        listed { kernel in [artifacts] },
    ),
    default = plain,
)]
fn said();

#[code_variant(variants(plain, found { kernel in artifacts }), default = found)]
fn by_default();

fn main() {
    work();
}
