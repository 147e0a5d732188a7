//! A recording runs a given variant through an ordinary call and hears whether it failed.

use nitro::code_variant;
use nitro::recording::record;

fn checked(value: i32) -> Result<i32, String> {
    if value < 0 { Err("negative".to_owned()) } else { Ok(value) }
}

fn doubled(value: i32) -> Result<i32, String> {
    Ok(value * 2)
}

/// Returns a `Result`.
#[code_variant(
    name = "fallible",
    features(signed = value),
    variants(checked, doubled if value > 1),
    default = checked,
)]
fn fallible(value: i32) -> Result<i32, String>;

#[test]
fn a_recorded_call_runs_the_variant_of_the_recording() {
    let choices: Vec<_> = fallible::function().default_choices().collect();
    let doubled = choices[fallible::Variant::Doubled as usize];
    let (result, observation) =
        record(fallible::function(), doubled, &choices, || fallible(4)).expect("no panic");
    assert_eq!(result, Ok(8), "the default, `checked`, would give 4");
    assert_eq!((observation.calls, observation.failures), (1, 0));
    assert_eq!(observation.features, [4.0]);
    assert_eq!(observation.admissible, [true, true]);
}

#[test]
fn an_error_counts_as_a_failure_and_constraints_are_described() {
    let choices: Vec<_> = fallible::function().default_choices().collect();
    let checked = choices[fallible::Variant::Checked as usize];
    let (result, observation) =
        record(fallible::function(), checked, &choices, || fallible(-1)).expect("no panic");
    assert_eq!(result, Err("negative".to_owned()));
    assert_eq!((observation.calls, observation.failures), (1, 1));
    assert_eq!(observation.admissible, [true, false]);
}

/// An alias of `Result` under another name.
type Outcome<T> = Result<T, std::num::ParseIntError>;

fn parse(text: &str) -> Outcome<u8> {
    text.parse()
}

/// Its result is a `Result` only for those who know the alias.
#[code_variant(name = "aliased", variants(parse), default = parse)]
fn aliased(text: &str) -> Outcome<u8>;

fn echo<T>(value: T) -> T {
    value
}

/// Its result is of any type: what it returns is never taken for a failure.
#[code_variant(name = "echoed", variants(echo), default = echo)]
fn echoed<T>(value: T) -> T;

#[test]
fn the_type_of_the_result_tells_what_a_failure_is() {
    let failures = |function: &'static nitro::Function, body: &dyn Fn()| {
        record(function, function.default_choice(), &[], body).expect("no panic").1.failures
    };
    assert_eq!(failures(aliased::function(), &|| assert!(aliased("x").is_err())), 1);
    assert_eq!(failures(aliased::function(), &|| assert!(aliased("7").is_ok())), 0);
    assert_eq!(failures(echoed::function(), &|| assert_eq!(echoed(Some(1)), Some(1))), 0);
}
