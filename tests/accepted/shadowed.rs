//! Everything that generated code could name without its path means something else here: types, values, traits and
//! macros.

#![allow(non_camel_case_types, dead_code, unused_macros, reason = "they only stand in the way")]

use nitro::code_variant;

pub struct usize;
pub struct isize;
pub struct u8;
pub struct u32;
pub struct u64;
pub struct f32;
pub struct f64;
pub struct bool;
pub struct str;
pub struct char;
pub struct Option;
pub struct Result;
pub struct Some;
pub struct None;
pub struct Ok;
pub struct Err;
pub struct Vec;
pub struct String;
pub struct Box;
pub struct Default;
pub trait Into {}
pub trait From {}
pub trait Clone {}
pub trait Copy {}
pub trait Debug {}
pub trait PartialEq {}
pub trait Iterator {}
pub trait FnOnce_ {}
mod core {}
mod std {}
mod alloc {}
mod nitro_core {}

macro_rules! assert {
    () => {};
}
macro_rules! matches {
    () => {};
}
macro_rules! format {
    () => {};
}
macro_rules! write {
    () => {};
}
macro_rules! panic {
    () => {};
}
macro_rules! stringify {
    () => {};
}
macro_rules! module_path {
    () => {};
}
macro_rules! vec {
    () => {};
}
macro_rules! thread_local {
    () => {};
}
macro_rules! unreachable {
    () => {};
}
macro_rules! concat {
    () => {};
}
macro_rules! env {
    () => {};
}
macro_rules! include_bytes {
    () => {};
}
macro_rules! println {
    () => {};
}
macro_rules! debug_assert {
    () => {};
}
macro_rules! unimplemented {
    () => {};
}
macro_rules! todo {
    () => {};
}

/// Methods that every type has, called as those of generated code.
pub trait Blanket: Sized {
    fn choice(&self) -> Nothing {
        Nothing
    }
    fn failed(&self) -> Nothing {
        Nothing
    }
    fn needs(&self) -> Nothing {
        Nothing
    }
    fn to_f64(self) -> Nothing {
        Nothing
    }
    fn run(&self) -> Nothing {
        Nothing
    }
}
impl<T> Blanket for T {}

pub struct Nothing;

fn plain(_: ::core::primitive::u32) -> ::core::primitive::u32 {
    0
}
fn tiled<const LANES: ::core::primitive::u32, const WIDE: ::core::primitive::bool>(
    parameters: work::Tiled,
    _: ::core::primitive::u32,
) -> ::core::primitive::u32 {
    parameters.tile as ::core::primitive::u32 + LANES
}

#[code_variant(
    features(size = rows),
    variants(
        plain,
        tiled {
            tile in [1, 2], narrow: u8 in 1..=4, share: f32 in [0.5, 1.0], staged: bool, const LANES: u32 in [4, 8],
            const WIDE: bool,
        } if tile < 3 && size as ::core::primitive::f64 > 0.5 && !WIDE,
    ),
    default = plain,
    approximate(tiled = 0.5),
    tolerance = 1.0,
)]
pub fn work(rows: ::core::primitive::u32) -> ::core::primitive::u32;

#[::core::prelude::v1::test]
fn generated_code_names_everything_by_its_path() {
    ::std::assert_eq!(work(1), 0);
    let choice = work::Choice::Tiled(<work::Tiled as ::core::default::Default>::default());
    ::std::assert_eq!(work::call(choice, 1), 5);
    ::std::assert!(work::admissible(choice, 1) && !work::admissible(choice, 0));
    let text = ::std::string::ToString::to_string(&choice);
    ::std::assert_eq!(::core::str::FromStr::from_str(&text), ::core::result::Result::Ok(choice));
}
