//! A variant with tuning parameters: what its choices are called, which are possible, and what a call passes on.

mod macro_support;

use std::sync::OnceLock;

use macro_support::constant;
use nitro::{CodeChoice, Configuration, ParameterKind, Reason, code_variant};

/// In which order a matrix is walked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// Row by row.
    Row,
    /// Column by column.
    Column,
}

fn plain(rows: usize) -> String {
    format!("plain {rows}")
}

fn tiled<const LANES: usize>(p: walk::Tiled, rows: usize) -> String {
    assert_eq!(p.LANES, LANES);
    format!("tiled {rows} {} {} {LANES} {} {:?}", p.block, p.unroll, p.staged, p.order)
}

/// Says what it was called with.
#[code_variant(
    name = "walk",
    features(height = rows),
    variants(
        plain,
        tiled {
            block: u32 in pow2(32..=1024) = 256,
            unroll in [1, 2, 4, 8],
            const LANES in [4, 8],
            staged: bool,
            order: Order in [Order::Row, Order::Column],
        } if block as usize * unroll <= 1024 && height >= block as usize,
    ),
    default = plain,
    model = model(),
)]
pub fn walk(rows: usize) -> String;

fn model() -> &'static [u8] {
    static MODEL: OnceLock<Vec<u8>> = OnceLock::new();
    let best = "tiled{block=512,unroll=2,LANES=8,staged=true,order=Column}";
    MODEL.get_or_init(|| constant("walk", &["plain", best], best))
}

#[test]
fn a_learned_configuration_is_called() {
    assert_eq!(walk(1000), "tiled 1000 512 2 8 true Column");
    let selection = walk::select(1000);
    assert_eq!((selection.variant(), selection.reason()), (walk::Variant::Tiled, Reason::Predicted));
    let expected = walk::Tiled { block: 512, unroll: 2, LANES: 8, staged: true, order: Order::Column };
    assert_eq!(selection.choice(), walk::Choice::Tiled(expected));
    let text = "tiled{block=512,unroll=2,LANES=8,staged=true,order=Column}";
    assert_eq!(selection.choice().to_string(), text);
    assert!(selection.to_string().starts_with(text), "{selection}");
}

#[test]
fn what_the_constraint_forbids_of_a_configuration_does_not_run() {
    assert_eq!(walk(511), "plain 511");
    assert_eq!(walk::select(511).reason(), Reason::FirstChoiceInadmissible { first: "tiled" });
    assert_eq!((walk(512), walk(511)), ("tiled 512 512 2 8 true Column".to_owned(), "plain 511".to_owned()));
}

#[test]
fn a_given_choice_is_called_whatever_its_constraint_says() {
    let tiled = walk::Tiled { block: 64, unroll: 4, LANES: 4, staged: false, order: Order::Row };
    assert_eq!(walk::call(walk::Choice::Tiled(tiled), 1), "tiled 1 64 4 4 false Row");
    assert_eq!(walk::call(walk::Variant::Tiled, 1), "tiled 1 256 1 4 false Row", "the defaults");
    assert_eq!(walk::call(walk::Choice::Plain, 1), "plain 1");
    assert_eq!(walk::Choice::from(walk::Variant::Tiled), walk::Choice::Tiled(walk::Tiled::default()));
}

#[test]
fn what_a_constraint_says_of_parameters_and_of_the_input_is_admissible_together() {
    let tiled = |block, unroll| walk::Choice::Tiled(walk::Tiled { block, unroll, ..walk::Tiled::default() });
    assert!(walk::admissible(tiled(512, 2), 512));
    assert!(!walk::admissible(tiled(512, 2), 511), "the input is too small");
    assert!(!walk::admissible(tiled(512, 4), 512), "the configuration is forbidden");
    assert!(walk::admissible(walk::Variant::Plain, 0) && walk::admissible(walk::Choice::Plain, 0));
    assert!(!walk::admissible(walk::Variant::Tiled, 255) && walk::admissible(walk::Variant::Tiled, 256));
    let only_parameters = |tile| of_parameters::Choice::Chunked(of_parameters::Chunked { tile });
    assert!(of_parameters::admissible(only_parameters(4), 1));
    assert!(!of_parameters::admissible(only_parameters(16), 1));
}

fn chunked(_: of_parameters::Chunked, n: usize) -> usize {
    n
}

fn whole(n: usize) -> usize {
    n
}

#[allow(dead_code, reason = "it is asked what it would run, and never called")]
#[code_variant(variants(whole, chunked { tile: u32 in [4, 16] } if tile < 8), default = whole)]
fn of_parameters(n: usize) -> usize;

#[test]
#[should_panic(expected = "no instance of `tiled` is compiled")]
fn an_instance_that_is_not_compiled_is_no_other() {
    walk::call(walk::Choice::Tiled(walk::Tiled { LANES: 5, ..walk::Tiled::default() }), 1);
}

