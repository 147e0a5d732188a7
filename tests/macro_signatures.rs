//! Every kind of signature that has variants: the chosen one gets the arguments and its result comes back.

mod macro_support;

use std::fmt::Display;
use std::sync::LazyLock;

use nitro::{Reason, code_variant};

// --- `&mut` arguments, no result ---

fn up(keys: &mut [u32]) {
    keys.sort_unstable();
}

fn down_and_reverse(keys: &mut [u32]) {
    keys.sort_unstable_by(|a, b| b.cmp(a));
    keys.reverse();
    LAST.set("down_and_reverse");
}

thread_local!(static LAST: std::cell::Cell<&'static str> = const { std::cell::Cell::new("") });

/// In place.
#[code_variant(
    name = "in_place",
    features(length = keys.len(), first = keys.first().copied().unwrap_or(0)),
    variants(up, down_and_reverse if first > 0),
    default = up,
    model = IN_PLACE.as_slice(),
)]
fn in_place(keys: &mut [u32]);

static IN_PLACE: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::constant("in_place", &["up", "down_and_reverse"], "down_and_reverse"));

#[test]
fn a_mutable_argument_is_read_by_features_and_changed_by_the_variant() {
    let mut keys = [3, 1, 2];
    assert_eq!(in_place::select(&mut keys).reason(), Reason::Predicted);
    assert_eq!(keys, [3, 1, 2], "a selection runs nothing");
    in_place(&mut keys);
    assert_eq!((keys, LAST.get()), ([1, 2, 3], "down_and_reverse"));
}

// --- generics ---

fn by_display<T, const N: usize>(items: &[T; N]) -> Vec<String>
where
    T: Display + PartialOrd,
{
    items.iter().map(|item| format!("display {item}")).collect()
}

fn by_length<T: Display + PartialOrd, const M: usize>(_: &[T; M]) -> Vec<String> {
    vec![format!("length {M}")]
}

/// Types and constants.
#[code_variant(
    name = "generic",
    features(count = N, ordered = items.windows(2).all(|pair| pair[0] <= pair[1])),
    variants(by_display, by_length if ordered),
    default = by_display,
    model = GENERIC.as_slice(),
)]
fn generic<T, const N: usize>(items: &[T; N]) -> Vec<String>
where
    T: Display + PartialOrd;

static GENERIC: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::threshold("generic", ["by_display", "by_length"], "count", 3.0));

#[test]
fn one_model_serves_all_types_of_a_generic_function() {
    assert_eq!(generic(&[1.5, 2.5, 3.5, 4.5]), ["length 4"]);
    assert_eq!(generic(&["b"]), ["display b"]);
    let unordered = generic::select(&['b', 'a', 'c', 'd']);
    assert_eq!(unordered.reason(), Reason::FirstChoiceInadmissible { first: "by_length" });
}

/// A type that only the caller knows.
trait Unit {
    const NAME: &'static str;
}
struct Metre;
impl Unit for Metre {
    const NAME: &'static str = "m";
}

fn short<U: Unit>(value: u32) -> String {
    format!("{value}{}", U::NAME)
}
fn long<U: Unit>(value: u32) -> String {
    format!("{value} in {}", U::NAME)
}

/// The type stands in neither arguments nor result.
#[code_variant(name = "unit", variants(short, long::<U>), default = long)]
fn unit<U: Unit>(value: u32) -> String;

#[test]
fn a_type_that_nothing_tells_is_passed_on() {
    assert_eq!(unit::<Metre>(3), "3 in m");
    assert_eq!(unit::call::<Metre>(unit::Variant::Short, 3), "3m");
    assert_eq!(unit::select::<Metre>(3).reason(), Reason::NoModel);
}

fn sum<I>(items: I) -> I::Item
where
    I: IntoIterator,
    I::Item: std::iter::Sum,
{
    items.into_iter().sum()
}

/// A projection in the result, and an argument that is moved.
#[code_variant(name = "total", variants(sum), default = sum)]
fn total<I>(items: I) -> I::Item
where
    I: IntoIterator,
    I::Item: std::iter::Sum;

