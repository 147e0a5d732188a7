//! Variants that are cloned for target features: a clone is chosen, forced and called as any other variant is, never
//! runs where the processor lacks what it needs, and has the variant's code in it.

#![cfg(target_arch = "x86_64")]

mod macro_support;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use nitro::{Reason, cloneable, code_variant, code_variants};

/// The place of the code that asks: another one wherever the code is compiled again.
#[inline(always)]
fn here() -> usize {
    let place;
    // SAFETY: it reads the instruction pointer.
    unsafe { std::arch::asm!("lea {}, [rip]", out(reg) place, options(nomem, nostack, preserves_flags)) };
    place
}

mod kernels {
    use super::{cloneable, here};

    #[cloneable]
    pub(super) fn dot<T: Copy + Into<f64>>(a: &[T], b: &[T]) -> (f64, usize) {
        let products = a.iter().zip(b).map(|(&a, &b)| a.into() * b.into());
        (products.sum(), here())
    }

    #[cloneable]
    #[inline]
    pub(super) unsafe fn in_blocks<T: Copy + Into<f64>, const LANES: usize>(
        p: super::dot::InBlocks,
        a: &[T],
        b: &[T],
    ) -> (f64, usize) {
        let blocks = a.chunks(p.block * LANES).zip(b.chunks(p.block * LANES));
        (blocks.map(|(a, b)| dot(a, b).0).sum(), here())
    }

    pub(super) fn plain<T: Copy + Into<f64>>(a: &[T], b: &[T]) -> (f64, usize) {
        dot(a, b)
    }
}

/// No processor of any machine has all of these.
#[code_variant(
    name = "dot",
    features(length = a.len()),
    variants(
        exact(
            kernels::plain,
            kernels::dot = was("product") targets(
                "x86_64+sse2+sse4.2",
                "x86_64+avx2+fma",
                "x86_64+sse4a+tbm+avx512vp2intersect",
                "aarch64+neon",
            ),
        ),
        kernels::in_blocks targets("x86_64+sse2") { block in [1, 4], const LANES in [2, 8] } if length >= block * LANES,
    ),
    default = plain,
    model = DOT.as_slice(),
)]
unsafe fn dot<T: Copy + Into<f64>>(a: &[T], b: &[T]) -> (f64, usize);

/// The first choice runs nowhere.
static DOT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let nowhere = "dot@sse4a+tbm+avx512vp2intersect";
    macro_support::threshold("dot", ["in_blocks@sse2{block=1,LANES=2}", nowhere], "length", 3.0)
});

const A: [f32; 4] = [1.0, 2.0, 3.0, 4.0];

fn call(choice: impl Into<dot::Choice>) -> (f64, usize) {
    // SAFETY: nothing is asked.
    unsafe { dot::call(choice, &A, &A) }
}

#[test]
fn clones_are_variants_of_their_own_on_their_architecture() {
    let names: Vec<_> = dot::function().variants().iter().map(|own| own.name()).collect();
    let expected = [
        "plain",
        "dot",
        "dot@sse2+sse4.2",
        "dot@avx2+fma",
        "dot@sse4a+tbm+avx512vp2intersect",
        "in_blocks",
        "in_blocks@sse2",
    ];
    assert_eq!(names, expected);
    assert_eq!("dot@avx2+fma".parse(), Ok(dot::Variant::DotAvx2Fma));
    assert_eq!(dot::Variant::DotSse2Sse4_2.to_string(), "dot@sse2+sse4.2");
    let function = dot::function();
    assert_eq!(function.variants()[3].former_names(), ["product@avx2+fma"]);
    assert_eq!(function.variants()[3].digest(), function.variants()[1].digest());
    let exact: Vec<bool> = function.default_choices().map(|own| function.is_exact(own)).collect();
    assert_eq!(exact, [true, true, true, true, true, false, false]);
    let text = "in_blocks@sse2{block=4,LANES=8}";
    assert_eq!(function.choice_text(function.choice(text).unwrap()), text);
    assert_eq!(text.parse::<dot::Choice>().unwrap().to_string(), text);
}

/// In one place a clone would be compiled as the program is.
#[test]
fn the_code_of_a_variant_is_in_each_clone() {
    let block = dot::InBlocks { block: 1, LANES: 2 };
    let choices = [
        dot::Variant::Dot.into(),
        dot::Variant::DotSse2Sse4_2.into(),
        dot::Choice::InBlocks(block),
        dot::Choice::InBlocksSse2(block),
    ];
    if !is_x86_feature_detected!("sse4.2") {
        return;
    }
    let found = choices.map(call);
    assert_eq!(found.map(|(sum, _)| sum), [30.0; 4]);
    let places: BTreeSet<usize> = found.into_iter().map(|(_, place)| place).collect();
    assert_eq!(places.len(), choices.len());
}

