#[cfg(unix)]
#[expect(clippy::type_complexity)]
pub(in crate::search) unsafe fn r#find<'a, S, I, const N: usize>(
    keys: &'a [I; N],
    key: I,
) -> Option<&'a I>
where
    S: Scan<I>,
    I: Ord,
{
    match ::nitro::__private::at_once(
        &r#find::__NITRO_CACHE,
        |__nitro_column: ::core::primitive::usize| match __nitro_column {
            0usize => 0.0,
            _ => ::core::primitive::f64::NAN,
        },
        || [],
        |_: r#find::Choice| ::core::option::Option::None,
    ) {
        ::core::option::Option::Some(__nitro_choice) => {
            unsafe { __nitro_find_call::<S, I, N>(__nitro_choice, keys, key) }
        }
        ::core::option::Option::None => {
            unsafe { __nitro_find_anew::<S, I, N>(keys, key) }
        }
    }
}
/// What a call of `find` with these arguments would run, and why; nothing is run.
///
/// # Safety
/// As for `find`.
#[cfg(unix)]
#[allow(clippy::type_complexity)]
#[doc(hidden)]
#[must_use]
pub(in crate::search) unsafe fn __nitro_find_select<'a, S, I, const N: usize>(
    keys: &'a [I; N],
    key: I,
) -> ::nitro::Selection<r#find::Variant>
where
    S: Scan<I>,
    I: Ord,
{
    let _ = (&keys, &key);
    let _ = ::core::marker::PhantomData::<(&'a (), &'a ())>;
    let __nitro_device = ::nitro::__private::host();
    let __nitro_features = |
        _: ::core::primitive::u32,
        _: &mut [::core::primitive::f64; 0usize]|
    {};
    let __nitro_admissible = |_: r#find::Choice| -> ::core::primitive::bool { true };
    ::nitro::__private::select(
        r#find::function(),
        &__nitro_device,
        &__nitro_features,
        &__nitro_admissible,
        &|| 0.0,
    )
}
/// Runs the given variant of `find`, whatever its constraint says.
///
/// # Safety
/// As for `find`.
#[cfg(unix)]
#[allow(clippy::type_complexity)]
#[doc(hidden)]
#[inline]
pub(in crate::search) unsafe fn __nitro_find_call<'a, S, I, const N: usize>(
    __nitro_choice: r#find::Variant,
    keys: &'a [I; N],
    key: I,
) -> Option<&'a I>
where
    S: Scan<I>,
    I: Ord,
{
    match __nitro_choice {
        r#find::Choice::Linear => {
            let __nitro_function: unsafe fn(&'a [I; N], I) -> Option<&'a I> = <S as Scan>::linear;
            unsafe { __nitro_function(keys, key) }
        }
        r#find::Choice::Binary => {
            let __nitro_function: unsafe fn(&'a [I; N], I) -> Option<&'a I> = binary::<
                S,
                I,
                N,
            >;
            unsafe { __nitro_function(keys, key) }
        }
    }
}
/// Whether the constraint of the given variant of `find` lets it run with these arguments; nothing is run.
///
/// # Safety
/// As for `find`.
#[cfg(unix)]
#[allow(clippy::type_complexity)]
#[doc(hidden)]
#[must_use]
pub(in crate::search) unsafe fn __nitro_find_admissible<'a, S, I, const N: usize>(
    __nitro_choice: r#find::Variant,
    keys: &'a [I; N],
    key: I,
) -> ::core::primitive::bool
where
    S: Scan<I>,
    I: Ord,
{
    let _ = (&keys, &key);
    let _ = ::core::marker::PhantomData::<(&'a (), &'a ())>;
    true
}
/// Runs `find` by a choice that is looked up or made.
///
/// # Safety
/// As for `find`.
#[cfg(unix)]
#[allow(clippy::type_complexity)]
#[doc(hidden)]
#[inline(never)]
pub(in crate::search) unsafe fn __nitro_find_anew<'a, S, I, const N: usize>(
    keys: &'a [I; N],
    key: I,
) -> Option<&'a I>
where
    S: Scan<I>,
    I: Ord,
{
    let __nitro_decision = {
        let __nitro_begun = ::nitro::__private::Call::begin_on_host(
            &r#find::__NITRO_CACHE,
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
                let __nitro_admissible = |_: r#find::Choice| -> ::core::primitive::bool {
                    true
                };
                ::nitro::__private::decide(
                    __nitro_remembered,
                    r#find::function(),
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
            move || unsafe { __nitro_find_call::<S, I, N>(__nitro_choice, keys, key) },
            |__nitro_result| {
                use ::nitro::__private::{OutcomeOfAny as _, OutcomeOfResult as _};
                (&::nitro::__private::Outcome(__nitro_result)).__nitro_failed()
            },
        )
}
#[cfg(unix)]
#[doc(hidden)]
mod __nitro_find_is_declared_in_a_function_body__move_it_to_module_level {}
#[cfg(unix)]
#[allow(clippy::type_complexity)]
/// What belongs to the function `find`: its variants, its selections and its descriptor.
pub(in crate::search) mod r#find {
    /// The variants of `find`, in the order of their declaration.
    #[derive(
        ::core::fmt::Debug,
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::cmp::PartialEq,
        ::core::cmp::Eq,
        ::core::hash::Hash,
    )]
    pub(in crate::search) enum Variant {
        /// The function `Scan::linear`.
        Linear,
        /// The function `binary`.
        Binary,
    }
    impl Variant {
        /// All variants, in the order of their declaration.
        pub(in crate::search) const ALL: &'static [Self] = &[Self::Linear, Self::Binary];
    }
    impl ::nitro::CodeVariant for Variant {
        type Choice = Choice;
        const ALL: &'static [Self] = Self::ALL;
        fn index(self) -> ::core::primitive::usize {
            self as ::core::primitive::usize
        }
        fn name(self) -> &'static ::core::primitive::str {
            match self {
                Self::Linear => "linear",
                Self::Binary => "binary",
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
                "linear" => ::core::result::Result::Ok(Self::Linear),
                "binary" => ::core::result::Result::Ok(Self::Binary),
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
    pub(in crate::search) type Choice = Variant;
    impl ::nitro::CodeChoice for Variant {
        type Variant = Self;
        fn of(choice: ::nitro::Choice) -> Self {
            <Self as ::nitro::CodeVariant>::ALL[choice.variant]
        }
        fn variant(self) -> Self {
            self
        }
    }
    /// The descriptor of `find`, which the trainer takes.
    #[must_use]
    pub(in crate::search) fn function() -> &'static ::nitro::Function {
        const VARIANTS: &[::nitro::VariantInfo] = &[
            ::nitro::VariantInfo::new("linear").with_digest(14695981039346656037u64),
            ::nitro::VariantInfo::new("binary").with_digest(14695981039346656037u64),
        ];
        static FUNCTION: ::nitro::Function = ::nitro::Function::new(
                ::core::module_path!(),
                VARIANTS,
            )
            .with_default(Variant::Binary as ::core::primitive::usize);
        &FUNCTION
    }
    /// Compiles what calls of `find` may run, by its option `prepare`, and reads its model, so that no call does.
    ///
    /// # Errors
    /// What could not be prepared, and why; calls go on as they would without.
    pub(in crate::search) fn prepare() -> ::core::result::Result<
        (),
        ::nitro::PrepareError,
    > {
        function().prepare()
    }
    /// Holds the choice of the next call of `find` on this thread, until what this returns is dropped.
    pub(in crate::search) fn hold() -> ::nitro::Held {
        ::nitro::__private::hold(&__NITRO_CACHE)
    }
    use super::__nitro_find_is_declared_in_a_function_body__move_it_to_module_level as _;
    #[doc(inline)]
    pub(in crate::search) use super::{
        __nitro_find_select as select, __nitro_find_call as call,
        __nitro_find_admissible as admissible,
    };
    ::std::thread_local! {
        pub (super) static __NITRO_CACHE : ::nitro::__private::InlineCache < Choice,
        0usize > = const { ::nitro::__private::InlineCache::new() };
    }
}
