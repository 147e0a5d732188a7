pub(super) fn sort<T: Key>(stream: &Stream, keys: &mut [T]) {
    let __nitro_decision = {
        let __nitro_device = gpu::on(stream);
        let __nitro_compute_0 = || keys.len();
        let mut __nitro_value_0 = ::core::option::Option::None;
        let __nitro_compute_1 = || stream.shift();
        let mut __nitro_value_1 = ::core::option::Option::None;
        let __nitro_begun = facade::nitro::__private::Call::begin(
            &sort::__NITRO_CACHE,
            &__nitro_device,
        );
        let mut __nitro_row = [0.0; 2usize];
        let __nitro_remembered = match __nitro_begun.walk() {
            ::core::option::Option::Some(mut __nitro_walk) => {
                __nitro_row[0usize] = facade::nitro::FeatureValue::to_f64(
                    __nitro_compute_0(),
                );
                while let ::core::option::Option::Some(__nitro_column) = __nitro_walk
                    .column()
                {
                    match __nitro_column {
                        1usize => {
                            __nitro_row[1usize] = facade::nitro::FeatureValue::to_f64(
                                *__nitro_value_1.get_or_insert_with(&__nitro_compute_1),
                            );
                        }
                        _ => {}
                    }
                    __nitro_walk.compare(&__nitro_row);
                }
                __nitro_begun.decided(&__nitro_walk)
            }
            ::core::option::Option::None => {
                let __nitro_needs = __nitro_begun.needs();
                if __nitro_needs & 1u32 != 0 {
                    __nitro_row[0usize] = facade::nitro::FeatureValue::to_f64(
                        *__nitro_value_0.get_or_insert_with(&__nitro_compute_0),
                    );
                }
                if __nitro_needs & 2u32 != 0 {
                    __nitro_row[1usize] = facade::nitro::FeatureValue::to_f64(
                        *__nitro_value_1.get_or_insert_with(&__nitro_compute_1),
                    );
                }
                __nitro_begun.remembered(&__nitro_row)
            }
        };
        match __nitro_remembered.choice() {
            ::core::option::Option::Some(__nitro_choice) => {
                facade::nitro::__private::Decision::again(__nitro_choice)
            }
            ::core::option::Option::None => {
                let (__nitro_value_0, __nitro_compute_0) = (
                    __nitro_value_0,
                    __nitro_compute_0,
                );
                let __nitro_feature_0 = ::core::cell::LazyCell::new(|| {
                    __nitro_value_0.unwrap_or_else(__nitro_compute_0)
                });
                let (__nitro_value_1, __nitro_compute_1) = (
                    __nitro_value_1,
                    __nitro_compute_1,
                );
                let __nitro_feature_1 = ::core::cell::LazyCell::new(|| {
                    __nitro_value_1.unwrap_or_else(__nitro_compute_1)
                });
                let __nitro_features = |
                    __nitro_needs: ::core::primitive::u32,
                    __nitro_row: &mut [::core::primitive::f64; 2usize]|
                {
                    if __nitro_needs & 1u32 != 0 {
                        __nitro_row[0usize] = facade::nitro::FeatureValue::to_f64(
                            *__nitro_feature_0,
                        );
                    }
                    if __nitro_needs & 2u32 != 0 {
                        __nitro_row[1usize] = facade::nitro::FeatureValue::to_f64(
                            *__nitro_feature_1,
                        );
                    }
                };
                let __nitro_admissible = |_: sort::Choice| -> ::core::primitive::bool {
                    true
                };
                facade::nitro::__private::decide(
                    __nitro_remembered,
                    sort::function(),
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
            move || __nitro_sort_call::<T>(__nitro_choice, stream, keys),
            |__nitro_result| {
                use facade::nitro::__private::{OutcomeOfAny as _, OutcomeOfResult as _};
                (&facade::nitro::__private::Outcome(__nitro_result)).__nitro_failed()
            },
        )
}
/// What a call of `sort` with these arguments would run, and why; nothing is run.
#[doc(hidden)]
#[must_use]
pub(super) fn __nitro_sort_select<T: Key>(
    stream: &Stream,
    keys: &mut [T],
) -> facade::nitro::Selection<sort::Variant> {
    let _ = (&stream, &keys);
    let __nitro_device = gpu::on(stream);
    let __nitro_feature_0 = ::core::cell::LazyCell::new(|| (keys.len()));
    let __nitro_feature_1 = ::core::cell::LazyCell::new(|| (stream.shift()));
    let __nitro_features = |
        __nitro_needs: ::core::primitive::u32,
        __nitro_row: &mut [::core::primitive::f64; 2usize]|
    {
        if __nitro_needs & 1u32 != 0 {
            __nitro_row[0usize] = facade::nitro::FeatureValue::to_f64(
                *__nitro_feature_0,
            );
        }
        if __nitro_needs & 2u32 != 0 {
            __nitro_row[1usize] = facade::nitro::FeatureValue::to_f64(
                *__nitro_feature_1,
            );
        }
    };
    let __nitro_admissible = |_: sort::Choice| -> ::core::primitive::bool { true };
    facade::nitro::__private::select(
        sort::function(),
        &__nitro_device,
        &__nitro_features,
        &__nitro_admissible,
        &|| 0.0,
    )
}
/// Runs the given variant of `sort`, whatever its constraint says.
#[doc(hidden)]
#[inline]
pub(super) fn __nitro_sort_call<T: Key>(
    __nitro_choice: sort::Variant,
    stream: &Stream,
    keys: &mut [T],
) {
    let __nitro_held = (find::hold(), bits::count::hold(), Runs::merge_hold());
    match __nitro_choice {
        sort::Choice::Merge => {
            let __nitro_function: fn(&Stream, &mut [T]) = merge;
            __nitro_function(stream, keys)
        }
        sort::Choice::Radix => {
            let __nitro_function: fn(&Stream, &mut [T]) = radix::<T, 8>;
            __nitro_function(stream, keys)
        }
    }
}
/// Whether the constraint of the given variant of `sort` lets it run with these arguments; nothing is run.
#[doc(hidden)]
#[must_use]
pub(super) fn __nitro_sort_admissible<T: Key>(
    __nitro_choice: sort::Variant,
    stream: &Stream,
    keys: &mut [T],
) -> ::core::primitive::bool {
    let _ = (&stream, &keys);
    true
}
#[doc(hidden)]
fn __nitro_sort_model() -> &'static [::core::primitive::u8] {
    (include_bytes!("sort.model"))
}
#[doc(hidden)]
fn __nitro_sort_prepare(
    __nitro_choice: facade::nitro::Choice,
) -> facade::nitro::Prepared {
    facade::nitro::__private::prepare_choice::<
        sort::Choice,
        _,
    >(__nitro_choice, compile_ahead)
}
#[doc(hidden)]
mod __nitro_sort_is_declared_in_a_function_body__move_it_to_module_level {}
#[doc(hidden)]
use facade::nitro as __nitro_sort_crate;
/// What belongs to the function `sort`: its variants, its selections and its descriptor.
pub(super) mod sort {
    /// The variants of `sort`, in the order of their declaration.
    #[derive(
        ::core::fmt::Debug,
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::cmp::PartialEq,
        ::core::cmp::Eq,
        ::core::hash::Hash,
    )]
    pub(in super::super) enum Variant {
        /// The function `merge`.
        Merge,
        /// The function `radix`.
        Radix,
    }
    impl Variant {
        /// All variants, in the order of their declaration.
        pub(in super::super) const ALL: &'static [Self] = &[Self::Merge, Self::Radix];
    }
    impl super::__nitro_sort_crate::CodeVariant for Variant {
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
            formatter.pad(super::__nitro_sort_crate::CodeVariant::name(*self))
        }
    }
    impl ::core::str::FromStr for Variant {
        type Err = super::__nitro_sort_crate::UnknownVariant;
        fn from_str(
            text: &::core::primitive::str,
        ) -> ::core::result::Result<Self, super::__nitro_sort_crate::UnknownVariant> {
            match text {
                "merge" => ::core::result::Result::Ok(Self::Merge),
                "radix" => ::core::result::Result::Ok(Self::Radix),
                _ => {
                    let known = ::core::iter::Iterator::map(
                        Self::ALL.iter(),
                        |variant| super::__nitro_sort_crate::CodeVariant::name(*variant),
                    );
                    let error = super::__nitro_sort_crate::UnknownVariant::new(
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
    pub(in super::super) type Choice = Variant;
    impl super::__nitro_sort_crate::CodeChoice for Variant {
        type Variant = Self;
        fn of(choice: super::__nitro_sort_crate::Choice) -> Self {
            <Self as super::__nitro_sort_crate::CodeVariant>::ALL[choice.variant]
        }
        fn variant(self) -> Self {
            self
        }
    }
    /// The descriptor of `sort`, which the trainer takes.
    #[must_use]
    pub(in super::super) fn function() -> &'static super::__nitro_sort_crate::Function {
        const VARIANTS: &[super::__nitro_sort_crate::VariantInfo] = &[
            super::__nitro_sort_crate::VariantInfo::new("merge")
                .with_digest(14695981039346656037u64),
            super::__nitro_sort_crate::VariantInfo::new("radix")
                .with_digest(14695981039346656037u64),
        ];
        static FUNCTION: super::__nitro_sort_crate::Function = super::__nitro_sort_crate::Function::new(
                "sort",
                VARIANTS,
            )
            .with_features(&["length", "shift"])
            .with_feature_digests(&[10046209793640847297u64, 16023070243609963726u64])
            .with_free_features(1u32)
            .with_feature_units(
                &[
                    ::core::option::Option::Some(super::__nitro_sort_crate::Unit::Count),
                    ::core::option::Option::None,
                ],
            )
            .with_default(Variant::Merge as ::core::primitive::usize)
            .with_model(super::__nitro_sort_model)
            .with_prepare(super::__nitro_sort_prepare);
        &FUNCTION
    }
    /// Compiles what calls of `sort` may run, by its option `prepare`, and reads its model, so that no call does.
    ///
    /// # Errors
    /// What could not be prepared, and why; calls go on as they would without.
    pub(in super::super) fn prepare() -> ::core::result::Result<
        (),
        super::__nitro_sort_crate::PrepareError,
    > {
        function().prepare()
    }
    /// Holds the choice of the next call of `sort` on this thread, until what this returns is dropped.
    pub(in super::super) fn hold() -> super::__nitro_sort_crate::Held {
        super::__nitro_sort_crate::__private::hold(&__NITRO_CACHE)
    }
    use super::__nitro_sort_is_declared_in_a_function_body__move_it_to_module_level as _;
    #[doc(inline)]
    pub(in super::super) use super::{
        __nitro_sort_select as select, __nitro_sort_call as call,
        __nitro_sort_admissible as admissible,
    };
    ::std::thread_local! {
        pub (super) static __NITRO_CACHE :
        super::__nitro_sort_crate::__private::InlineCache < Choice, 2usize > = const {
        super::__nitro_sort_crate::__private::InlineCache::new() };
    }
}