#[test]
fn a_projection_in_the_signature_works() {
    assert_eq!(total(vec![1, 2, 3]), 6);
}

// --- lifetimes and borrowed results ---

fn first<'a>(text: &'a str, _: &str) -> Option<&'a str> {
    text.split(' ').next()
}
fn last<'t>(text: &'t str, _: &str) -> Option<&'t str> {
    text.rsplit(' ').next()
}

/// A named lifetime ties the result to one argument.
#[code_variant(
    name = "word",
    variants(first, last),
    default = last,
    model = WORD.as_slice(),
)]
fn word<'a>(text: &'a str, hint: &str) -> Option<&'a str>;

static WORD: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::constant("word", &["first", "last"], "first"));

fn identity(slot: &mut Vec<u32>) -> &mut u32 {
    slot.push(0);
    slot.last_mut().expect("just pushed")
}

/// An elided lifetime, through a mutable borrow.
#[code_variant(name = "slot", features(length = slot.len()), variants(identity), default = identity)]
fn push_slot(slot: &mut Vec<u32>) -> &mut u32;

#[test]
fn a_borrowed_result_outlives_the_call() {
    let text = String::from("alpha beta");
    let found = {
        let hint = String::from("gone before the result is used");
        word(&text, &hint)
    };
    assert_eq!(found, Some("alpha"));
    let mut values = vec![1];
    *push_slot(&mut values) = 5;
    assert_eq!(values, [1, 5]);
}

fn call_ref(operation: &dyn Fn(&str) -> usize, text: &str) -> usize {
    operation(text)
}

/// A bound over all lifetimes.
#[code_variant(name = "apply", variants(call_ref), default = call_ref)]
fn apply(operation: &dyn Fn(&str) -> usize, text: &str) -> usize;

#[test]
fn a_trait_object_over_all_lifetimes_works() {
    assert_eq!(apply(&|text| text.len(), "four"), 4);
}

// --- arguments by value ---

struct Ticket(Vec<u8>);

fn open(ticket: Ticket, tail: Vec<u8>) -> Vec<u8> {
    [ticket.0, tail].concat()
}

/// Features look at an argument before it is moved.
#[code_variant(
    name = "consume",
    features(length = ticket.0.len() + tail.len()),
    variants(open, reversed if length > 1),
    default = open,
    model = CONSUME.as_slice(),
)]
fn consume(ticket: Ticket, tail: Vec<u8>) -> Vec<u8>;

fn reversed(ticket: Ticket, mut tail: Vec<u8>) -> Vec<u8> {
    tail.extend(ticket.0);
    tail
}

static CONSUME: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::constant("consume", &["open", "reversed"], "reversed"));

#[test]
fn an_argument_by_value_is_moved_into_the_variant() {
    assert_eq!(consume(Ticket(vec![1]), vec![2]), [2, 1]);
    assert_eq!(consume(Ticket(vec![1]), vec![]), [1], "the constraint forbids `reversed`");
}

// --- unsafe ---

/// # Safety
/// `values` points to `count` values.
unsafe fn sum_by_pointer(values: *const u32, count: usize) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(values, count) }.iter().sum()
}

fn zero(_: *const u32, _: usize) -> u32 {
    0
}

/// A sum.
///
/// # Safety
/// `values` points to `count` values.
#[code_variant(
    name = "raw_sum",
    features(length = count),
    variants(sum_by_pointer if count > 0, zero),
    default = zero,
    model = RAW_SUM.as_slice(),
)]
unsafe fn raw_sum(values: *const u32, count: usize) -> u32;

static RAW_SUM: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::constant("raw_sum", &["sum_by_pointer", "zero"], "sum_by_pointer"));

#[test]
fn an_unsafe_function_has_safe_and_unsafe_variants() {
    let values = [1, 2, 3];
    // SAFETY: pointer and length are of one array; no pointer is read for a length of 0.
    unsafe {
        assert_eq!(raw_sum(values.as_ptr(), 3), 6);
        assert_eq!(raw_sum(std::ptr::null(), 0), 0);
        assert_eq!(raw_sum::call(raw_sum::Variant::Zero, values.as_ptr(), 3), 0);
        assert_eq!(raw_sum::select(values.as_ptr(), 3).reason(), Reason::Predicted);
    }
}