#[test]
fn choices_are_read_and_written() {
    let text = "tiled{block=64,unroll=4,LANES=8,staged=true,order=Row}";
    let choice: walk::Choice = text.parse().unwrap();
    assert_eq!((choice.to_string().as_str(), choice.variant()), (text, walk::Variant::Tiled));
    assert_eq!("plain".parse(), Ok(walk::Choice::Plain));
    assert_eq!("tiled".parse(), Ok(walk::Choice::from(walk::Variant::Tiled)));
    for (text, why) in [
        ("tile", "its variants are `plain`, `tiled`"),
        ("tiled{block=64}", "`unroll` has no value"),
        ("tiled{block=65,unroll=4,LANES=8,staged=true,order=Row}", "`block` cannot be `65`"),
        (
            "tiled{block=1024,unroll=2,LANES=8,staged=true,order=Row}",
            "its constraint forbids this configuration",
        ),
        ("plain{block=64}", "there is no parameter `block`"),
        ("tiled{block=64", "the closing `}` is missing"),
    ] {
        let error = text.parse::<walk::Choice>().unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn what_names_parameters_alone_is_known_without_an_input() {
    let function = walk::function();
    let tiled = &function.variants()[1];
    assert_eq!(tiled.parameters().configurations(), 6 * 4 * 2 * 2 * 2);
    // Blocks of 256 unroll four times at most, of 512 twice, of 1024 once.
    assert_eq!(tiled.configurations().count(), (3 * 4 + 3 + 2 + 1) * 8);
    let kinds: Vec<_> = tiled.parameters().list().iter().map(|own| (own.name(), own.kind())).collect();
    assert_eq!(
        kinds,
        [
            ("block", ParameterKind::Number),
            ("unroll", ParameterKind::Number),
            ("LANES", ParameterKind::Number),
            ("staged", ParameterKind::Bool),
            ("order", ParameterKind::Category),
        ]
    );
    let all: Vec<_> = (0..192).map(|rank| tiled.parameters().text(Configuration::of_rank(rank))).collect();
    for (rank, text) in all.iter().enumerate() {
        let typed = walk::Tiled::from(Configuration::of_rank(rank as u64));
        assert_eq!(typed.to_string(), *text, "the typed values are those of the text");
    }
}

#[test]
fn a_constraint_over_features_knows_the_configuration() {
    let function = walk::function();
    let constraint = function.variants()[1].constraint().expect("it has one");
    let admits = |rows, choice: &str| {
        constraint.admits(&[rows], function.choice(choice).expect("a choice").configuration)
    };
    let small = "tiled{block=64,unroll=1,LANES=4,staged=false,order=Row}";
    assert_eq!((admits(None, small), admits(Some(64.0), small)), (None, Some(true)));
    let large = "tiled{block=128,unroll=1,LANES=4,staged=false,order=Row}";
    assert_eq!(admits(Some(64.0), large), Some(false));
}

fn blocked<const LANES: usize, const UNROLL: usize>(values: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    for block in values.chunks(LANES * UNROLL).flat_map(|block| block.chunks(LANES)) {
        sums.iter_mut().zip(block).for_each(|(sum, value)| *sum += value);
    }
    sums.iter().sum()
}

/// A default variant with a constant parameter alone, which takes nothing but the arguments.
#[code_variant(name = "blocked_sum", variants(blocked { const LANES in pow2(1..=16) = 8, const UNROLL in 1..=2 = 2 }), default = blocked)]
fn sum(values: &[f32]) -> f32;

#[test]
fn a_variant_of_constants_is_the_function_itself() {
    let values = [0.5; 37];
    assert_eq!(sum(&values), 18.5);
    let all: Vec<_> = sum::function().variants()[0].configurations().collect();
    assert_eq!(all.len(), 10);
    for configuration in all {
        assert_eq!(sum::call(sum::Choice::Blocked(configuration.into()), &values), 18.5);
    }
    assert_eq!(sum::select(&values).choice().to_string(), "blocked{LANES=8,UNROLL=2}");
}

fn scaled<T: Copy + Into<f64>, const N: usize>(p: scale::Scaled, value: T) -> f64 {
    value.into() * p.factor * N as f64
}

/// A generic function, and numbers that are no integers.
#[code_variant(
    name = "scale",
    variants(scaled { factor: f64 in [0.5, 2.0] = 2.0, const N in [1, 3] = 3 }),
    default = scaled,
)]
fn scale<T: Copy + Into<f64>>(value: T) -> f64;

#[test]
fn generics_of_the_function_stand_before_the_constants() {
    assert_eq!((scale(2.0_f32), scale(2_u8)), (12.0, 12.0));
    assert_eq!(scale::call(scale::Choice::Scaled(scale::Scaled { factor: 0.5, N: 1 }), 2_i32), 1.0);
}

fn counted(p: count::Counted) -> u64 {
    p.step
}

/// Only what names parameters may be asked of a default.
#[code_variant(
    name = "count",
    variants(counted { step: u64 in (0..=9).step_by(3) = 6, deep: bool } if step > 0 || !deep),
    default = counted,
)]
fn count() -> u64;

#[test]
fn a_default_may_say_which_of_its_configurations_are_possible() {
    assert_eq!(count(), 6);
    let texts = count::function().variants()[0].parameters();
    let possible: Vec<_> =
        count::function().variants()[0].configurations().map(|own| texts.text(own)).collect();
    assert_eq!(possible.len(), 7);
    assert!(!possible.contains(&"step=0,deep=true".to_owned()));
}
