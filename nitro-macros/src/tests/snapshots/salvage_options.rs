::core::compile_error! {
    "unknown option `nmae`: did you mean `name`?\nthe options are `features`, `variants`, `default`, `approximate`, `tolerance`, `name`, `device`, `model`, `prepare`, `nested`, `crate`"
}
::core::compile_error! {
    "two variants are named `merge`: import one under another name, such as `use path::merge as other_merge;`"
}
::core::compile_error! {
    "the default `quick` is not a variant; the variants are `merge`, `radix`"
}
pub fn sort(keys: &mut [u32]) {
    let _ = (&keys,);
    ::core::unimplemented!()
}
/// What a call of `sort` with these arguments would run, and why; nothing is run.
#[doc(hidden)]
#[must_use]
pub fn __nitro_sort_select(keys: &mut [u32]) -> ::nitro::Selection<sort::Variant> {
    let _ = (&keys,);
    let _ = (&keys,);
    ::core::unimplemented!()
}
/// Runs the given variant of `sort`, whatever its constraint says.
#[doc(hidden)]
#[inline]
pub fn __nitro_sort_call(__nitro_choice: sort::Variant, keys: &mut [u32]) {
    let _ = (&keys,);
    ::core::unimplemented!()
}
/// Whether the constraint of the given variant of `sort` lets it run with these arguments; nothing is run.
#[doc(hidden)]
#[must_use]
pub fn __nitro_sort_admissible(
    __nitro_choice: sort::Variant,
    keys: &mut [u32],
) -> ::core::primitive::bool {
    let _ = (&keys,);
    let _ = (&keys,);
    ::core::unimplemented!()
}
#[doc(hidden)]
mod __nitro_sort_is_declared_in_a_function_body__move_it_to_module_level {}
/// What belongs to the function `sort`: its variants, its selections and its descriptor.
pub mod sort {
    /// The variants of `sort`, in the order of their declaration.
    #[derive(
        ::core::fmt::Debug,
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::cmp::PartialEq,
        ::core::cmp::Eq,
        ::core::hash::Hash,
    )]
    pub enum Variant {
        /// The function `merge`.
        Merge,
        /// The function `radix`.
        Radix,
    }
    impl Variant {
        /// All variants, in the order of their declaration.
        pub const ALL: &'static [Self] = &[Self::Merge, Self::Radix];
    }
    impl ::nitro::CodeVariant for Variant {
        type Choice = Choice;
        const ALL: &'static [Self] = Self::ALL;
        fn index(self) -> ::core::primitive::usize {
            self as ::core::primitive::usize
        }
        fn name(self) -> &'static ::core::primitive::str {
            match self {
                Self::Merge => "merge",
                Self::Radix => "radix",
            }
        }
    }
    impl ::core::fmt::Display for Variant {
        fn fmt(
            &self,
            formatter: &mut ::core::fmt::Formatter<'_>,
        ) -> ::core::fmt::Result {
            formatter.pad(::nitro::CodeVariant::name(*self))
        }
    }
    impl ::core::str::FromStr for Variant {
        type Err = ::nitro::UnknownVariant;
        fn from_str(
            text: &::core::primitive::str,
        ) -> ::core::result::Result<Self, ::nitro::UnknownVariant> {
            match text {
                "merge" => ::core::result::Result::Ok(Self::Merge),
                "radix" => ::core::result::Result::Ok(Self::Radix),
                _ => {
                    let known = ::core::iter::Iterator::map(
                        Self::ALL.iter(),
                        |variant| ::nitro::CodeVariant::name(*variant),
                    );
                    let error = ::nitro::UnknownVariant::new(
                        function().name(),
                        text,
                        known,
                    );
                    ::core::result::Result::Err(error)
                }
            }
        }
    }
    /// No variant has tuning parameters: a choice is a variant.
    pub type Choice = Variant;
    impl ::nitro::CodeChoice for Variant {
        type Variant = Self;
        fn of(choice: ::nitro::Choice) -> Self {
            <Self as ::nitro::CodeVariant>::ALL[choice.variant]
        }
        fn variant(self) -> Self {
            self
        }
    }
    /// The descriptor of `sort`, which the trainer takes.
    #[must_use]
    pub fn function() -> &'static ::nitro::Function {
        ::core::unimplemented!()
    }
    /// Compiles what calls of `sort` may run, by its option `prepare`, and reads its model, so that no call does.
    ///
    /// # Errors
    /// What could not be prepared, and why; calls go on as they would without.
    pub fn prepare() -> ::core::result::Result<(), ::nitro::PrepareError> {
        function().prepare()
    }
    /// Holds the choice of the next call of `sort` on this thread, until what this returns is dropped.
    pub fn hold() -> ::nitro::Held {
        ::nitro::__private::hold(&__NITRO_CACHE)
    }
    use super::__nitro_sort_is_declared_in_a_function_body__move_it_to_module_level as _;
    #[allow(clippy::pub_use)]
    #[doc(inline)]
    pub use super::{
        __nitro_sort_select as select, __nitro_sort_call as call,
        __nitro_sort_admissible as admissible,
    };
    ::std::thread_local! {
        pub (super) static __NITRO_CACHE : ::nitro::__private::InlineCache < Choice,
        0usize > = const { ::nitro::__private::InlineCache::new() };
    }
}
