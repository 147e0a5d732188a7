//! What stands beside the function: the enum, the descriptor, and who may see them.

use nitro::{CodeVariant, code_variant};

mod formats {
    pub fn csr_vector(rows: usize) -> usize {
        rows + 1
    }
}

fn csr_scalar(rows: usize) -> usize {
    rows
}

#[cfg(test)]
fn ell(rows: usize) -> usize {
    rows + 2
}

/// A function with variants that some builds do not have.
#[code_variant(
    features(rows_squared = rows * rows, is_even = rows.is_multiple_of(2)),
    variants(
        // `absent` does not exist: the build must not look for it.
        #[cfg(not(test))] absent if rows_squared > 1,
        csr_scalar,
        #[cfg(test)] #[cfg(not(any()))] ell if rows_squared <= 9 && is_even,
        formats::csr_vector,
        #[cfg(any())] also_absent,
    ),
    default = csr_vector,
)]
pub fn spmv(rows: usize) -> usize;

#[test]
fn the_enum_lists_the_variants_of_this_build_in_order() {
    use spmv::Variant::{CsrScalar, CsrVector, Ell};
    assert_eq!(spmv::Variant::ALL, [CsrScalar, Ell, CsrVector]);
    assert_eq!(<spmv::Variant as CodeVariant>::ALL, spmv::Variant::ALL);
    let places: Vec<usize> = spmv::Variant::ALL.iter().map(|variant| variant.index()).collect();
    assert_eq!(places, [0, 1, 2]);
}

#[test]
fn a_variant_is_printed_and_read_by_its_name() {
    for (variant, name) in spmv::Variant::ALL.iter().zip(["csr_scalar", "ell", "csr_vector"]) {
        assert_eq!(variant.to_string(), name);
        assert_eq!(name.parse(), Ok(*variant));
        assert_eq!(variant.name(), name);
    }
    assert_eq!(format!("[{:>12}]", spmv::Variant::Ell), "[         ell]");
    assert_eq!(format!("{:?}", spmv::Variant::CsrScalar), "CsrScalar");
}

#[test]
fn a_text_that_is_no_variant_is_an_error_that_lists_them() {
    let error = "csr".parse::<spmv::Variant>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`csr` is not a variant of `macro_companion::spmv`; its variants are `csr_scalar`, `ell`, `csr_vector`"
    );
}

#[test]
fn the_descriptor_says_what_was_written() {
    let function = spmv::function();
    assert_eq!(function.name(), "macro_companion::spmv");
    let names: Vec<_> = function.variants().iter().map(|variant| variant.name()).collect();
    assert_eq!(names, ["csr_scalar", "ell", "csr_vector"]);
    let constraints: Vec<_> = function.variants().iter().map(|variant| variant.constraint()).collect();
    let constraints = constraints.iter().map(|constraint| constraint.map(|constraint| constraint.text()));
    assert_eq!(constraints.collect::<Vec<_>>(), [None, Some("rows_squared <= 9 && is_even"), None]);
    assert_eq!(function.features(), ["rows_squared", "is_even"]);
    assert_eq!(function.default_variant(), spmv::Variant::CsrVector.index());
    assert!(function.embedded_model().is_none());
    assert!(std::ptr::eq(function, spmv::function()), "one descriptor a function");
}

#[test]
fn call_runs_the_given_variant_whatever_its_constraint_says() {
    let results: Vec<_> = spmv::Variant::ALL.iter().map(|&variant| spmv::call(variant, 5)).collect();
    assert_eq!(results, [5, 7, 6]);
}

#[test]
fn a_program_can_ask_what_may_run() {
    use spmv::Variant::{CsrScalar, CsrVector, Ell};
    let admissible = |rows| [CsrScalar, Ell, CsrVector].map(|variant| spmv::admissible(variant, rows));
    assert_eq!(admissible(2), [true, true, true]);
    assert_eq!(admissible(3), [true, false, true]);
    assert_eq!(admissible(4), [true, false, true]);
}

mod outer {
    //! Each visibility is used from as far away as it allows.
    use nitro::code_variant;

    fn one() -> u32 {
        1
    }

    pub mod inner {
        use nitro::code_variant;

        use super::one;

        /// To the whole crate.
        #[code_variant(name = "v1", variants(one), default = one)]
        pub(crate) fn in_crate() -> u32;

        /// To the parent.
        #[code_variant(name = "v2", variants(one), default = one)]
        pub(super) fn in_parent() -> u32;

        /// To a named ancestor.
        #[code_variant(name = "v3", variants(one), default = one)]
        pub(in crate::outer) fn in_outer() -> u32;

        /// The same, relative.
        #[code_variant(name = "v4", variants(one), default = one)]
        pub(in super::super) fn in_grandparent() -> u32;

        /// To nobody, in two ways.
        #[code_variant(name = "v5", variants(one), default = one)]
        fn here() -> u32;

        #[code_variant(name = "v6", variants(one), default = one)]
        pub(self) fn here_too() -> u32;

        pub fn private() -> [u32; 4] {
            [here(), here::call(here::Variant::One), here_too(), here_too::call(here_too::select().variant())]
        }
    }

    pub fn restricted() -> [u32; 4] {
        use inner::{in_outer, in_parent};
        [
            in_parent(),
            in_parent::call(in_parent::Variant::One),
            in_outer(),
            in_outer::call(in_outer::Variant::ALL[0]),
        ]
    }

    /// A function that other files reach by a path or a `use` brings its module along.
    #[code_variant(name = "v7", variants(one), default = one)]
    pub fn exported() -> u32;
}

#[test]
fn module_and_function_are_seen_from_the_same_places() {
    use outer::exported;
    use outer::inner::{in_crate, in_grandparent};

    assert_eq!((outer::restricted(), outer::inner::private()), ([1; 4], [1; 4]));
    assert_eq!(in_crate() + in_crate::call(in_crate::select().variant()), 2);
    assert_eq!(in_grandparent() + in_grandparent::call(in_grandparent::Variant::One), 2);
    assert_eq!(exported() + exported::call(exported::Variant::One), 2);
}

/// Of the two, one is left out with all that belongs to it.
#[code_variant(name = "unix", variants(csr_scalar), default = csr_scalar)]
#[cfg(test)]
fn of_this_build(rows: usize) -> usize;

#[code_variant(name = "never", variants(nowhere), default = nowhere, model = nowhere)]
#[cfg(not(test))]
fn of_this_build(rows: Nowhere) -> Nowhere;

#[test]
fn a_cfg_on_the_function_holds_for_all_that_is_generated() {
    assert_eq!((of_this_build(2), of_this_build::function().name()), (2, "unix"));
}
