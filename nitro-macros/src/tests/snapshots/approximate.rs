pub fn sum(values: &[f64], options: &Options) -> f64 {
    match ::nitro::__private::at_once(
        &sum::__NITRO_CACHE,
        |__nitro_column: ::core::primitive::usize| match __nitro_column {
            0usize => ::nitro::FeatureValue::to_f64((values.len())),
            1usize => 0.0,
            _ => ::core::primitive::f64::NAN,
        },
        || [::nitro::FeatureValue::to_f64((values.len()))],
        |_: sum::Choice| ::core::option::Option::None,
    ) {
        ::core::option::Option::Some(__nitro_choice) => {
            __nitro_sum_call(__nitro_choice, values, options)
        }
        ::core::option::Option::None => __nitro_sum_anew(values, options),
    }
}
/// What a call of `sum` with these arguments would run, and why; nothing is run.
#[doc(hidden)]
#[must_use]
pub fn __nitro_sum_select(
    values: &[f64],
    options: &Options,
) -> ::nitro::Selection<sum::Variant> {
    let _ = (&values, &options);
    let __nitro_device = ::nitro::__private::host();
    let __nitro_feature_0 = ::core::cell::LazyCell::new(|| (values.len()));
    let __nitro_features = |
        __nitro_needs: ::core::primitive::u32,
        __nitro_row: &mut [::core::primitive::f64; 1usize]|
    {
        if __nitro_needs & 1u32 != 0 {
            __nitro_row[0usize] = ::nitro::FeatureValue::to_f64(*__nitro_feature_0);
        }
    };
    let __nitro_tolerance = ::core::cell::LazyCell::new(|| -> ::core::primitive::f64 {
        (options.tolerance)
    });
    let __nitro_admissible = |__nitro_choice: sum::Choice| -> ::core::primitive::bool {
        match __nitro_choice {
            sum::Choice::Evolved => *__nitro_tolerance >= __nitro_sum_max_error_evolved,
            #[cfg(feature = "half")]
            sum::Choice::Halves(__nitro_parameters) => {
                *__nitro_tolerance >= __nitro_sum_max_error_halves
                    && {
                        let (length,) = (*__nitro_feature_0,);
                        let sum::Halves { lanes } = __nitro_parameters;
                        let _ = (&lanes,);
                        let _ = (&length,);
                        let __nitro_admissible: ::core::primitive::bool = length
                            >= lanes;
                        __nitro_admissible
                    }
            }
            _ => true,
        }
    };
    ::nitro::__private::select(
        sum::function(),
        &__nitro_device,
        &__nitro_features,
        &__nitro_admissible,
        &|| *__nitro_tolerance,
    )
}
/** Runs the given variant of `sum` with its defaults, or with given values of its parameters, whatever its constraint says.

 # Panics
 When a constant parameter has none of its values: such an instance is not compiled.*/
