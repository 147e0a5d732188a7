fn sort(keys: &mut [u32]) {
    match ::nitro::__private::at_once(
        &sort::__NITRO_CACHE,
        |__nitro_column: ::core::primitive::usize| match __nitro_column {
            0usize => ::nitro::FeatureValue::to_f64((keys.len())),
            3usize => 0.0,
            _ => ::core::primitive::f64::NAN,
        },
        || [
            ::nitro::FeatureValue::to_f64((keys.len())),
            ::core::primitive::f64::NAN,
            ::core::primitive::f64::NAN,
        ],
        |__nitro_choice: sort::Choice| match __nitro_choice {
            sort::Choice::Counting => {
                ::core::option::Option::Some({
                    let (length,) = ((keys.len()),);
                    let _ = (&length,);
                    let __nitro_admissible: ::core::primitive::bool = length > 0;
                    __nitro_admissible
                })
            }
            _ => ::core::option::Option::None,
        },
    ) {
        ::core::option::Option::Some(__nitro_choice) => {
            __nitro_sort_call(__nitro_choice, keys)
        }
        ::core::option::Option::None => __nitro_sort_anew(keys),
    }
}
/// What a call of `sort` with these arguments would run, and why; nothing is run.
#[doc(hidden)]
#[must_use]
fn __nitro_sort_select(keys: &mut [u32]) -> ::nitro::Selection<sort::Variant> {
    let _ = (&keys,);
    let __nitro_device = ::nitro::__private::host();
    let __nitro_feature_0 = ::core::cell::LazyCell::new(|| (keys.len()));
    let __nitro_feature_1 = ::core::cell::LazyCell::new(|| {
        ({
            let __nitro_hint: ::core::primitive::bool = keys.len() < 10;
            __nitro_hint
        })
    });
    let __nitro_feature_2 = ::core::cell::LazyCell::new(|| {
        ({
            let __nitro_hint: ::core::primitive::bool = is_dense(keys);
            __nitro_hint
        })
    });
    let __nitro_features = |
        __nitro_needs: ::core::primitive::u32,
        __nitro_row: &mut [::core::primitive::f64; 3usize]|
    {
        if __nitro_needs & 1u32 != 0 {
            __nitro_row[0usize] = ::nitro::FeatureValue::to_f64(*__nitro_feature_0);
        }
        if __nitro_needs & 2u32 != 0 {
            __nitro_row[1usize] = ::nitro::FeatureValue::to_f64(*__nitro_feature_1);
        }
        if __nitro_needs & 4u32 != 0 {
            __nitro_row[2usize] = ::nitro::FeatureValue::to_f64(*__nitro_feature_2);
        }
    };
    let __nitro_admissible = |__nitro_choice: sort::Choice| -> ::core::primitive::bool {
        match __nitro_choice {
            sort::Choice::Counting => {
                let (length,) = (*__nitro_feature_0,);
                let _ = (&length,);
                let __nitro_admissible: ::core::primitive::bool = length > 0;
                __nitro_admissible
            }
            _ => true,
        }
    };
    ::nitro::__private::select(
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
fn __nitro_sort_call(__nitro_choice: sort::Variant, keys: &mut [u32]) {
    match __nitro_choice {
        sort::Choice::Merge => {
            let __nitro_function: fn(&mut [u32]) = merge;
            __nitro_function(keys)
        }
        sort::Choice::Insertion => {
            let __nitro_function: fn(&mut [u32]) = insertion;
            __nitro_function(keys)
        }
        sort::Choice::Counting => {
            let __nitro_function: fn(&mut [u32]) = counting;
            __nitro_function(keys)
        }
    }
}
/// Whether the constraint of the given variant of `sort` lets it run with these arguments; nothing is run.
#[doc(hidden)]
#[must_use]
fn __nitro_sort_admissible(
    __nitro_choice: sort::Variant,
    keys: &mut [u32],
) -> ::core::primitive::bool {
    let _ = (&keys,);
    let __nitro_feature_0 = ::core::cell::LazyCell::new(|| (keys.len()));
    let __nitro_feature_1 = ::core::cell::LazyCell::new(|| {
        ({
            let __nitro_hint: ::core::primitive::bool = keys.len() < 10;
            __nitro_hint
        })
    });
    let __nitro_feature_2 = ::core::cell::LazyCell::new(|| {
        ({
            let __nitro_hint: ::core::primitive::bool = is_dense(keys);
            __nitro_hint
        })
    });
    match __nitro_choice {
        sort::Choice::Counting => {
            let (length,) = (*__nitro_feature_0,);
            let _ = (&length,);
            let __nitro_admissible: ::core::primitive::bool = length > 0;
            __nitro_admissible
        }
        _ => true,
    }
}
/// Runs `sort` by a choice that is looked up or made.
#[doc(hidden)]
#[inline(never)]
fn __nitro_sort_anew(keys: &mut [u32]) {
    let __nitro_decision = {
        let __nitro_compute_0 = || keys.len();
        let mut __nitro_value_0 = ::core::option::Option::None;
        let __nitro_compute_1 = || {
            let __nitro_hint: ::core::primitive::bool = keys.len() < 10;
            __nitro_hint
        };
        let mut __nitro_value_1 = ::core::option::Option::None;
        let __nitro_compute_2 = || {
            let __nitro_hint: ::core::primitive::bool = is_dense(keys);
            __nitro_hint
        };
        let mut __nitro_value_2 = ::core::option::Option::None;
        let __nitro_begun = ::nitro::__private::Call::begin_on_host(
            &sort::__NITRO_CACHE,
        );
        let mut __nitro_row = [0.0; 3usize];
        let __nitro_remembered = match __nitro_begun.walk() {
            ::core::option::Option::Some(mut __nitro_walk) => {
                __nitro_row[0usize] = ::nitro::FeatureValue::to_f64(__nitro_compute_0());
                while let ::core::option::Option::Some(__nitro_column) = __nitro_walk
                    .column()
                {
                    match __nitro_column {
                        1usize => {
                            __nitro_row[1usize] = ::nitro::FeatureValue::to_f64(
                                *__nitro_value_1.get_or_insert_with(&__nitro_compute_1),
                            );
                        }
                        2usize => {
                            __nitro_row[2usize] = ::nitro::FeatureValue::to_f64(
                                *__nitro_value_2.get_or_insert_with(&__nitro_compute_2),
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
                    __nitro_row[0usize] = ::nitro::FeatureValue::to_f64(
                        *__nitro_value_0.get_or_insert_with(&__nitro_compute_0),
                    );
                }
                if __nitro_needs & 2u32 != 0 {
                    __nitro_row[1usize] = ::nitro::FeatureValue::to_f64(
                        *__nitro_value_1.get_or_insert_with(&__nitro_compute_1),
                    );
                }
                if __nitro_needs & 4u32 != 0 {
                    __nitro_row[2usize] = ::nitro::FeatureValue::to_f64(
                        *__nitro_value_2.get_or_insert_with(&__nitro_compute_2),
                    );
                }
                __nitro_begun.remembered(&__nitro_row)
            }
        };
        match __nitro_remembered.choice() {
            ::core::option::Option::Some(__nitro_choice) => {
                ::nitro::__private::Decision::again(__nitro_choice)
            }
            ::core::option::Option::None => {
                let __nitro_device = ::nitro::__private::host();
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
                let (__nitro_value_2, __nitro_compute_2) = (
                    __nitro_value_2,
                    __nitro_compute_2,
                );
                let __nitro_feature_2 = ::core::cell::LazyCell::new(|| {
                    __nitro_value_2.unwrap_or_else(__nitro_compute_2)
                });
                let __nitro_features = |
                    __nitro_needs: ::core::primitive::u32,
                    __nitro_row: &mut [::core::primitive::f64; 3usize]|
                {
                    if __nitro_needs & 1u32 != 0 {
                        __nitro_row[0usize] = ::nitro::FeatureValue::to_f64(
                            *__nitro_feature_0,
                        );
                    }
                    if __nitro_needs & 2u32 != 0 {
                        __nitro_row[1usize] = ::nitro::FeatureValue::to_f64(
                            *__nitro_feature_1,
                        );
                    }
                    if __nitro_needs & 4u32 != 0 {
                        __nitro_row[2usize] = ::nitro::FeatureValue::to_f64(
                            *__nitro_feature_2,
                        );
                    }
                };
                let __nitro_admissible = |
                    __nitro_choice: sort::Choice,
                | -> ::core::primitive::bool {
                    match __nitro_choice {
                        sort::Choice::Counting => {
                            let (length,) = (*__nitro_feature_0,);
                            let _ = (&length,);
                            let __nitro_admissible: ::core::primitive::bool = length > 0;
                            __nitro_admissible
                        }
                        _ => true,
                    }
                };
                ::nitro::__private::decide(
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
            move || __nitro_sort_call(__nitro_choice, keys),
            |__nitro_result| {
                use ::nitro::__private::{OutcomeOfAny as _, OutcomeOfResult as _};
                (&::nitro::__private::Outcome(__nitro_result)).__nitro_failed()
            },
        )
}
#[doc(hidden)]
fn __nitro_sort_admits_counting(
    __nitro_known: &[::core::option::Option<::core::primitive::f64>],
    __nitro_configuration: ::nitro::Configuration,
) -> ::core::option::Option<::core::primitive::bool> {
    ::nitro::__private::of_both(
        __nitro_known[0usize],
        ::core::option::Option::Some(0f64),
        |__nitro_left, __nitro_right| __nitro_left > __nitro_right,
    )
}
#[doc(hidden)]
mod __nitro_sort_is_declared_in_a_function_body__move_it_to_module_level {}
/// What belongs to the function `sort`: its variants, its selections and its descriptor.
mod sort {
    /// The variants of `sort`, in the order of their declaration.
    #[derive(
        ::core::fmt::Debug,
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::cmp::PartialEq,
        ::core::cmp::Eq,
        ::core::hash::Hash,
    )]
    pub(super) enum Variant {
        /// The function `merge`.
        Merge,
        /// The function `insertion`.
        Insertion,
        /// The function `counting`.
        Counting,
    }
    impl Variant {
        /// All variants, in the order of their declaration.
        pub(super) const ALL: &'static [Self] = &[
            Self::Merge,
            Self::Insertion,
            Self::Counting,
        ];
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
                Self::Insertion => "insertion",
                Self::Counting => "counting",
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
                "insertion" => ::core::result::Result::Ok(Self::Insertion),
                "counting" => ::core::result::Result::Ok(Self::Counting),
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
    /// The descriptor of `sort`, which the trainer takes.
    #[must_use]
    pub(super) fn function() -> &'static ::nitro::Function {
        const VARIANTS: &[::nitro::VariantInfo] = &[
            ::nitro::VariantInfo::new("merge").with_digest(14695981039346656037u64),
            ::nitro::VariantInfo::new("insertion")
                .preferred_by(1usize)
                .with_digest(14695981039346656037u64),
            ::nitro::VariantInfo::new("counting")
                .with_constraint(
                    ::nitro::Constraint::new(
                        ::core::stringify!(length > 0),
                        super::__nitro_sort_admits_counting,
                    ),
                )
                .preferred_by(2usize)
                .with_digest(11763317410237039853u64),
        ];
        static FUNCTION: ::nitro::Function = ::nitro::Function::new(
                ::core::module_path!(),
                VARIANTS,
            )
            .with_features(&["length", "prefer_insertion", "prefer_counting"])
            .with_feature_digests(
                &[
                    10046209793640847297u64, 12382529914097655031u64,
                    348158941615969713u64,
                ],
            )
            .with_free_features(1u32)
            .with_default(Variant::Merge as ::core::primitive::usize);
        &FUNCTION
    }
    /// Compiles what calls of `sort` may run, by its option `prepare`, and reads its model, so that no call does.
    ///
    /// # Errors
    /// What could not be prepared, and why; calls go on as they would without.
    pub(super) fn prepare() -> ::core::result::Result<(), ::nitro::PrepareError> {
        function().prepare()
    }
    /// Holds the choice of the next call of `sort` on this thread, until what this returns is dropped.
    pub(super) fn hold() -> ::nitro::Held {
        ::nitro::__private::hold(&__NITRO_CACHE)
    }
    use super::__nitro_sort_is_declared_in_a_function_body__move_it_to_module_level as _;
    #[doc(inline)]
    pub(super) use super::{
        __nitro_sort_select as select, __nitro_sort_call as call,
        __nitro_sort_admissible as admissible,
    };
    ::std::thread_local! {
        pub (super) static __NITRO_CACHE : ::nitro::__private::InlineCache < Choice,
        3usize > = const { ::nitro::__private::InlineCache::new() };
    }
}