#[test]
fn what_the_processor_lacks_is_never_run() {
    let nowhere = dot::Variant::DotSse4aTbmAvx512vp2intersect;
    // SAFETY: nothing is asked.
    let (admits, selection) = unsafe { (dot::admissible(nowhere, &A, &A), dot::select(&A, &A)) };
    assert!(!admits && !dot::function().variants()[4].runs_here());
    let first = "dot@sse4a+tbm+avx512vp2intersect";
    assert_eq!(selection.reason(), Reason::FirstChoiceInadmissible { first });
    assert_eq!(selection.to_string().split(':').next(), Some("in_blocks@sse2{block=1,LANES=2}"));
    // SAFETY: nothing is asked.
    unsafe {
        assert_eq!(dot(&A, &A).0, 30.0);
        assert_eq!(dot(&A[..2], &A).0, 5.0);
    }
    assert_eq!(call(nowhere), call(dot::Variant::Dot), "the variant itself runs");
}

#[test]
fn what_the_processor_has_is_admitted_as_its_variant_is() {
    let block = dot::InBlocks { block: 4, LANES: 8 };
    let of_four = |choice: dot::Choice| {
        // SAFETY: nothing is asked.
        unsafe { dot::admissible(choice, &A, &A) }
    };
    assert!(!of_four(dot::Choice::InBlocksSse2(block)), "by the constraint");
    assert!(of_four(dot::Choice::InBlocksSse2(dot::InBlocks { block: 1, LANES: 2 })));
    let has_both = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    assert_eq!(of_four(dot::Variant::DotAvx2Fma.into()), has_both);
}

// --- methods ---

struct Numbers<'a, T>(&'a [T]);

#[code_variants]
impl<'a, T: Copy + Into<f64>> Numbers<'a, T> {
    /// A function of the block needs no attribute.
    #[code_variant(
        name = "numbers",
        features(length = self.0.len()),
        variants(in_order targets("x86_64+sse2"), self::squared targets("x86_64+sse2")),
        default = in_order,
        approximate(squared = 0.5),
        tolerance = tolerance,
        model = NUMBERS.as_slice(),
    )]
    fn sum<F: Fn(f64) -> f64>(&self, each: F, tolerance: f64) -> (f64, &'a [T], usize);

    #[inline]
    fn in_order<F: Fn(f64) -> f64>(&self, each: F, _: f64) -> (f64, &'a [T], usize) {
        (self.0.iter().map(|&own| each(own.into())).sum(), self.0, here())
    }
}

#[cloneable]
fn squared<'a, T: Copy + Into<f64>, F: Fn(f64) -> f64>(
    numbers: &Numbers<'a, T>,
    each: F,
    _: f64,
) -> (f64, &'a [T], usize) {
    (numbers.0.iter().map(|&own| each(own.into()).powi(2)).sum(), numbers.0, here())
}

static NUMBERS: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::constant("numbers", &["in_order", "squared@sse2"], "squared@sse2"));

/// A trait whose implementation has the clones.
trait Total {
    fn total(&self) -> (f64, usize);
    fn in_order(&self) -> (f64, usize);
}

#[code_variants]
impl<T: Copy + Into<f64>> Total for Numbers<'_, T> {
    #[code_variant(variants(in_order targets("x86_64+sse2")), default = in_order)]
    pub(crate) fn total(&self) -> (f64, usize);

    fn in_order(&self) -> (f64, usize) {
        (self.0.iter().map(|&own| own.into()).sum(), here())
    }
}

#[test]
fn an_implementation_of_a_trait_has_clones_of_its_methods() {
    let numbers = Numbers(&[1_u8, 2]);
    assert_eq!(numbers.total().0, 3.0);
    let [plain, clone] = [numbers_total::Variant::InOrder, numbers_total::Variant::InOrderSse2];
    let (plain, clone) = (numbers.total_call(plain), numbers.total_call(clone));
    assert!(plain.0 == clone.0 && plain.1 != clone.1, "{plain:?} {clone:?}");
}

#[test]
fn clones_of_methods_run_and_promise_what_their_variant_does() {
    let numbers = Numbers(&[1.0_f32, 2.0]);
    let each = |number: f64| number * 3.0;
    assert_eq!(numbers.sum(each, 0.5).0, 45.0);
    assert_eq!(numbers.sum(each, 0.4).0, 9.0, "no more is tolerated");
    assert_eq!(
        numbers.sum_select(each, 0.4).reason(),
        Reason::FirstChoiceNotTolerated { first: "squared@sse2" }
    );
    let places = numbers_sum::Variant::ALL.iter().map(|&own| numbers.sum_call(own, each, 0.0).2);
    assert_eq!(places.collect::<BTreeSet<_>>().len(), 4);
}
