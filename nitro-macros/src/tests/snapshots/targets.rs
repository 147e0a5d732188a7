pub fn product<T: Number>(a: &[T], b: &[T]) -> T {
    match ::nitro::__private::at_once(
        &product::__NITRO_CACHE,
        |__nitro_column: ::core::primitive::usize| match __nitro_column {
            0usize => ::nitro::FeatureValue::to_f64((a.len())),
            1usize => 0.0,
            _ => ::core::primitive::f64::NAN,
        },
        || [::nitro::FeatureValue::to_f64((a.len()))],
        |__nitro_choice: product::Choice| match __nitro_choice {
            product::Choice::Dot(__nitro_parameters) => {
                ::core::option::Option::Some({
                    let (length,) = ((a.len()),);
                    let product::Dot { block, LANES } = __nitro_parameters;
                    let _ = (&block, &LANES);
                    let _ = (&length,);
                    let __nitro_admissible: ::core::primitive::bool = length > 8;
                    __nitro_admissible
                })
            }
            _ => ::core::option::Option::None,
        },
    ) {
        ::core::option::Option::Some(__nitro_choice) => {
            __nitro_product_call::<T>(__nitro_choice, a, b)
        }
        ::core::option::Option::None => __nitro_product_anew::<T>(a, b),
    }
}
/// What a call of `product` with these arguments would run, and why; nothing is run.
#[doc(hidden)]
#[must_use]
pub fn __nitro_product_select<T: Number>(
    a: &[T],
    b: &[T],
) -> ::nitro::Selection<product::Variant> {
    let _ = (&a, &b);
    let __nitro_device = ::nitro::__private::host();
    let __nitro_feature_0 = ::core::cell::LazyCell::new(|| (a.len()));
    let __nitro_features = |
        __nitro_needs: ::core::primitive::u32,
        __nitro_row: &mut [::core::primitive::f64; 1usize]|
    {
        if __nitro_needs & 1u32 != 0 {
            __nitro_row[0usize] = ::nitro::FeatureValue::to_f64(*__nitro_feature_0);
        }
    };
    let __nitro_admissible = |
        __nitro_choice: product::Choice,
    | -> ::core::primitive::bool {
        match __nitro_choice {
            product::Choice::Dot(__nitro_parameters) => {
                let (length,) = (*__nitro_feature_0,);
                let product::Dot { block, LANES } = __nitro_parameters;
                let _ = (&block, &LANES);
                let _ = (&length,);
                let __nitro_admissible: ::core::primitive::bool = length > 8;
                __nitro_admissible
            }
            #[cfg(target_arch = "x86_64")]
            product::Choice::DotAvx2Fma(__nitro_parameters) => {
                __nitro_product_has_target_of_dot_x86_64_avx2_fma()
                    && {
                        let (length,) = (*__nitro_feature_0,);
                        let product::Dot { block, LANES } = __nitro_parameters;
                        let _ = (&block, &LANES);
                        let _ = (&length,);
                        let __nitro_admissible: ::core::primitive::bool = length > 8;
                        __nitro_admissible
                    }
            }
            #[cfg(target_arch = "aarch64")]
            product::Choice::DotNeon(__nitro_parameters) => {
                __nitro_product_has_target_of_dot_aarch64_neon()
                    && {
                        let (length,) = (*__nitro_feature_0,);
                        let product::Dot { block, LANES } = __nitro_parameters;
                        let _ = (&block, &LANES);
                        let _ = (&length,);
                        let __nitro_admissible: ::core::primitive::bool = length > 8;
                        __nitro_admissible
                    }
            }
            _ => true,
        }
    };
    ::nitro::__private::select(
        product::function(),
        &__nitro_device,
        &__nitro_features,
        &__nitro_admissible,
        &|| 0.0,
    )
}
/** Runs the given variant of `product` with its defaults, or with given values of its parameters, whatever its constraint says.

 # Panics
 When a constant parameter has none of its values: such an instance is not compiled.*/
