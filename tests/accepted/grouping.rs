//! What a macro of the user's hands on (`$limit:expr`, `$key:ty`, ..) is one operand wherever it stands, in what
//! runs and in what is shown.

use nitro::{Configuration, Function, code_variant};

fn text(function: &Function, variant: usize) -> String {
    function.variants()[variant].constraint().expect("it has one").text().replace(' ', "")
}

/// What a constraint says of a value of the only feature, where only that is known.
fn admits(function: &Function, variant: usize, value: f64) -> Option<bool> {
    function.variants()[variant].constraint()?.admits(&[Some(value)], Configuration::default())
}

fn one(_: i64) -> u32 {
    1
}
fn two(_: i64) -> u32 {
    2
}

/// Functions of one feature `x` whose second variant has a constraint, with the values that it admits.
macro_rules! constrained {
    ($size:ident; $($name:ident: $condition:expr;)*) => {$(
        #[code_variant(features(x = $size), variants(one, two if $condition), default = one)]
        fn $name($size: i64) -> u32;
    )*};
}

macro_rules! operands {
    ($sum:expr, $never:expr, $negative:expr, $literal:literal, $chain:expr, $cast:expr, $type:ty, $reference:expr) => {
        constrained! { size;
            product: size > $sum * 2;
            difference: size > 20 - $sum;
            negated: !$never;
            conjunction: size > 0 && $never;
            minus: size > -$sum;
            method: size > $negative.pow(2);
            literal: size > $literal.pow(2);
            cast_sum: size as f64 > $sum as f64 * 1.5;
            of_a_cast: $cast.max(2) < 3 && size > 1;
            compared_cast: size as $type < 3;
            dereferenced: size > *$reference;
            referenced: $reference.abs() == 4;
            in_a_macro: matches!(size, 9 | 10 if size > $sum * 2);
            of_a_block: size > { $sum } * 2;
        }
        #[code_variant(features(x = size), variants(one, two if x > $sum * 2), default = one)]
        fn shown(size: i64) -> u32;
        #[code_variant(features(x = size), variants(one, two if $chain == true && true == $chain), default = one)]
        fn compared(size: i64) -> u32;
        #[code_variant(features(x = size), variants(one, two if !$never), default = one)]
        fn shown_negated(size: i64) -> u32;
        #[code_variant(features(x = size), variants(one, two if x * -$sum < -8 && (x as f64) < $sum as f64 * 2.5),
            default = one)]
        fn shown_sums(size: i64) -> u32;
        #[code_variant(
            features(
                product = $sum * size, power = $negative.pow(2), real = $sum as f64 / 2.0, not = !$never,
                counted = [size; $sum * 2].len(), ranged = (0..$sum * 2).len(), chosen = match size { 0 => 1, _ => 2 } * 3,
                of_a_macro = usize::from(matches!($sum * 2, 8)), maximum = <$type>::MAX, most = $type::MAX,
                block = { 1 } + 1,
            ),
            variants(
                one,
                two if (product, power, real, not, counted) == (12, 9, 2.0, true, 8)
                    && (ranged, chosen, of_a_macro, block) == (8, 6, 1, 2)
                    && (maximum, most) == (i64::MAX, i64::MAX),
            ),
            default = one,
        )]
        fn featured(size: i64) -> u32;
    };
}

/// Through a second macro, which wraps what it hands on once more.
macro_rules! outer {
    ($sum:expr, $never:expr, $negative:expr, $literal:literal, $chain:expr, $cast:expr, $type:ty, $reference:expr) => {
        operands!($sum, $never, $negative, $literal, $chain, $cast, $type, $reference);
    };
}

const FOUR: i64 = 4;

outer!(3 + 1, 1 > 2 || 2 > 3, -3_i64, -3_i64, FOUR < 5, 1.5 as i64, i64, &FOUR);

/// The sizes from 0 to 19 for which the second variant is admissible.
macro_rules! admitted {
    ($name:ident) => {
        (0..20)
            .inspect(|&size| assert_eq!($name(size), 1, "without a model the default runs"))
            .filter(|&size| $name::admissible($name::Variant::Two, size))
            .collect::<Vec<i64>>()
    };
}

fn above(limit: i64) -> Vec<i64> {
    (limit + 1..20).collect()
}

#[test]
fn an_expression_of_a_macro_is_one_operand_in_what_runs() {
    assert_eq!(admitted!(product), above(8));
    assert_eq!(admitted!(difference), above(16));
    assert_eq!(admitted!(negated), above(-1));
    assert_eq!(admitted!(conjunction), [0_i64; 0]);
    assert_eq!(admitted!(minus), above(-1));
    assert_eq!(admitted!(method), above(9));
    assert_eq!(admitted!(literal), above(9));
    assert_eq!(admitted!(compared), above(-1));
    assert_eq!(admitted!(cast_sum), above(6));
    assert_eq!(admitted!(of_a_cast), above(1));
    assert_eq!(admitted!(compared_cast), [0, 1, 2]);
    assert_eq!(admitted!(dereferenced), above(4));
    assert_eq!(admitted!(referenced), above(-1));
    assert_eq!(admitted!(in_a_macro), [9, 10]);
    assert_eq!(admitted!(of_a_block), above(8));
    assert_eq!(admitted!(shown), above(8));
    assert_eq!(admitted!(shown_negated), above(-1));
    assert_eq!(admitted!(shown_sums), (3..10).collect::<Vec<_>>());
}