// --- names and places ---

fn plain(r#in: u32) -> u32 {
    r#in + 1
}

/// Raw identifiers, of the function, the argument and a variant.
#[code_variant(name = "type", variants(plain, r#match if r#in > 5), default = plain, model = TYPE.as_slice())]
fn r#type(r#in: u32) -> u32;

fn r#match(r#in: u32) -> u32 {
    r#in * 2
}

static TYPE: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::constant("type", &["plain", "match"], "match"));

#[test]
fn raw_identifiers_are_named_without_their_mark() {
    assert_eq!((r#type(1), r#type(6)), (2, 12));
    assert_eq!(r#type::Variant::Match.to_string(), "match");
}

struct Methods;
impl Methods {
    fn twice(value: u32) -> u32 {
        value * 2
    }
}
trait Thrice {
    fn thrice(value: u32) -> u32;
}
impl Thrice for Methods {
    fn thrice(value: u32) -> u32 {
        value * 3
    }
}

/// Associated functions are variants.
#[code_variant(name = "multiply", variants(Methods::twice, <Methods as Thrice>::thrice), default = thrice)]
fn multiply(value: u32) -> u32;

#[test]
fn associated_functions_are_variants() {
    assert_eq!((multiply(7), multiply::call(multiply::Variant::Twice, 7)), (21, 14));
}

fn nothing() {}

/// Neither arguments nor features: the choice depends on the device alone.
#[code_variant(name = "bare", variants(nothing), default = nothing)]
fn bare();

#[test]
fn a_function_without_arguments_works() {
    bare();
    assert_eq!(bare::select().variant(), bare::Variant::Nothing);
}

// --- `impl Trait` in arguments ---

fn one_by_one<'a, const N: usize>(
    numbers: impl Iterator<Item = (usize, &'a u8)> + Clone,
    each: &mut [Option<impl FnMut(&u8) -> u32>; N],
    named: (impl Display, u8),
) -> String {
    let sum: u32 =
        numbers.map(|(_, number)| each.iter_mut().flatten().map(|each| each(number)).sum::<u32>()).sum();
    format!("{sum} {}", named.0)
}

fn at_once<'a, const N: usize, I, E, D>(numbers: I, _: &mut [Option<E>; N], named: (D, u8)) -> String
where
    I: Iterator<Item = (usize, &'a u8)> + Clone,
    E: FnMut(&u8) -> u32,
    D: Display,
{
    format!("at once {} {}", numbers.count(), named.0)
}

/// Any number of types without a name.
#[code_variant(
    name = "unnamed",
    features(count = numbers.clone().count(), length = named.0.to_string().len()),
    variants(one_by_one, at_once if count > 1),
    default = one_by_one,
    model = UNNAMED.as_slice(),
)]
fn unnamed<'a, const N: usize>(
    numbers: impl Iterator<Item = (usize, &'a u8)> + Clone,
    each: &mut [Option<impl FnMut(&u8) -> u32>; N],
    named: (impl Display, u8),
) -> String;

static UNNAMED: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::constant("unnamed", &["one_by_one", "at_once"], "at_once"));

#[test]
fn an_argument_of_a_type_without_a_name_is_passed_on() {
    let numbers = [3, 4];
    let mut each = [Some(|number: &u8| u32::from(*number)), None];
    let (one, two) = (|| numbers[..1].iter().enumerate(), || numbers.iter().enumerate());
    assert_eq!(unnamed(one(), &mut each, ("a", 1)), "3 a");
    assert_eq!(unnamed::<2>(two(), &mut each, ('b', 1)), "at once 2 b");
    assert_eq!(unnamed::select(two(), &mut each, ("a", 1)).reason(), Reason::Predicted);
    assert_eq!(unnamed::call(unnamed::Variant::OneByOne, two(), &mut each, (1.5, 1)), "7 1.5");
}
