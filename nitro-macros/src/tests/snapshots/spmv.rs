/// y ← A·x
#[must_use]
pub fn spmv(a: &Csr, x: &[f32], y: &mut [f32]) -> Result<(), SpmvError> {
    match ::nitro::__private::at_once(
        &spmv::__NITRO_CACHE,
        |__nitro_column: ::core::primitive::usize| match __nitro_column {
            0usize => ::nitro::FeatureValue::to_f64((a.nnz() as f64 / a.rows() as f64)),
            3usize => 0.0,
            _ => ::core::primitive::f64::NAN,
        },
        || [
            ::nitro::FeatureValue::to_f64((a.nnz() as f64 / a.rows() as f64)),
            ::core::primitive::f64::NAN,
            ::core::primitive::f64::NAN,
        ],
        |_: spmv::Choice| ::core::option::Option::None,
    ) {
        ::core::option::Option::Some(__nitro_choice) => {
            __nitro_spmv_call(__nitro_choice, a, x, y)
        }
        ::core::option::Option::None => __nitro_spmv_anew(a, x, y),
    }
}
/// What a call of `spmv` with these arguments would run, and why; nothing is run.
#[doc(hidden)]
#[must_use]
pub fn __nitro_spmv_select(
    a: &Csr,
    x: &[f32],
    y: &mut [f32],
) -> ::nitro::Selection<spmv::Variant> {
    let _ = (&a, &x, &y);
    let __nitro_device = ::nitro::__private::host();
    let __nitro_feature_0 = ::core::cell::LazyCell::new(|| {
        (a.nnz() as f64 / a.rows() as f64)
    });
    let __nitro_feature_1 = ::core::cell::LazyCell::new(|| (a.row_length_sd()));
    let __nitro_feature_2 = ::core::cell::LazyCell::new(|| (a.ell_fill()));
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
    let __nitro_admissible = |__nitro_choice: spmv::Choice| -> ::core::primitive::bool {
        match __nitro_choice {
            #[cfg(feature = "ell")]
            spmv::Choice::Ell => {
                let (ell_fill,) = (*__nitro_feature_2,);
                let _ = (&ell_fill,);
                let __nitro_admissible: ::core::primitive::bool = ell_fill <= 9.0
                    && a.rows() > 0;
                __nitro_admissible
            }
            _ => true,
        }
    };
    ::nitro::__private::select(
        spmv::function(),
        &__nitro_device,
        &__nitro_features,
        &__nitro_admissible,
        &|| 0.0,
    )
}
/// Runs the given variant of `spmv`, whatever its constraint says.
#[doc(hidden)]
#[must_use]
#[inline]
pub fn __nitro_spmv_call(
    __nitro_choice: spmv::Variant,
    a: &Csr,
    x: &[f32],
    y: &mut [f32],
) -> Result<(), SpmvError> {
    match __nitro_choice {
        spmv::Choice::CsrScalar => {
            let __nitro_function: fn(
                &Csr,
                &[f32],
                &mut [f32],
            ) -> Result<(), SpmvError> = csr_scalar;
            __nitro_function(a, x, y)
        }
        spmv::Choice::CsrVector => {
            let __nitro_function: fn(
                &Csr,
                &[f32],
                &mut [f32],
            ) -> Result<(), SpmvError> = formats::csr_vector;
            __nitro_function(a, x, y)
        }
        #[cfg(feature = "ell")]
        spmv::Choice::Ell => {
            let __nitro_function: fn(
                &Csr,
                &[f32],
                &mut [f32],
            ) -> Result<(), SpmvError> = ell;
            __nitro_function(a, x, y)
        }
    }
}
/// Whether the constraint of the given variant of `spmv` lets it run with these arguments; nothing is run.
#[doc(hidden)]
#[must_use]
pub fn __nitro_spmv_admissible(
    __nitro_choice: spmv::Variant,
    a: &Csr,
    x: &[f32],
    y: &mut [f32],
) -> ::core::primitive::bool {
    let _ = (&a, &x, &y);
    let __nitro_feature_0 = ::core::cell::LazyCell::new(|| {
        (a.nnz() as f64 / a.rows() as f64)
    });
    let __nitro_feature_1 = ::core::cell::LazyCell::new(|| (a.row_length_sd()));
    let __nitro_feature_2 = ::core::cell::LazyCell::new(|| (a.ell_fill()));
    match __nitro_choice {
        #[cfg(feature = "ell")]
        spmv::Choice::Ell => {
            let (ell_fill,) = (*__nitro_feature_2,);
            let _ = (&ell_fill,);
            let __nitro_admissible: ::core::primitive::bool = ell_fill <= 9.0
                && a.rows() > 0;
            __nitro_admissible
        }
        _ => true,
    }
}
/// Runs `spmv` by a choice that is looked up or made.
#[doc(hidden)]
#[inline(never)]
pub fn __nitro_spmv_anew(a: &Csr, x: &[f32], y: &mut [f32]) -> Result<(), SpmvError> {
    let __nitro_decision = {
        let __nitro_compute_0 = || a.nnz() as f64 / a.rows() as f64;
        let mut __nitro_value_0 = ::core::option::Option::None;
        let __nitro_compute_1 = || a.row_length_sd();
        let mut __nitro_value_1 = ::core::option::Option::None;
        let __nitro_compute_2 = || a.ell_fill();
        let mut __nitro_value_2 = ::core::option::Option::None;
        let __nitro_begun = ::nitro::__private::Call::begin_on_host(
            &spmv::__NITRO_CACHE,
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
                    __nitro_choice: spmv::Choice,
                | -> ::core::primitive::bool {
                    match __nitro_choice {
                        #[cfg(feature = "ell")]
                        spmv::Choice::Ell => {
                            let (ell_fill,) = (*__nitro_feature_2,);
                            let _ = (&ell_fill,);
                            let __nitro_admissible: ::core::primitive::bool = ell_fill
                                <= 9.0 && a.rows() > 0;
                            __nitro_admissible
                        }
                        _ => true,
                    }
                };
                ::nitro::__private::decide(
                    __nitro_remembered,
                    spmv::function(),
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
            move || __nitro_spmv_call(__nitro_choice, a, x, y),
            |__nitro_result| {
                use ::nitro::__private::{OutcomeOfAny as _, OutcomeOfResult as _};
                (&::nitro::__private::Outcome(__nitro_result)).__nitro_failed()
            },
        )
}
#[cfg(feature = "ell")]
#[doc(hidden)]
fn __nitro_spmv_admits_ell(
    __nitro_known: &[::core::option::Option<::core::primitive::f64>],
    __nitro_configuration: ::nitro::Configuration,
) -> ::core::option::Option<::core::primitive::bool> {
    ::nitro::__private::and(
        ::nitro::__private::of_both(
            __nitro_known[2usize],
            ::core::option::Option::Some(9f64),
            |__nitro_left, __nitro_right| __nitro_left <= __nitro_right,
        ),
        ::core::option::Option::None,
    )
}
#[doc(hidden)]
mod __nitro_spmv_is_declared_in_a_function_body__move_it_to_module_level {}
/// What belongs to the function `spmv`: its variants, its selections and its descriptor.
pub mod spmv {
    /// The variants of `spmv`, in the order of their declaration.
    #[derive(
        ::core::fmt::Debug,
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::cmp::PartialEq,
        ::core::cmp::Eq,
        ::core::hash::Hash,
    )]
    pub enum Variant {
        /// The function `csr_scalar`.
        CsrScalar,
        /// The function `formats::csr_vector`.
        CsrVector,
        #[cfg(feature = "ell")]
        /// The function `ell`.
        Ell,
    }
    impl Variant {
        /// All variants, in the order of their declaration.
        pub const ALL: &'static [Self] = &[
            Self::CsrScalar,
            Self::CsrVector,
            #[cfg(feature = "ell")]
            Self::Ell,
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
                Self::CsrScalar => "csr_scalar",
                Self::CsrVector => "csr_vector",
                #[cfg(feature = "ell")]
                Self::Ell => "ell",
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
                "csr_scalar" => ::core::result::Result::Ok(Self::CsrScalar),
                "csr_vector" => ::core::result::Result::Ok(Self::CsrVector),
                #[cfg(feature = "ell")]
                "ell" => ::core::result::Result::Ok(Self::Ell),
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
    /// The descriptor of `spmv`, which the trainer takes.
    #[must_use]
    pub fn function() -> &'static ::nitro::Function {
        const VARIANTS: &[::nitro::VariantInfo] = &[
            ::nitro::VariantInfo::new("csr_scalar")
                .in_exact_group(0usize)
                .with_digest(14695981039346656037u64),
            ::nitro::VariantInfo::new("csr_vector")
                .in_exact_group(0usize)
                .with_digest(14695981039346656037u64),
            #[cfg(feature = "ell")]
            ::nitro::VariantInfo::new("ell")
                .with_constraint(
                    ::nitro::Constraint::new(
                        ::core::stringify!(ell_fill <= 9.0 && a.rows() > 0),
                        super::__nitro_spmv_admits_ell,
                    ),
                )
                .with_digest(17765473718600833824u64),
        ];
        static FUNCTION: ::nitro::Function = ::nitro::Function::new(
                ::core::module_path!(),
                VARIANTS,
            )
            .with_features(&["avg_nnz_per_row", "row_length_sd", "ell_fill"])
            .with_feature_digests(
                &[
                    10125873629840849449u64, 2752539304421984138u64,
                    17513835446764346326u64,
                ],
            )
            .with_free_features(1u32)
            .with_default(Variant::CsrVector as ::core::primitive::usize);
        &FUNCTION
    }
    /// Compiles what calls of `spmv` may run, by its option `prepare`, and reads its model, so that no call does.
    ///
    /// # Errors
    /// What could not be prepared, and why; calls go on as they would without.
    pub fn prepare() -> ::core::result::Result<(), ::nitro::PrepareError> {
        function().prepare()
    }
    /// Holds the choice of the next call of `spmv` on this thread, until what this returns is dropped.
    pub fn hold() -> ::nitro::Held {
        ::nitro::__private::hold(&__NITRO_CACHE)
    }
    use super::__nitro_spmv_is_declared_in_a_function_body__move_it_to_module_level as _;
    #[allow(clippy::pub_use)]
    #[doc(inline)]
    pub use super::{
        __nitro_spmv_select as select, __nitro_spmv_call as call,
        __nitro_spmv_admissible as admissible,
    };
    ::std::thread_local! {
        pub (super) static __NITRO_CACHE : ::nitro::__private::InlineCache < Choice,
        3usize > = const { ::nitro::__private::InlineCache::new() };
    }
}
