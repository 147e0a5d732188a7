fn work() {
    match ::nitro::__private::at_once(
        &work::__NITRO_CACHE,
        |__nitro_column: ::core::primitive::usize| match __nitro_column {
            0usize => 0.0,
            _ => ::core::primitive::f64::NAN,
        },
        || [],
        |_: work::Choice| ::core::option::Option::None,
    ) {
        ::core::option::Option::Some(__nitro_choice) => __nitro_work_call(__nitro_choice),
        ::core::option::Option::None => __nitro_work_anew(),
    }
}
/// What a call of `work` with these arguments would run, and why; nothing is run.
#[doc(hidden)]
#[must_use]
fn __nitro_work_select() -> ::nitro::Selection<work::Variant> {
    let __nitro_device = ::nitro::__private::host();
    let __nitro_features = |
        _: ::core::primitive::u32,
        _: &mut [::core::primitive::f64; 0usize]|
    {};
    let __nitro_admissible = |_: work::Choice| -> ::core::primitive::bool { true };
    ::nitro::__private::select(
        work::function(),
        &__nitro_device,
        &__nitro_features,
        &__nitro_admissible,
        &|| 0.0,
    )
}
/// Runs the given variant of `work`, whatever its constraint says.
#[doc(hidden)]
#[inline]
fn __nitro_work_call(__nitro_choice: work::Variant) {
    match __nitro_choice {
        work::Choice::Only => {
            let __nitro_function: fn() = only;
            __nitro_function()
        }
    }
}
/// Whether the constraint of the given variant of `work` lets it run with these arguments; nothing is run.
#[doc(hidden)]
#[must_use]
fn __nitro_work_admissible(__nitro_choice: work::Variant) -> ::core::primitive::bool {
    true
}
/// Runs `work` by a choice that is looked up or made.
#[doc(hidden)]
#[inline(never)]
fn __nitro_work_anew() {
    let __nitro_decision = {
        let __nitro_begun = ::nitro::__private::Call::begin_on_host(
            &work::__NITRO_CACHE,
        );
        let __nitro_row = [0.0; 0usize];
        let __nitro_remembered = match __nitro_begun.walk() {
            ::core::option::Option::Some(__nitro_walk) => {
                __nitro_begun.decided(&__nitro_walk)
            }
            ::core::option::Option::None => __nitro_begun.remembered(&__nitro_row),
        };
        match __nitro_remembered.choice() {
            ::core::option::Option::Some(__nitro_choice) => {
                ::nitro::__private::Decision::again(__nitro_choice)
            }
            ::core::option::Option::None => {
                let __nitro_device = ::nitro::__private::host();
                let __nitro_features = |
                    _: ::core::primitive::u32,
                    _: &mut [::core::primitive::f64; 0usize]|
                {};
                let __nitro_admissible = |_: work::Choice| -> ::core::primitive::bool {
                    true
                };
                ::nitro::__private::decide(
                    __nitro_remembered,
                    work::function(),
                    &__nitro_device,
                    &__nitro_features,
                    &__nitro_admissible,
                    &|| 0.0,
                )
            }
        }
    };
    let __nitro_choice = __nitro_decision.choice();
    __nitro_decision
        .run(
            move || __nitro_work_call(__nitro_choice),
            |__nitro_result| {
                use ::nitro::__private::{OutcomeOfAny as _, OutcomeOfResult as _};
                (&::nitro::__private::Outcome(__nitro_result)).__nitro_failed()
            },
        )
}
#[doc(hidden)]
mod __nitro_work_is_declared_in_a_function_body__move_it_to_module_level {}
/// What belongs to the function `work`: its variants, its selections and its descriptor.
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
    pub(super) enum Variant {
        /// The function `only`.
        Only,
    }
    impl Variant {
        /// All variants, in the order of their declaration.
        pub(super) const ALL: &'static [Self] = &[Self::Only];
    }
    impl ::nitro::CodeVariant for Variant {
        type Choice = Choice;
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
        ) -> ::core::result::Result<Self, ::nitro::UnknownVariant> {
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
    /// No variant has tuning parameters: a choice is a variant.
    pub(super) type Choice = Variant;
    impl ::nitro::CodeChoice for Variant {
        type Variant = Self;
        fn of(choice: ::nitro::Choice) -> Self {
            <Self as ::nitro::CodeVariant>::ALL[choice.variant]
        }
        fn variant(self) -> Self {
            self
        }
    }
    /// The descriptor of `work`, which the trainer takes.
    #[must_use]
    pub(super) fn function() -> &'static ::nitro::Function {
        const VARIANTS: &[::nitro::VariantInfo] = &[
            ::nitro::VariantInfo::new("only").with_digest(14695981039346656037u64),
        ];
        static FUNCTION: ::nitro::Function = ::nitro::Function::new(
                ::core::module_path!(),
                VARIANTS,
            )
            .with_default(Variant::Only as ::core::primitive::usize);
        &FUNCTION
    }
    /// Compiles what calls of `work` may run, by its option `prepare`, and reads its model, so that no call does.
    ///
    /// # Errors
    /// What could not be prepared, and why; calls go on as they would without.
    pub(super) fn prepare() -> ::core::result::Result<(), ::nitro::PrepareError> {
        function().prepare()
    }
    /// Holds the choice of the next call of `work` on this thread, until what this returns is dropped.
    pub(super) fn hold() -> ::nitro::Held {
        ::nitro::__private::hold(&__NITRO_CACHE)
    }
    use super::__nitro_work_is_declared_in_a_function_body__move_it_to_module_level as _;
    #[doc(inline)]
    pub(super) use super::{
        __nitro_work_select as select, __nitro_work_call as call,
        __nitro_work_admissible as admissible,
    };
    ::std::thread_local! {
        pub (super) static __NITRO_CACHE : ::nitro::__private::InlineCache < Choice,
        0usize > = const { ::nitro::__private::InlineCache::new() };
    }
}
