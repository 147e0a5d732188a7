//! Target features that no clone can be compiled for.

use nitro::{cloneable, code_variant, code_variants};

#[code_variant(
    variants(
        plain,
        dot targets("avx2+fma", "x86_64", "x86_64+", "x86_64+AVX2", "riscv64+v", "x86_64 + avx2"),
    ),
    default = plain,
)]
fn wrong_text(a: &[f32]) -> f32;

#[code_variant(variants(plain targets, dot targets(), dot_2 targets(avx2)), default = plain)]
fn wrong_form(a: &[f32]) -> f32;

#[code_variant(
    variants(plain, dot targets("x86_64+avx2+fma", "x86_64+fma+avx2", "aarch64+neon"), dot_avx2 targets("x86_64+fma")),
    default = plain,
)]
fn twice(a: &[f32]) -> f32;

#[code_variant(variants(plain, dot targets("x86_64+avx2"), dot_avx2), default = plain)]
fn one_name(a: &[f32]) -> f32;

#[code_variant(
    variants(plain, dot targets("x86_64+avx2")),
    default = dot_avx2,
    approximate(dot_avx2 = 0.1),
    tolerance = 0.5,
)]
fn unknown(a: &[f32]) -> f32;

#[code_variant(variants(plain, found targets("x86_64+avx2") { kernel in artifacts }), default = plain)]
fn generated(a: &[f32]) -> f32;

#[code_variants]
trait Sum {
    #[code_variant(variants(in_order targets("x86_64+avx2")), default = in_order)]
    fn sum(&self) -> f32;

    fn in_order(&self) -> f32;
}

#[cloneable]
fn plain(_: &[f32]) -> f32 {
    0.0
}

#[cloneable(targets("x86_64+avx2"))]
fn dot(_: &[f32]) -> f32 {
    0.0
}

#[cloneable]
struct Dot;

#[cloneable]
async fn later(_: &[f32]) -> f32 {
    0.0
}

#[cloneable]
#[target_feature(enable = "avx2")]
fn dot_avx2(_: &[f32]) -> f32 {
    0.0
}

fn main() {}