#[doc(hidden)]
#[allow(clippy::impl_trait_in_params)]
#[inline]
pub fn __nitro_sum_call(
    __nitro_choice: impl ::core::convert::Into<sum::Choice>,
    values: &[f64],
    options: &Options,
) -> f64 {
    match ::core::convert::Into::into(__nitro_choice) {
        sum::Choice::InOrder => {
            let __nitro_function: fn(&[f64], &Options) -> f64 = in_order;
            __nitro_function(values, options)
        }
        sum::Choice::Evolved => {
            let __nitro_function: fn(&[f64], &Options) -> f64 = evolved;
            __nitro_function(values, options)
        }
        #[cfg(feature = "half")]
        sum::Choice::Halves(__nitro_parameters) => {
            let __nitro_function: fn(sum::Halves, &[f64], &Options) -> f64 = halves;
            __nitro_function(__nitro_parameters, values, options)
        }
    }
}
/// Whether the constraint of the given variant of `sum` lets it run with these arguments; nothing is run.
#[doc(hidden)]
#[allow(clippy::impl_trait_in_params)]
#[must_use]
pub fn __nitro_sum_admissible(
    __nitro_choice: impl ::core::convert::Into<sum::Choice>,
    values: &[f64],
    options: &Options,
) -> ::core::primitive::bool {
    let _ = (&values, &options);
    let __nitro_feature_0 = ::core::cell::LazyCell::new(|| (values.len()));
    let __nitro_tolerance = ::core::cell::LazyCell::new(|| -> ::core::primitive::f64 {
        (options.tolerance)
    });
    match ::core::convert::Into::into(__nitro_choice) {
        sum::Choice::Evolved => *__nitro_tolerance >= __nitro_sum_max_error_evolved,
        #[cfg(feature = "half")]
        sum::Choice::Halves(__nitro_parameters) => {
            *__nitro_tolerance >= __nitro_sum_max_error_halves
                && {
                    let (length,) = (*__nitro_feature_0,);
                    let sum::Halves { lanes } = __nitro_parameters;
                    let _ = (&lanes,);
                    let _ = (&length,);
                    let __nitro_admissible: ::core::primitive::bool = length >= lanes;
                    __nitro_admissible
                }
        }
        _ => true,
    }
}
/// Runs `sum` by a choice that is looked up or made.
#[doc(hidden)]
#[inline(never)]
pub fn __nitro_sum_anew(values: &[f64], options: &Options) -> f64 {
    let __nitro_decision = {
        let __nitro_compute_0 = || values.len();
        let mut __nitro_value_0 = ::core::option::Option::None;
        let __nitro_begun = ::nitro::__private::Call::begin_on_host(&sum::__NITRO_CACHE);
        let mut __nitro_row = [0.0; 1usize];
        let __nitro_remembered = match __nitro_begun.walk() {
            ::core::option::Option::Some(mut __nitro_walk) => {
                __nitro_row[0usize] = ::nitro::FeatureValue::to_f64(__nitro_compute_0());
                while let ::core::option::Option::Some(__nitro_column) = __nitro_walk
                    .column()
                {
                    match __nitro_column {
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
                let __nitro_features = |
                    __nitro_needs: ::core::primitive::u32,
                    __nitro_row: &mut [::core::primitive::f64; 1usize]|
                {
                    if __nitro_needs & 1u32 != 0 {
                        __nitro_row[0usize] = ::nitro::FeatureValue::to_f64(
                            *__nitro_feature_0,
                        );
                    }
                };
                let __nitro_tolerance = ::core::cell::LazyCell::new(|| -> ::core::primitive::f64 {
                    (options.tolerance)
                });
                let __nitro_admissible = |
                    __nitro_choice: sum::Choice,
                | -> ::core::primitive::bool {
                    match __nitro_choice {
                        sum::Choice::Evolved => {
                            *__nitro_tolerance >= __nitro_sum_max_error_evolved
                        }
                        #[cfg(feature = "half")]
                        sum::Choice::Halves(__nitro_parameters) => {
                            *__nitro_tolerance >= __nitro_sum_max_error_halves
                                && {
                                    let (length,) = (*__nitro_feature_0,);
                                    let sum::Halves { lanes } = __nitro_parameters;
                                    let _ = (&lanes,);
                                    let _ = (&length,);
                                    let __nitro_admissible: ::core::primitive::bool = length
                                        >= lanes;
                                    __nitro_admissible
                                }
                        }
                        _ => true,
                    }
                };
                ::nitro::__private::decide(
                    __nitro_remembered,
                    sum::function(),
                    &__nitro_device,
                    &__nitro_features,
                    &__nitro_admissible,
                    &|| *__nitro_tolerance,
                )
            }
        }
    };
    let __nitro_choice = __nitro_decision.choice();
    __nitro_decision
        .run(
            move || __nitro_sum_call(__nitro_choice, values, options),
            |__nitro_result| {
                use ::nitro::__private::{OutcomeOfAny as _, OutcomeOfResult as _};
                (&::nitro::__private::Outcome(__nitro_result)).__nitro_failed()
            },
        )
}
#[cfg(feature = "half")]
#[doc(hidden)]
const __nitro_sum_values_halves_lanes: [::core::primitive::usize; 2usize] = [4, 8];
#[doc(hidden)]
const __nitro_sum_max_error_evolved: ::core::primitive::f64 = {
    let __nitro_error: ::core::primitive::f64 = 0.003;
    ::core::assert!(
        __nitro_error > 0.0 && __nitro_error < ::core::primitive::f64::INFINITY,
        "the largest relative error is a number above 0, such as `0.003`"
    );
    __nitro_error
};
#[cfg(feature = "half")]
#[doc(hidden)]
const __nitro_sum_max_error_halves: ::core::primitive::f64 = {
    let __nitro_error: ::core::primitive::f64 = HALF_ERROR;
    ::core::assert!(
        __nitro_error > 0.0 && __nitro_error < ::core::primitive::f64::INFINITY,
        "the largest relative error is a number above 0, such as `0.003`"
    );
    __nitro_error
};
#[doc(hidden)]
fn __nitro_sum_admits_evolved(
    __nitro_known: &[::core::option::Option<::core::primitive::f64>],
    __nitro_configuration: ::nitro::Configuration,
) -> ::core::option::Option<::core::primitive::bool> {
    ::core::option::Option::None
}
#[cfg(feature = "half")]
#[doc(hidden)]
fn __nitro_sum_admits_halves(
    __nitro_known: &[::core::option::Option<::core::primitive::f64>],
    __nitro_configuration: ::nitro::Configuration,
) -> ::core::option::Option<::core::primitive::bool> {
    let __nitro_parameters = <sum::Halves as ::core::convert::From<
        ::nitro::Configuration,
    >>::from(__nitro_configuration);
    ::nitro::__private::and(
        ::core::option::Option::None,
        ::nitro::__private::of_both(
            __nitro_known[0usize],
            ::core::option::Option::Some(
                ::nitro::FeatureValue::to_f64(__nitro_parameters.lanes),
            ),
            |__nitro_left, __nitro_right| __nitro_left >= __nitro_right,
        ),
    )
}
#[doc(hidden)]
mod __nitro_sum_is_declared_in_a_function_body__move_it_to_module_level {}
/// What belongs to the function `sum`: its variants, its selections and its descriptor.
pub mod sum {
    /// The variants of `sum`, in the order of their declaration.
    #[derive(
        ::core::fmt::Debug,
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::cmp::PartialEq,
        ::core::cmp::Eq,
        ::core::hash::Hash,
    )]
    pub enum Variant {
        /// The function `in_order`.
        InOrder,
        /// The function `evolved`.
        Evolved,
        #[cfg(feature = "half")]
        /// The function `halves`.
        Halves,
    }
    impl Variant {
        /// All variants, in the order of their declaration.
        pub const ALL: &'static [Self] = &[
            Self::InOrder,
            Self::Evolved,
            #[cfg(feature = "half")]
            Self::Halves,
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
                Self::InOrder => "in_order",
                Self::Evolved => "evolved",
                #[cfg(feature = "half")]
                Self::Halves => "halves",
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
                "in_order" => ::core::result::Result::Ok(Self::InOrder),
                "evolved" => ::core::result::Result::Ok(Self::Evolved),
                #[cfg(feature = "half")]
                "halves" => ::core::result::Result::Ok(Self::Halves),
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
    #[cfg(feature = "half")]
    /// A value for each tuning parameter of `halves`; `Default` has those that are used where nothing was learned.
    #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
    #[derive(::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash)]
    pub struct Halves {
        /// One of 4, 8; 4 where nothing was learned.
        pub lanes: ::core::primitive::usize,
    }
    #[cfg(feature = "half")]
    impl ::core::default::Default for Halves {
        fn default() -> Self {
            Self {
                lanes: super::__nitro_sum_values_halves_lanes[0usize],
            }
        }
    }
    #[cfg(feature = "half")]
    impl ::core::convert::From<::nitro::Configuration> for Halves {
        #[inline]
        fn from(configuration: ::nitro::Configuration) -> Self {
            let mut __nitro_digits = ::nitro::__private::Digits::new(configuration);
            Self {
                lanes: super::__nitro_sum_values_halves_lanes[__nitro_digits
                    .next_of(2usize)],
            }
        }
    }
    #[cfg(feature = "half")]
    impl ::core::fmt::Display for Halves {
        fn fmt(
            &self,
            formatter: &mut ::core::fmt::Formatter<'_>,
        ) -> ::core::fmt::Result {
            ::core::write!(
                formatter, "lanes={}", ::nitro::__private::ValueText { value : & self
                .lanes, values : & super::__nitro_sum_values_halves_lanes, texts : &
                ["4", "8"], }
            )?;
            ::core::result::Result::Ok(())
        }
    }
    /// The choices of `sum`: a variant, with values for its tuning parameters if it has any.
    #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
    #[derive(::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash)]
    pub enum Choice {
        /// The variant `in_order`.
        InOrder,
        /// The variant `evolved`.
        Evolved,
        #[cfg(feature = "half")]
        /// The variant `halves`.
        Halves(Halves),
    }
    impl ::nitro::CodeChoice for Choice {
        type Variant = Variant;
        fn of(choice: ::nitro::Choice) -> Self {
            match <Variant as ::nitro::CodeVariant>::ALL[choice.variant] {
                Variant::InOrder => Self::InOrder,
                Variant::Evolved => Self::Evolved,
                #[cfg(feature = "half")]
                Variant::Halves => {
                    Self::Halves(::core::convert::From::from(choice.configuration))
                }
            }
        }
        fn variant(self) -> Variant {
            match self {
                Self::InOrder => Variant::InOrder,
                Self::Evolved => Variant::Evolved,
                #[cfg(feature = "half")]
                Self::Halves(_) => Variant::Halves,
            }
        }
    }
    impl ::core::convert::From<Variant> for Choice {
        fn from(variant: Variant) -> Self {
            match variant {
                Variant::InOrder => Self::InOrder,
                Variant::Evolved => Self::Evolved,
                #[cfg(feature = "half")]
                Variant::Halves => Self::Halves(::core::default::Default::default()),
            }
        }
    }
    impl ::core::fmt::Display for Choice {
        fn fmt(
            &self,
            formatter: &mut ::core::fmt::Formatter<'_>,
        ) -> ::core::fmt::Result {
            match self {
                Self::InOrder => formatter.write_str("in_order"),
                Self::Evolved => formatter.write_str("evolved"),
                #[cfg(feature = "half")]
                Self::Halves(parameters) => {
                    ::core::write!(formatter, "halves{{{}}}", parameters)
                }
            }
        }
    }
    impl ::core::str::FromStr for Choice {
        type Err = ::nitro::UnknownChoice;
        fn from_str(
            text: &::core::primitive::str,
        ) -> ::core::result::Result<Self, ::nitro::UnknownChoice> {
            let choice = function().choice(text)?;
            ::core::result::Result::Ok(<Self as ::nitro::CodeChoice>::of(choice))
        }
    }
    /// The descriptor of `sum`, which the trainer takes.
    #[must_use]
    pub fn function() -> &'static ::nitro::Function {
        const VARIANTS: &[::nitro::VariantInfo] = &[
            ::nitro::VariantInfo::new("in_order").with_digest(14695981039346656037u64),
            ::nitro::VariantInfo::new("evolved")
                .with_constraint(
                    ::nitro::Constraint::new(
                        ::core::stringify!(tolerance >= 0.003),
                        super::__nitro_sum_admits_evolved,
                    ),
                )
                .approximate(
                    super::__nitro_sum_max_error_evolved,
                    ::core::option::Option::Some("lengths to 4096"),
                )
                .with_digest(14695981039346656037u64),
            #[cfg(feature = "half")]
            ::nitro::VariantInfo::new("halves")
                .with_parameters(
                    &[
                        ::nitro::Parameter::new(
                            "lanes",
                            ::nitro::ParameterKind::Number,
                            &["4", "8"],
                            0usize,
                        ),
                    ],
                )
                .with_constraint(
                    ::nitro::Constraint::new(
                        ::core::stringify!(tolerance >= HALF_ERROR && (length >= lanes)),
                        super::__nitro_sum_admits_halves,
                    ),
                )
                .approximate(
                    super::__nitro_sum_max_error_halves,
                    ::core::option::Option::None,
                )
                .with_digest(12185818392226934084u64),
        ];
        static FUNCTION: ::nitro::Function = ::nitro::Function::new(
                ::core::module_path!(),
                VARIANTS,
            )
            .with_features(&["length"])
            .with_feature_digests(&[16286877767995301339u64])
            .with_free_features(1u32)
            .with_default(Variant::InOrder as ::core::primitive::usize);
        &FUNCTION
    }
    /// Compiles what calls of `sum` may run, by its option `prepare`, and reads its model, so that no call does.
    ///
    /// # Errors
    /// What could not be prepared, and why; calls go on as they would without.
    pub fn prepare() -> ::core::result::Result<(), ::nitro::PrepareError> {
        function().prepare()
    }
    /// Holds the choice of the next call of `sum` on this thread, until what this returns is dropped.
    pub fn hold() -> ::nitro::Held {
        ::nitro::__private::hold(&__NITRO_CACHE)
    }
    use super::__nitro_sum_is_declared_in_a_function_body__move_it_to_module_level as _;
    #[allow(clippy::pub_use)]
    #[doc(inline)]
    pub use super::{
        __nitro_sum_select as select, __nitro_sum_call as call,
        __nitro_sum_admissible as admissible,
    };
    ::std::thread_local! {
        pub (super) static __NITRO_CACHE : ::nitro::__private::InlineCache < Choice,
        1usize > = const { ::nitro::__private::InlineCache::new() };
    }
}