#[test]
fn it_is_one_in_what_is_shown_and_in_what_is_known_of_features() {
    assert_eq!(text(shown::function(), 1), "x>(3+1)*2");
    assert_eq!(text(shown_negated::function(), 1), "!(1>2||2>3)");
    assert_eq!(text(shown_sums::function(), 1), "x*-(3+1)<-8&&(xasf64)<(3+1)asf64*2.5");
    let known = |function, values: [f64; 2]| values.map(|value| admits(function, 1, value));
    assert_eq!(known(shown::function(), [8.0, 9.0]), [Some(false), Some(true)]);
    assert_eq!(known(shown_sums::function(), [2.0, 3.0]), [Some(false), Some(true)]);
    assert_eq!(known(shown_sums::function(), [9.0, 10.0]), [Some(true), Some(false)]);
}

#[test]
fn it_is_one_in_features() {
    assert_eq!(admitted!(featured), [3], "of others `product` is not 12");
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Order {
    Row,
    Column,
}

mod tuned {
    pub fn plain(parameters: super::work::Plain, size: i64) -> i64 {
        parameters.tile + size
    }
    pub fn swept<const LANES: u32>(_: super::work::Swept, _: i64) -> i64 {
        i64::from(LANES)
    }
}

macro_rules! parameters {
    ($block:ident, $wide:ident, $plain:path, $name:ident, $from:expr, $last:literal, $list:expr, $range:expr, $lanes:expr, $type:ty, $either:expr) => {
        #[code_variant(
            variants(
                $plain { tile: $type in $list = $last, other: i8 in [$from, 7], order: Order in [$name::Row, $name::Column] },
                tuned::swept {
                    const LANES: u32 in [$lanes, 8], $block in pow2($range) = 16, count in $range, $wide: $type in $from..=$last,
                    step in ($range).step_by(4),
                } if size > 3 && $block <= $lanes * 8 && ($either || $block == LANES as usize),
            ),
            default = plain,
        )]
        pub fn work(size: i64) -> i64;
    };
}

parameters!(block, wide, tuned::plain, Order, -2, -1, [-2, -1], 8..=32, 4, i64, block < 16 || wide < -1);

#[test]
fn parameters_are_read_through_a_macro() {
    let of = |variant: usize| {
        let parameters = work::function().variants()[variant].parameters();
        parameters.list().iter().map(|own| own.values().join(",")).collect::<Vec<_>>()
    };
    assert_eq!(of(0), ["-2,-1", "-2,7", "Row,Column"]);
    let counted: Vec<_> = (8..=32).map(|count| count.to_string()).collect();
    let stepped: Vec<_> = (8..=32).step_by(4).map(|count| count.to_string()).collect();
    assert_eq!(of(1), ["4,8", "8,16,32", &counted.join(","), "-2,-1", &stepped.join(",")]);
    assert_eq!(work(1), 0, "the default is -1");
    // Blocks of 32 are below `4 * 8`, and of the other two parts one has to hold.
    let swept = work::Swept { LANES: 4, block: 16, count: 8, wide: -1, step: 8 };
    let is_admissible = |swept| work::admissible(work::Choice::Swept(swept), 4);
    assert!(!is_admissible(swept) && is_admissible(work::Swept { block: 8, ..swept }));
    assert!(is_admissible(work::Swept { wide: -2, ..swept }));
}

trait Key: Ord {}
impl<T: Ord> Key for T {}

fn of_bounds(key: &(dyn std::fmt::Debug + Send), _: Option<&u8>) -> String {
    format!("{key:?}")
}
fn first<T: Key, const N: usize>(keys: [T; N]) -> usize {
    keys.len()
}

macro_rules! types {
    ($object:ty, $slice:ty, $extent:expr, $key:path, $name:literal, $meta:meta, $visibility:vis, $life:lifetime) => {
        #[$meta]
        #[code_variant(name = $name, variants(of_bounds), default = of_bounds)]
        $visibility fn shown_object<$life>(key: &$life $object, other: Option<$slice>) -> String;
        #[code_variant(variants(first), default = first)]
        $visibility fn sized<T: $key>(keys: [T; $extent * 2]) -> usize
        where
            T: $key;
    };
}

types!(dyn std::fmt::Debug + Send, &u8, 1 + 1, Key, "an-object", doc = "With a name.", pub(crate), 'k);

#[test]
fn types_names_and_attributes_are_read_through_a_macro() {
    assert_eq!(shown_object(&1, None), "1");
    assert_eq!(shown_object::function().name(), "an-object");
    assert_eq!(sized([1, 2, 3, 4]), 4);
}

mod devices {
    use nitro::host::{Host, current};
    pub static HOSTS: [fn() -> Host; 2] = [current, current];
}

// rustfmt indents this attribute anew each time that it runs.
#[rustfmt::skip]
macro_rules! options {
    ($default:expr, $index:expr, $bytes:expr, $error:expr, $tolerance:expr, $prepare:expr, $crate_path:path) => {
        #[code_variant(
            crate = $crate_path,
            device = devices::HOSTS[$index % 2](),
            variants(one, two),
            default = $default,
            model = $bytes.split_at(0).0,
            approximate(two = $error * 2.0),
            tolerance = $tolerance / 2.0,
            prepare = $prepare,
        )]
        fn with_options(size: i64) -> u32;
    };
}

static EMPTY: [u8; 0] = [];

options!(one, 1 + 2, &EMPTY, 0.25 + 0.25, 2.0 + 0.2, |_| Ok::<_, std::fmt::Error>(()), ::nitro);

#[test]
fn options_are_read_through_a_macro() {
    assert_eq!(with_options(1), 1);
    assert!(
        with_options::admissible(with_options::Variant::Two, 1),
        "1.1 is above 1.0, and 2.1 would be too"
    );
    assert_eq!(with_options::function().variants()[1].approximation().map(|(error, _)| error), Some(1.0));
    assert_eq!(text(with_options::function(), 1), "tolerance>=(0.25+0.25)*2.0");
}
