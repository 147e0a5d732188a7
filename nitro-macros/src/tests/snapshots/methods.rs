#[cfg(unix)]
impl<'a, T: Number> Multiply for Csr<'a, T> {
    type Output = Vec<T>;
    fn by_rows(&self, x: &[T]) -> Self::Output {
        self.product(x)
    }
    #[cfg(unix)]
    fn multiply(&self, x: &[T]) -> <Self as Multiply>::Output {
        match ::nitro::__private::at_once(
            &csr_multiply::__NITRO_CACHE,
            |__nitro_column: ::core::primitive::usize| match __nitro_column {
                0usize => ::nitro::FeatureValue::to_f64((self.rows())),
                1usize => 0.0,
                _ => ::core::primitive::f64::NAN,
            },
            || [::nitro::FeatureValue::to_f64((self.rows()))],
            |__nitro_choice: csr_multiply::Choice| match __nitro_choice {
                csr_multiply::Choice::ByParts => {
                    ::core::option::Option::Some({
                        let (rows,) = ((self.rows()),);
                        let _ = (&rows,);
                        let __nitro_admissible: ::core::primitive::bool = rows
                            > Self::FEW;
                        __nitro_admissible
                    })
                }
                _ => ::core::option::Option::None,
            },
        ) {
            ::core::option::Option::Some(__nitro_choice) => {
                Self::multiply_call(self, __nitro_choice, x)
            }
            ::core::option::Option::None => Self::__nitro_csr_multiply_anew(self, x),
        }
    }
}
#[cfg(unix)]
impl<'a, T: Number> Csr<'a, T> {
    /// What a call of `Csr::multiply` with these arguments would run, and why; nothing is run.
    #[cfg(unix)]
    #[must_use]
    pub fn multiply_select(&self, x: &[T]) -> ::nitro::Selection<csr_multiply::Variant> {
        #[allow(unused_imports)]
        use Multiply as _;
        let _ = (&self, &x);
        let __nitro_device = ::nitro::__private::host();
        let __nitro_feature_0 = ::core::cell::LazyCell::new(|| (self.rows()));
        let __nitro_features = |
            __nitro_needs: ::core::primitive::u32,
            __nitro_row: &mut [::core::primitive::f64; 1usize]|
        {
            if __nitro_needs & 1u32 != 0 {
                __nitro_row[0usize] = ::nitro::FeatureValue::to_f64(*__nitro_feature_0);
            }
        };
        let __nitro_admissible = |
            __nitro_choice: csr_multiply::Choice,
        | -> ::core::primitive::bool {
            match __nitro_choice {
                csr_multiply::Choice::ByParts => {
                    let (rows,) = (*__nitro_feature_0,);
                    let _ = (&rows,);
                    let __nitro_admissible: ::core::primitive::bool = rows > Self::FEW;
                    __nitro_admissible
                }
                _ => true,
            }
        };
        ::nitro::__private::select(
            csr_multiply::function(),
            &__nitro_device,
            &__nitro_features,
            &__nitro_admissible,
            &|| 0.0,
        )
    }
    /// Runs the given variant of `Csr::multiply`, whatever its constraint says.
    #[cfg(unix)]
    #[inline]
    pub fn multiply_call(
        &self,
        __nitro_choice: csr_multiply::Variant,
        x: &[T],
    ) -> <Self as Multiply>::Output {
        #[allow(unused_imports)]
        use Multiply as _;
        match __nitro_choice {
            csr_multiply::Choice::ByRows => {
                let __nitro_function: fn(&Self, &[T]) -> <Self as Multiply>::Output = <Self as Multiply>::by_rows;
                __nitro_function(self, x)
            }
            csr_multiply::Choice::ByParts => {
                let __nitro_function: fn(&Self, &[T]) -> <Self as Multiply>::Output = by_parts;
                __nitro_function(self, x)
            }
        }
    }
    /// Whether the constraint of the given variant of `Csr::multiply` lets it run with these arguments; nothing is run.
    #[cfg(unix)]
    #[must_use]
    pub fn multiply_admissible(
        &self,
        __nitro_choice: csr_multiply::Variant,
        x: &[T],
    ) -> ::core::primitive::bool {
        #[allow(unused_imports)]
        use Multiply as _;
        let _ = (&self, &x);
        let __nitro_feature_0 = ::core::cell::LazyCell::new(|| (self.rows()));
        match __nitro_choice {
            csr_multiply::Choice::ByParts => {
                let (rows,) = (*__nitro_feature_0,);
                let _ = (&rows,);
                let __nitro_admissible: ::core::primitive::bool = rows > Self::FEW;
                __nitro_admissible
            }
            _ => true,
        }
    }
    /// Runs `Csr::multiply` by a choice that is looked up or made.
    #[cfg(unix)]
    #[doc(hidden)]
    #[inline(never)]
    pub fn __nitro_csr_multiply_anew(&self, x: &[T]) -> <Self as Multiply>::Output {
        #[allow(unused_imports)]
        use Multiply as _;
        let __nitro_decision = {
            let __nitro_compute_0 = || self.rows();
            let mut __nitro_value_0 = ::core::option::Option::None;
            let __nitro_begun = ::nitro::__private::Call::begin_on_host(
                &csr_multiply::__NITRO_CACHE,
            );
            let mut __nitro_row = [0.0; 1usize];
            let __nitro_remembered = match __nitro_begun.walk() {
                ::core::option::Option::Some(mut __nitro_walk) => {
                    __nitro_row[0usize] = ::nitro::FeatureValue::to_f64(
                        __nitro_compute_0(),
                    );
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
                        __nitro_choice: csr_multiply::Choice,
                    | -> ::core::primitive::bool {
                        match __nitro_choice {
                            csr_multiply::Choice::ByParts => {
                                let (rows,) = (*__nitro_feature_0,);
                                let _ = (&rows,);
                                let __nitro_admissible: ::core::primitive::bool = rows
                                    > Self::FEW;
                                __nitro_admissible
                            }
                            _ => true,
                        }
                    };
                    ::nitro::__private::decide(
                        __nitro_remembered,
                        csr_multiply::function(),
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
                move || Self::multiply_call(self, __nitro_choice, x),
                |__nitro_result| {
                    use ::nitro::__private::{OutcomeOfAny as _, OutcomeOfResult as _};
                    (&::nitro::__private::Outcome(__nitro_result)).__nitro_failed()
                },
            )
    }
    /// The descriptor of `Csr::multiply`, which the trainer takes.
    #[cfg(unix)]
    #[must_use]
    pub fn multiply_variants() -> &'static ::nitro::Function {
        csr_multiply::function()
    }
    /// Holds the choice of the next call of `Csr::multiply` on this thread, until what this returns is dropped.
    #[cfg(unix)]
    pub fn multiply_hold() -> ::nitro::Held {
        csr_multiply::hold()
    }
}
#[cfg(unix)]
#[doc(hidden)]
fn __nitro_csr_multiply_admits_by_parts(
    __nitro_known: &[::core::option::Option<::core::primitive::f64>],
    __nitro_configuration: ::nitro::Configuration,
) -> ::core::option::Option<::core::primitive::bool> {
    ::core::option::Option::None
}
#[cfg(unix)]
#[doc(hidden)]
const __nitro_csr_multiply_name: &::core::primitive::str = ::core::concat!(
    ::core::module_path!(), "::Csr::multiply"
);
#[cfg(unix)]
#[doc(hidden)]
mod __nitro_csr_multiply_is_declared_in_a_function_body__move_it_to_module_level {}
#[cfg(unix)]
/// What belongs to the function `Csr::multiply`: its variants, its selections and its descriptor.
pub mod csr_multiply {
    /// The variants of `Csr::multiply`, in the order of their declaration.
    #[derive(
        ::core::fmt::Debug,
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::cmp::PartialEq,
        ::core::cmp::Eq,
        ::core::hash::Hash,
    )]
    pub enum Variant {
        /// The function `Multiply::by_rows`.
        ByRows,
        /// The function `by_parts`.
        ByParts,
    }
    impl Variant {
        /// All variants, in the order of their declaration.
        pub const ALL: &'static [Self] = &[Self::ByRows, Self::ByParts];
    }
    impl ::nitro::CodeVariant for Variant {
        type Choice = Choice;
        const ALL: &'static [Self] = Self::ALL;
        fn index(self) -> ::core::primitive::usize {
            self as ::core::primitive::usize
        }
        fn name(self) -> &'static ::core::primitive::str {
            match self {
                Self::ByRows => "by_rows",
                Self::ByParts => "by_parts",
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
                "by_rows" => ::core::result::Result::Ok(Self::ByRows),
                "by_parts" => ::core::result::Result::Ok(Self::ByParts),
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
    /// The descriptor of `Csr::multiply`, which the trainer takes.
    #[must_use]
    pub fn function() -> &'static ::nitro::Function {
        const VARIANTS: &[::nitro::VariantInfo] = &[
            ::nitro::VariantInfo::new("by_rows").with_digest(14695981039346656037u64),
            ::nitro::VariantInfo::new("by_parts")
                .with_constraint(
                    ::nitro::Constraint::new(
                        ::core::stringify!(rows > Self::FEW),
                        super::__nitro_csr_multiply_admits_by_parts,
                    ),
                )
                .with_digest(9845633019348155952u64),
        ];
        static FUNCTION: ::nitro::Function = ::nitro::Function::new(
                super::__nitro_csr_multiply_name,
                VARIANTS,
            )
            .with_features(&["rows"])
            .with_feature_digests(&[6171171649036042723u64])
            .with_free_features(1u32)
            .with_default(Variant::ByRows as ::core::primitive::usize);
        &FUNCTION
    }
    /// Compiles what calls of `Csr::multiply` may run, by its option `prepare`, and reads its model, so that no call does.
    ///
    /// # Errors
    /// What could not be prepared, and why; calls go on as they would without.
    pub fn prepare() -> ::core::result::Result<(), ::nitro::PrepareError> {
        function().prepare()
    }
    /// Holds the choice of the next call of `Csr::multiply` on this thread, until what this returns is dropped.
    pub fn hold() -> ::nitro::Held {
        ::nitro::__private::hold(&__NITRO_CACHE)
    }
    use super::__nitro_csr_multiply_is_declared_in_a_function_body__move_it_to_module_level as _;
    ::std::thread_local! {
        pub (super) static __NITRO_CACHE : ::nitro::__private::InlineCache < Choice,
        1usize > = const { ::nitro::__private::InlineCache::new() };
    }
}
