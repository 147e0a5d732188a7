//! What rustc says of clones: of a function that is not inlined into them, and of features that there are not.

use nitro::code_variant;

mod kernels {
    #[nitro::cloneable]
    pub(super) fn with(_: &[f32]) {}

    pub(super) fn without(_: &[f32]) {}
}
use kernels::with as imported;

#[code_variant(
    variants(
        plain,
        kernels::with targets("x86_64+avx2"),
        kernels::without targets("x86_64+avx2"),
        imported targets("x86_64+avx2"),
        plain_2 targets("x86_64+avx3"),
    ),
    default = plain,
)]
fn dot(values: &[f32]);

fn plain(_: &[f32]) {}

#[nitro::cloneable]
fn plain_2(_: &[f32]) {}

fn main() {}
