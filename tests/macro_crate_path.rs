//! The crate `nitro` under other names: re-exported by another module, and hidden where generated code could stumble.

/// As a crate that re-exports its dependencies would.
mod facade {
    pub mod dependencies {
        pub use ::nitro as adaptive;
    }
}

mod application {
    use super::facade::dependencies::adaptive::code_variant;

    /// Would be found by a path that is not absolute.
    #[allow(dead_code)]
    mod nitro {}
    #[allow(dead_code)]
    mod core {}
    #[allow(dead_code)]
    mod std {}

    pub fn one(value: u32) -> u32 {
        value + 1
    }

    /// From the root of the crate.
    #[code_variant(
        crate = crate::facade::dependencies::adaptive,
        name = "by_root",
        features(size = value),
        variants(one if value > 0, self::two),
        default = two,
    )]
    pub fn by_root(value: u32) -> u32;

    /// Relative to this module.
    #[code_variant(
        crate = super::facade::dependencies::adaptive,
        name = "by_parent",
        features(size = value),
        variants(one if value > 0, two),
        default = two,
    )]
    pub fn by_parent(value: u32) -> u32;

    /// The default, which no module of that name can hide.
    #[code_variant(name = "by_default", features(size = value), variants(one, two), default = two)]
    pub fn by_default(value: u32) -> u32;

    pub fn two(value: u32) -> u32 {
        value + 2
    }
}

use application::{by_default, by_parent, by_root};

#[test]
fn the_crate_is_found_by_every_kind_of_path() {
    assert_eq!((by_root(1), by_parent(1), by_default(1)), (3, 3, 3));
    assert_eq!(by_root::select(1).variant(), by_root::Variant::Two);
    assert_eq!("one".parse(), Ok(by_parent::Variant::One));
    assert_eq!(by_parent::function().name(), "by_parent");
}

/// An argument, a feature and a function that have the names of things near by.
mod names {
    use nitro::code_variant;

    pub fn rows(value: u32) -> u32 {
        value * 10
    }

    fn select(variant: u32, call: u32) -> u32 {
        variant + call
    }

    fn function(variant: u32, call: u32) -> u32 {
        variant * call
    }

    /// The feature `rows` uses the function `rows`; variants and arguments are called as items of the module are.
    #[code_variant(
        name = "shadow",
        features(rows = rows(variant), f64 = rows(call)),
        variants(select, function if rows > 10 && f64 > 10 && self::rows(variant) > 10),
        default = select,
    )]
    pub fn shadow(variant: u32, call: u32) -> u32;
}

#[test]
fn names_of_the_user_do_not_meet_generated_ones() {
    assert_eq!(names::shadow(2, 3), 5);
    assert_eq!(names::shadow::call(names::shadow::Variant::Function, 2, 3), 6);
    assert_eq!(names::rows(1), 10);
}
