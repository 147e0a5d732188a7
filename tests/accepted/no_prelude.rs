//! Generated code relies on no name of the prelude for what it emits beside the function.

#![no_implicit_prelude]

use ::nitro::code_variant;

mod shadow {
    pub struct Some;
    pub struct Option;
    pub trait Iterator {}
}

#[allow(unused_imports)]
use shadow::*;

#[code_variant(features(size = value), variants(one if size > 1, two), default = two)]
fn count(value: u32) -> u32;

fn one(value: u32) -> u32 {
    value
}

fn two(value: u32) -> u32 {
    value
}

#[::core::prelude::v1::test]
fn no_name_of_the_prelude_is_needed() {
    ::std::assert_eq!(count(3), 3);
    ::std::assert_eq!(::std::string::ToString::to_string(&count::Variant::One), "one");
}
