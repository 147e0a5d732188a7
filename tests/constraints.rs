//! What constraints say where only features are known, as `train explain` asks them.

use nitro::{Function, code_variant};

const LENGTH_LIMIT: usize = 100;
const WIDTH_LIMIT: u8 = 7;
static IS_WIDE_ALLOWED: bool = false;

mod limits {
    pub const FILL: f64 = 2.5;
    /// No number.
    pub const MODE: &str = "fast";
}

macro_rules! variants {
    ($($name:ident)*) => {$(fn $name(_: &[u32]) {})*};
}
variants!(always length width fill wide either neither ratio quotient argument part mode excluded arithmetic);

#[allow(dead_code, reason = "it is asked what it would run, and never called")]
#[code_variant(
    features(len = values.len(), fill = values.len() as f64 / 2.0, odd = values.len() % 2 == 1),
    variants(
        always,
        length if len <= LENGTH_LIMIT,
        width if len > WIDTH_LIMIT as usize,
        fill if fill <= limits::FILL,
        wide if IS_WIDE_ALLOWED || len == 1_0,
        either if odd || values[0] > 3,
        neither if !(odd || len >= 0x10),
        ratio if len as f64 / fill < 1.5,
        quotient if len / 2 < 3,
        argument if values.len() > 3,
        part if values.len() > 3 && !odd,
        mode if limits::MODE == "fast" && odd,
        excluded if odd && values.is_empty() || len < 5,
        arithmetic if -(fill * 2.0 - 1.0) + 4.0 > 0.0,
    ),
    default = always,
)]
fn constrained(values: &[u32]);

fn check(function: &'static Function, variant: &str, features: &[Option<f64>], expected: Option<bool>) {
    let found = function.variants().iter().find(|own| own.name() == variant).expect("there is one");
    let constraint = found.constraint().expect("it has one");
    assert_eq!(
        constraint.admits(features, nitro::Configuration::default()),
        expected,
        "{variant}, {constraint:?}: {features:?}"
    );
}

#[test]
fn what_features_and_constants_decide_is_decided() {
    // Length, fill, odd; and what each is when the length is one more.
    for (variant, admitted, forbidden) in [
        ("length", [100.0, 50.0, 0.0], [101.0, 50.5, 1.0]),
        ("width", [8.0, 4.0, 0.0], [7.0, 3.5, 1.0]),
        ("fill", [5.0, 2.5, 1.0], [6.0, 3.0, 0.0]),
        ("wide", [10.0, 5.0, 0.0], [11.0, 5.5, 1.0]),
        ("neither", [2.0, 1.0, 0.0], [3.0, 1.5, 1.0]),
        ("neither", [2.0, 1.0, 0.0], [16.0, 8.0, 0.0]),
        ("ratio", [2.0, 4.0, 0.0], [2.0, 1.0, 0.0]),
        ("arithmetic", [4.0, 2.0, 0.0], [5.0, 2.5, 1.0]),
    ] {
        check(constrained::function(), variant, &admitted.map(Some), Some(true));
        check(constrained::function(), variant, &forbidden.map(Some), Some(false));
    }
}

#[test]
fn one_part_may_decide_what_another_leaves_open() {
    let odd = |odd: f64| [Some(9.0), Some(4.5), Some(odd)];
    for (variant, odd_verdict, even_verdict) in [
        ("either", Some(true), None),
        ("part", Some(false), None),
        ("mode", None, Some(false)),
        ("excluded", None, Some(false)),
    ] {
        check(constrained::function(), variant, &odd(1.0), odd_verdict);
        check(constrained::function(), variant, &odd(0.0), even_verdict);
    }
    check(constrained::function(), "excluded", &[Some(4.0), None, None], Some(true));
}

#[test]
fn what_depends_on_arguments_or_unknown_features_is_not_decided() {
    let known = [Some(9.0), Some(4.5), Some(1.0)];
    check(constrained::function(), "argument", &known, None);
    // Integers are divided otherwise.
    check(constrained::function(), "quotient", &known, None);
    check(constrained::function(), "length", &[None; 3], None);
}

trait Key {
    const LIMIT: usize;
}

impl Key for u32 {
    const LIMIT: usize = 4;
}

fn whole<K: Key, const N: usize>(_: &[K; N]) {}
fn limited<K: Key, const N: usize>(_: &[K; N]) {}
fn counted<K: Key, const N: usize>(_: &[K; N]) {}
fn plain<K: Key, const N: usize>(_: &[K; N]) {}

#[code_variant(
    features(len = keys.len()),
    variants(whole, limited if len < K::LIMIT, counted if len == N, plain if len < LENGTH_LIMIT),
    default = whole,
)]
fn generic<K: Key, const N: usize>(keys: &[K; N]);

#[test]
fn what_depends_on_the_types_of_a_call_is_not_decided() {
    generic(&[1_u32]);
    check(generic::function(), "limited", &[Some(3.0)], None);
    check(generic::function(), "counted", &[Some(3.0)], None);
    check(generic::function(), "plain", &[Some(3.0)], Some(true));
}