#[doc(hidden)]
#[allow(clippy::impl_trait_in_params)]
#[inline]
pub fn __nitro_product_call<T: Number>(
    __nitro_choice: impl ::core::convert::Into<product::Choice>,
    a: &[T],
    b: &[T],
) -> T {
    match ::core::convert::Into::into(__nitro_choice) {
        product::Choice::Plain => {
            let __nitro_function: fn(&[T], &[T]) -> T = plain;
            __nitro_function(a, b)
        }
        product::Choice::Dot(__nitro_parameters) => {
            __nitro_product_baseline_dot::<T>(__nitro_parameters, a, b)
        }
        #[cfg(target_arch = "x86_64")]
        product::Choice::DotAvx2Fma(__nitro_parameters) => {
            if __nitro_product_has_target_of_dot_x86_64_avx2_fma() {
                unsafe {
                    __nitro_product_clone_dot_x86_64_avx2_fma::<
                        T,
                    >(__nitro_parameters, a, b)
                }
            } else {
                __nitro_product_baseline_dot::<T>(__nitro_parameters, a, b)
            }
        }
        #[cfg(target_arch = "aarch64")]
        product::Choice::DotNeon(__nitro_parameters) => {
            if __nitro_product_has_target_of_dot_aarch64_neon() {
                unsafe {
                    __nitro_product_clone_dot_aarch64_neon::<T>(__nitro_parameters, a, b)
                }
            } else {
                __nitro_product_baseline_dot::<T>(__nitro_parameters, a, b)
            }
        }
    }
}
/// Whether the constraint of the given variant of `product` lets it run with these arguments; nothing is run.
#[doc(hidden)]
#[allow(clippy::impl_trait_in_params)]
#[must_use]
pub fn __nitro_product_admissible<T: Number>(
    __nitro_choice: impl ::core::convert::Into<product::Choice>,
    a: &[T],
    b: &[T],
) -> ::core::primitive::bool {
    let _ = (&a, &b);
    let __nitro_feature_0 = ::core::cell::LazyCell::new(|| (a.len()));
    match ::core::convert::Into::into(__nitro_choice) {
        product::Choice::Dot(__nitro_parameters) => {
            let (length,) = (*__nitro_feature_0,);
            let product::Dot { block, LANES } = __nitro_parameters;
            let _ = (&block, &LANES);
            let _ = (&length,);
            let __nitro_admissible: ::core::primitive::bool = length > 8;
            __nitro_admissible
        }
        #[cfg(target_arch = "x86_64")]
        product::Choice::DotAvx2Fma(__nitro_parameters) => {
            __nitro_product_has_target_of_dot_x86_64_avx2_fma()
                && {
                    let (length,) = (*__nitro_feature_0,);
                    let product::Dot { block, LANES } = __nitro_parameters;
                    let _ = (&block, &LANES);
                    let _ = (&length,);
                    let __nitro_admissible: ::core::primitive::bool = length > 8;
                    __nitro_admissible
                }
        }
        #[cfg(target_arch = "aarch64")]
        product::Choice::DotNeon(__nitro_parameters) => {
            __nitro_product_has_target_of_dot_aarch64_neon()
                && {
                    let (length,) = (*__nitro_feature_0,);
                    let product::Dot { block, LANES } = __nitro_parameters;
                    let _ = (&block, &LANES);
                    let _ = (&length,);
                    let __nitro_admissible: ::core::primitive::bool = length > 8;
                    __nitro_admissible
                }
        }
        _ => true,
    }
}
/// Runs `product` by a choice that is looked up or made.
#[doc(hidden)]
#[inline(never)]
pub fn __nitro_product_anew<T: Number>(a: &[T], b: &[T]) -> T {
    let __nitro_decision = {
        let __nitro_compute_0 = || a.len();
        let mut __nitro_value_0 = ::core::option::Option::None;
        let __nitro_begun = ::nitro::__private::Call::begin_on_host(
            &product::__NITRO_CACHE,
        );
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
                let __nitro_admissible = |
                    __nitro_choice: product::Choice,
                | -> ::core::primitive::bool {
                    match __nitro_choice {
                        product::Choice::Dot(__nitro_parameters) => {
                            let (length,) = (*__nitro_feature_0,);
                            let product::Dot { block, LANES } = __nitro_parameters;
                            let _ = (&block, &LANES);
                            let _ = (&length,);
                            let __nitro_admissible: ::core::primitive::bool = length > 8;
                            __nitro_admissible
                        }
                        #[cfg(target_arch = "x86_64")]
                        product::Choice::DotAvx2Fma(__nitro_parameters) => {
                            __nitro_product_has_target_of_dot_x86_64_avx2_fma()
                                && {
                                    let (length,) = (*__nitro_feature_0,);
                                    let product::Dot { block, LANES } = __nitro_parameters;
                                    let _ = (&block, &LANES);
                                    let _ = (&length,);
                                    let __nitro_admissible: ::core::primitive::bool = length
                                        > 8;
                                    __nitro_admissible
                                }
                        }
                        #[cfg(target_arch = "aarch64")]
                        product::Choice::DotNeon(__nitro_parameters) => {
                            __nitro_product_has_target_of_dot_aarch64_neon()
                                && {
                                    let (length,) = (*__nitro_feature_0,);
                                    let product::Dot { block, LANES } = __nitro_parameters;
                                    let _ = (&block, &LANES);
                                    let _ = (&length,);
                                    let __nitro_admissible: ::core::primitive::bool = length
                                        > 8;
                                    __nitro_admissible
                                }
                        }
                        _ => true,
                    }
                };
                ::nitro::__private::decide(
                    __nitro_remembered,
                    product::function(),
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
            move || __nitro_product_call::<T>(__nitro_choice, a, b),
            |__nitro_result| {
                use ::nitro::__private::{OutcomeOfAny as _, OutcomeOfResult as _};
                (&::nitro::__private::Outcome(__nitro_result)).__nitro_failed()
            },
        )
}
#[doc(hidden)]
fn __nitro_product_baseline_dot<T: Number>(
    __nitro_parameters: product::Dot,
    a: &[T],
    b: &[T],
) -> T {
    let __nitro_function: fn(product::Dot, &[T], &[T]) -> T = match (
        __nitro_parameters.LANES,
    ) {
        (4,) => kernels::dot::<_, { 4 }>,
        _ => {
            ::core::panic!(
                "no instance of `dot` is compiled for {:?}", __nitro_parameters
            )
        }
    };
    __nitro_function(__nitro_parameters, a, b)
}
#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
#[target_feature(enable = "avx2,fma")]
unsafe fn __nitro_product_clone_dot_x86_64_avx2_fma<T: Number>(
    __nitro_parameters: product::Dot,
    a: &[T],
    b: &[T],
) -> T {
    let () = kernels::__nitro_dot_needs_the_attribute_cloneable_and_its_full_path;
    match (__nitro_parameters.LANES,) {
        (4,) => kernels::dot::<_, { 4 }>(__nitro_parameters, a, b),
        _ => {
            ::core::panic!(
                "no instance of `dot` is compiled for {:?}", __nitro_parameters
            )
        }
    }
}
#[cfg(target_arch = "aarch64")]
#[doc(hidden)]
#[target_feature(enable = "neon")]
unsafe fn __nitro_product_clone_dot_aarch64_neon<T: Number>(
    __nitro_parameters: product::Dot,
    a: &[T],
    b: &[T],
) -> T {
    let () = kernels::__nitro_dot_needs_the_attribute_cloneable_and_its_full_path;
    match (__nitro_parameters.LANES,) {
        (4,) => kernels::dot::<_, { 4 }>(__nitro_parameters, a, b),
        _ => {
            ::core::panic!(
                "no instance of `dot` is compiled for {:?}", __nitro_parameters
            )
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
#[inline]
fn __nitro_product_has_target_of_dot_x86_64_avx2_fma() -> ::core::primitive::bool {
    static DETECTED: ::nitro::__private::Detected = ::nitro::__private::Detected::new();
    DETECTED
        .get(|| {
            ::std::arch::is_x86_feature_detected!("avx2")
                && ::std::arch::is_x86_feature_detected!("fma")
        })
}
#[cfg(target_arch = "aarch64")]
#[doc(hidden)]
#[inline]
fn __nitro_product_has_target_of_dot_aarch64_neon() -> ::core::primitive::bool {
    static DETECTED: ::nitro::__private::Detected = ::nitro::__private::Detected::new();
    DETECTED.get(|| ::std::arch::is_aarch64_feature_detected!("neon"))
}
#[doc(hidden)]
const __nitro_product_values_dot_block: [::core::primitive::u32; 2usize] = [8, 16];
#[doc(hidden)]
const __nitro_product_values_dot_LANES: [::core::primitive::usize; 1usize] = [4];
#[doc(hidden)]
fn __nitro_product_admits_dot(
    __nitro_known: &[::core::option::Option<::core::primitive::f64>],
    __nitro_configuration: ::nitro::Configuration,
) -> ::core::option::Option<::core::primitive::bool> {
    let __nitro_parameters = <product::Dot as ::core::convert::From<
        ::nitro::Configuration,
    >>::from(__nitro_configuration);
    ::nitro::__private::of_both(
        __nitro_known[0usize],
        ::core::option::Option::Some(8f64),
        |__nitro_left, __nitro_right| __nitro_left > __nitro_right,
    )
}
#[doc(hidden)]
mod __nitro_product_is_declared_in_a_function_body__move_it_to_module_level {}
/// What belongs to the function `product`: its variants, its selections and its descriptor.
pub mod product {
    /// The variants of `product`, in the order of their declaration.
    #[derive(
        ::core::fmt::Debug,
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::cmp::PartialEq,
        ::core::cmp::Eq,
        ::core::hash::Hash,
    )]
    pub enum Variant {
        /// The function `plain`.
        Plain,
        /// The function `kernels::dot`.
        Dot,
        #[cfg(target_arch = "x86_64")]
        /// The function `kernels::dot`, compiled for processors with avx2, fma.
        DotAvx2Fma,
        #[cfg(target_arch = "aarch64")]
        /// The function `kernels::dot`, compiled for processors with neon.
        DotNeon,
    }
    impl Variant {
        /// All variants, in the order of their declaration.
        pub const ALL: &'static [Self] = &[
            Self::Plain,
            Self::Dot,
            #[cfg(target_arch = "x86_64")]
            Self::DotAvx2Fma,
            #[cfg(target_arch = "aarch64")]
            Self::DotNeon,
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
                Self::Plain => "plain",
                Self::Dot => "dot",
                #[cfg(target_arch = "x86_64")]
                Self::DotAvx2Fma => "dot@avx2+fma",
                #[cfg(target_arch = "aarch64")]
                Self::DotNeon => "dot@neon",
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
                "plain" => ::core::result::Result::Ok(Self::Plain),
                "dot" => ::core::result::Result::Ok(Self::Dot),
                #[cfg(target_arch = "x86_64")]
                "dot@avx2+fma" => ::core::result::Result::Ok(Self::DotAvx2Fma),
                #[cfg(target_arch = "aarch64")]
                "dot@neon" => ::core::result::Result::Ok(Self::DotNeon),
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
    /// A value for each tuning parameter of `dot`; `Default` has those that are used where nothing was learned.
    #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
    #[derive(::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash)]
    pub struct Dot {
        /// One of 8, 16; 8 where nothing was learned.
        pub block: ::core::primitive::u32,
        /// One of 4; 4 where nothing was learned. A constant of the variant's type parameters.
        pub LANES: ::core::primitive::usize,
    }
    impl ::core::default::Default for Dot {
        fn default() -> Self {
            Self {
                block: super::__nitro_product_values_dot_block[0usize],
                LANES: super::__nitro_product_values_dot_LANES[0usize],
            }
        }
    }
    impl ::core::convert::From<::nitro::Configuration> for Dot {
        #[inline]
        fn from(configuration: ::nitro::Configuration) -> Self {
            let mut __nitro_digits = ::nitro::__private::Digits::new(configuration);
            Self {
                LANES: super::__nitro_product_values_dot_LANES[__nitro_digits
                    .next_of(1usize)],
                block: super::__nitro_product_values_dot_block[__nitro_digits
                    .next_of(2usize)],
            }
        }
    }
    impl ::core::fmt::Display for Dot {
        fn fmt(
            &self,
            formatter: &mut ::core::fmt::Formatter<'_>,
        ) -> ::core::fmt::Result {
            ::core::write!(
                formatter, "block={}", ::nitro::__private::ValueText { value : & self
                .block, values : & super::__nitro_product_values_dot_block, texts : &
                ["8", "16"], }
            )?;
            ::core::write!(
                formatter, ",LANES={}", ::nitro::__private::ValueText { value : & self
                .LANES, values : & super::__nitro_product_values_dot_LANES, texts : &
                ["4"], }
            )?;
            ::core::result::Result::Ok(())
        }
    }
    /// The choices of `product`: a variant, with values for its tuning parameters if it has any.
    #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
    #[derive(::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash)]
    pub enum Choice {
        /// The variant `plain`.
        Plain,
        /// The variant `dot`.
        Dot(Dot),
        #[cfg(target_arch = "x86_64")]
        /// The variant `dot@avx2+fma`.
        DotAvx2Fma(Dot),
        #[cfg(target_arch = "aarch64")]
        /// The variant `dot@neon`.
        DotNeon(Dot),
    }
    impl ::nitro::CodeChoice for Choice {
        type Variant = Variant;
        fn of(choice: ::nitro::Choice) -> Self {
            match <Variant as ::nitro::CodeVariant>::ALL[choice.variant] {
                Variant::Plain => Self::Plain,
                Variant::Dot => {
                    Self::Dot(::core::convert::From::from(choice.configuration))
                }
                #[cfg(target_arch = "x86_64")]
                Variant::DotAvx2Fma => {
                    Self::DotAvx2Fma(::core::convert::From::from(choice.configuration))
                }
                #[cfg(target_arch = "aarch64")]
                Variant::DotNeon => {
                    Self::DotNeon(::core::convert::From::from(choice.configuration))
                }
            }
        }
        fn variant(self) -> Variant {
            match self {
                Self::Plain => Variant::Plain,
                Self::Dot(_) => Variant::Dot,
                #[cfg(target_arch = "x86_64")]
                Self::DotAvx2Fma(_) => Variant::DotAvx2Fma,
                #[cfg(target_arch = "aarch64")]
                Self::DotNeon(_) => Variant::DotNeon,
            }
        }
    }
    impl ::core::convert::From<Variant> for Choice {
        fn from(variant: Variant) -> Self {
            match variant {
                Variant::Plain => Self::Plain,
                Variant::Dot => Self::Dot(::core::default::Default::default()),
                #[cfg(target_arch = "x86_64")]
                Variant::DotAvx2Fma => {
                    Self::DotAvx2Fma(::core::default::Default::default())
                }
                #[cfg(target_arch = "aarch64")]
                Variant::DotNeon => Self::DotNeon(::core::default::Default::default()),
            }
        }
    }
    impl ::core::fmt::Display for Choice {
        fn fmt(
            &self,
            formatter: &mut ::core::fmt::Formatter<'_>,
        ) -> ::core::fmt::Result {
            match self {
                Self::Plain => formatter.write_str("plain"),
                Self::Dot(parameters) => {
                    ::core::write!(formatter, "dot{{{}}}", parameters)
                }
                #[cfg(target_arch = "x86_64")]
                Self::DotAvx2Fma(parameters) => {
                    ::core::write!(formatter, "dot@avx2+fma{{{}}}", parameters)
                }
                #[cfg(target_arch = "aarch64")]
                Self::DotNeon(parameters) => {
                    ::core::write!(formatter, "dot@neon{{{}}}", parameters)
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
    /// The descriptor of `product`, which the trainer takes.
    #[must_use]
    pub fn function() -> &'static ::nitro::Function {
        const VARIANTS: &[::nitro::VariantInfo] = &[
            ::nitro::VariantInfo::new("plain").with_digest(14695981039346656037u64),
            ::nitro::VariantInfo::new("dot")
                .with_parameters(
                    &[
                        ::nitro::Parameter::new(
                            "block",
                            ::nitro::ParameterKind::Number,
                            &["8", "16"],
                            0usize,
                        ),
                        ::nitro::Parameter::new(
                            "LANES",
                            ::nitro::ParameterKind::Number,
                            &["4"],
                            0usize,
                        ),
                    ],
                )
                .with_constraint(
                    ::nitro::Constraint::new(
                        ::core::stringify!(length > 8),
                        super::__nitro_product_admits_dot,
                    ),
                )
                .with_digest(744302862003537613u64)
                .formerly(&["product"]),
            #[cfg(target_arch = "x86_64")]
            ::nitro::VariantInfo::new("dot@avx2+fma")
                .with_parameters(
                    &[
                        ::nitro::Parameter::new(
                            "block",
                            ::nitro::ParameterKind::Number,
                            &["8", "16"],
                            0usize,
                        ),
                        ::nitro::Parameter::new(
                            "LANES",
                            ::nitro::ParameterKind::Number,
                            &["4"],
                            0usize,
                        ),
                    ],
                )
                .with_constraint(
                    ::nitro::Constraint::new(
                        ::core::stringify!(length > 8),
                        super::__nitro_product_admits_dot,
                    ),
                )
                .with_target(super::__nitro_product_has_target_of_dot_x86_64_avx2_fma)
                .with_digest(744302862003537613u64)
                .formerly(&["product@avx2+fma"]),
            #[cfg(target_arch = "aarch64")]
            ::nitro::VariantInfo::new("dot@neon")
                .with_parameters(
                    &[
                        ::nitro::Parameter::new(
                            "block",
                            ::nitro::ParameterKind::Number,
                            &["8", "16"],
                            0usize,
                        ),
                        ::nitro::Parameter::new(
                            "LANES",
                            ::nitro::ParameterKind::Number,
                            &["4"],
                            0usize,
                        ),
                    ],
                )
                .with_constraint(
                    ::nitro::Constraint::new(
                        ::core::stringify!(length > 8),
                        super::__nitro_product_admits_dot,
                    ),
                )
                .with_target(super::__nitro_product_has_target_of_dot_aarch64_neon)
                .with_digest(744302862003537613u64)
                .formerly(&["product@neon"]),
        ];
        static FUNCTION: ::nitro::Function = ::nitro::Function::new(
                ::core::module_path!(),
                VARIANTS,
            )
            .with_features(&["length"])
            .with_feature_digests(&[9314717242008542608u64])
            .with_free_features(1u32)
            .with_default(Variant::Plain as ::core::primitive::usize);
        &FUNCTION
    }
    /// Compiles what calls of `product` may run, by its option `prepare`, and reads its model, so that no call does.
    ///
    /// # Errors
    /// What could not be prepared, and why; calls go on as they would without.
    pub fn prepare() -> ::core::result::Result<(), ::nitro::PrepareError> {
        function().prepare()
    }
    /// Holds the choice of the next call of `product` on this thread, until what this returns is dropped.
    pub fn hold() -> ::nitro::Held {
        ::nitro::__private::hold(&__NITRO_CACHE)
    }
    use super::__nitro_product_is_declared_in_a_function_body__move_it_to_module_level as _;
    #[allow(clippy::pub_use)]
    #[doc(inline)]
    pub use super::{
        __nitro_product_select as select, __nitro_product_call as call,
        __nitro_product_admissible as admissible,
    };
    ::std::thread_local! {
        pub (super) static __NITRO_CACHE : ::nitro::__private::InlineCache < Choice,
        1usize > = const { ::nitro::__private::InlineCache::new() };
    }
}
