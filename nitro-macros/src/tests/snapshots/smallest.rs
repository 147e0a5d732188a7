fn work() {
    let __nitro_decision = {
        ::std::thread_local! {
            static __NITRO_CACHE : ::nitro::__private::InlineCache < work::Variant,
            0usize > = const { ::nitro::__private::InlineCache::new() };
        }
        let __nitro_device = ::nitro::__private::host();
        let __nitro_begun = ::nitro::__private::Call::begin(
            &__NITRO_CACHE,
            &__nitro_device,
        );
        let __nitro_row = [0.0; 0usize];
        let __nitro_remembered = __nitro_begun.remembered(&__nitro_row);
        match __nitro_remembered.choice() {
            ::core::option::Option::Some(__nitro_variant) => {
                ::nitro::__private::Decision::again(__nitro_variant)
            }
            ::core::option::Option::None => {
                let __nitro_features = |
                    _: ::core::primitive::u32,
                    _: &mut [::core::primitive::f64; 0usize]|
                {};
                #[allow(clippy::let_and_return, clippy::match_single_binding)]
                let __nitro_admissible = |_: work::Variant| -> ::core::primitive::bool {
                    true
                };
                ::nitro::__private::decide(
                    __nitro_remembered,
                    work::function(),
                    &__nitro_device,
                    &__nitro_features,
                    &__nitro_admissible,
                )
            }
        }
    };
    let __nitro_variant = __nitro_decision.variant();
    __nitro_decision
        .run(
            move || __nitro_work_call(__nitro_variant),
            |__nitro_result| {
                use ::nitro::__private::{OutcomeOfAny as _, OutcomeOfResult as _};
                (&::nitro::__private::Outcome(__nitro_result)).failed()
            },
        )
}
/// The variant that a call of `work` with these arguments would run, and why; nothing is run.
#[doc(hidden)]
#[allow(
    dead_code,
    unused_variables,
    single_use_lifetimes,
    unused_lifetimes,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
#[must_use]
fn __nitro_work_select() -> ::nitro::Selection<work::Variant> {
    let __nitro_device = ::nitro::__private::host();
    let __nitro_features = |
        _: ::core::primitive::u32,
        _: &mut [::core::primitive::f64; 0usize]|
    {};
    #[allow(clippy::let_and_return, clippy::match_single_binding)]
    let __nitro_admissible = |_: work::Variant| -> ::core::primitive::bool { true };
    ::nitro::__private::select(
        work::function(),
        &__nitro_device,
        &__nitro_features,
        &__nitro_admissible,
    )
}
/// Runs the given variant of `work`, whatever its constraint says.
#[doc(hidden)]
#[allow(
    dead_code,
    unused_variables,
    single_use_lifetimes,
    unused_lifetimes,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
#[inline]
fn __nitro_work_call(__nitro_variant: work::Variant) {
    match __nitro_variant {
        work::Variant::Only => {
            let __nitro_function: fn() = only;
            __nitro_function()
        }
    }
}
/// What belongs to the function `work`: its variants, its selections and its descriptor.
#[allow(dead_code, unused_imports)]
mod work {
    /// The variants of `work`, in the order of their declaration.
    #[derive(
        ::core::fmt::Debug,
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::cmp::PartialEq,
        ::core::cmp::Eq,
        ::core::hash::Hash,
    )]
    #[allow(
        non_camel_case_types,
        clippy::enum_variant_names,
        clippy::upper_case_acronyms
    )]
    pub(super) enum Variant {
        /// The function `only`.
        Only,
    }
    impl Variant {
        /// All variants, in the order of their declaration.
        pub(super) const ALL: &'static [Self] = &[Self::Only];
    }
    impl ::nitro::CodeVariant for Variant {
        const ALL: &'static [Self] = Self::ALL;
        fn index(self) -> ::core::primitive::usize {
            self as ::core::primitive::usize
        }
        fn name(self) -> &'static ::core::primitive::str {
            match self {
                Self::Only => "only",
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
        ) -> ::core::result::Result<Self, Self::Err> {
            match text {
                "only" => ::core::result::Result::Ok(Self::Only),
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
    /// The descriptor of `work`, which the trainer takes.
    #[must_use]
    pub(super) fn function() -> &'static ::nitro::Function {
        static FUNCTION: ::nitro::Function = ::nitro::Function::new(
            ::core::module_path!(),
            &[
                ::nitro::VariantInfo {
                    name: "only",
                    constraint: ::core::option::Option::None,
                    exact_group: ::core::option::Option::None,
                },
            ],
            &[],
            Variant::Only as ::core::primitive::usize,
            ::core::option::Option::None,
        );
        &FUNCTION
    }
    #[doc(inline)]
    pub(super) use super::__nitro_work_select as select;
    #[doc(inline)]
    pub(super) use super::__nitro_work_call as call;
}
