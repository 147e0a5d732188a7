/// The lower triangle of c ← beta·c + a·aᵀ
#[cfg(unix)]
pub(crate) fn syrk(
    n: usize,
    beta: f32,
    a: &Array2<f32>,
    diagonal: &[f32],
    c: &mut Array2<f32>,
) {
    for i in (0..n).rev() {
        let scale = diagonal[i].max(beta);
        for j in 0..=i {
            if i + j < 2 * n {
                c[[i, j]] *= scale;
            }
        }
    }
}
#[cfg(unix)]
///What [`syrk`](fn@syrk) does, as data.
#[derive(::core::fmt::Debug)]
pub(crate) enum syrk {}
#[cfg(unix)]
impl syrk {
    /// The loops of the function.
    #[must_use]
    pub fn nest() -> ::nitro_nest::Nest {
        let mut __nitro_builder = ::nitro_nest::Builder::new("syrk");
        let n = __nitro_builder.parameter("n");
        let beta = __nitro_builder.scalar("beta");
        let a = __nitro_builder
            .input(
                "a",
                [
                    (::nitro_nest::Affine::from(0i64) + n * 1i64),
                    (::nitro_nest::Affine::from(0i64) + n * 2i64),
                ],
            );
        let diagonal = __nitro_builder
            .input("diagonal", [(::nitro_nest::Affine::from(0i64) + n * 1i64)]);
        let c = __nitro_builder
            .in_out(
                "c",
                [
                    (::nitro_nest::Affine::from(0i64) + n * 1i64),
                    (::nitro_nest::Affine::from(0i64) + n * 1i64),
                ],
            );
        __nitro_builder.reassociate();
        __nitro_builder
            .repeat(
                "i",
                ::nitro_nest::Bounds::new(
                        (::nitro_nest::Affine::from(0i64)),
                        (::nitro_nest::Affine::from(0i64) + n * 1i64),
                    )
                    .reversed(),
                |__nitro_builder, i| {
                    __nitro_builder
                        .repeat(
                            "j",
                            ::nitro_nest::Bounds::new(
                                (::nitro_nest::Affine::from(0i64)),
                                (::nitro_nest::Affine::from(1i64) + i * 1i64),
                            ),
                            |__nitro_builder, j| {
                                __nitro_builder
                                    .only_if(
                                        [
                                            ::nitro_nest::Condition {
                                                relation: ::nitro_nest::Relation::Less,
                                                left: (::nitro_nest::Affine::from(0i64) + i * 1i64
                                                    + j * 1i64),
                                                right: (::nitro_nest::Affine::from(0i64) + n * 2i64),
                                            },
                                        ],
                                        |__nitro_builder| {
                                            {
                                                let __nitro_value = ::nitro_nest::Expression::Binary(
                                                    ::nitro_nest::Binary::Multiply,
                                                    ::std::boxed::Box::new(
                                                        ::nitro_nest::Expression::from(
                                                            c
                                                                .at::<
                                                                    ::nitro_nest::Affine,
                                                                >([
                                                                    (::nitro_nest::Affine::from(0i64) + i * 1i64),
                                                                    (::nitro_nest::Affine::from(0i64) + j * 1i64),
                                                                ]),
                                                        ),
                                                    ),
                                                    ::std::boxed::Box::new(
                                                        ::nitro_nest::Expression::from(
                                                                diagonal
                                                                    .at::<
                                                                        ::nitro_nest::Affine,
                                                                    >([(::nitro_nest::Affine::from(0i64) + i * 1i64)]),
                                                            )
                                                            .max(::core::clone::Clone::clone(&beta)),
                                                    ),
                                                );
                                                __nitro_builder
                                                    .assign(
                                                        c
                                                            .at::<
                                                                ::nitro_nest::Affine,
                                                            >([
                                                                (::nitro_nest::Affine::from(0i64) + i * 1i64),
                                                                (::nitro_nest::Affine::from(0i64) + j * 1i64),
                                                            ]),
                                                        __nitro_value,
                                                    );
                                            }
                                        },
                                    );
                            },
                        );
                },
            );
        __nitro_builder
            .finish()
            .unwrap_or_else(|error| {
                ::core::unreachable!("`#[nest]` has checked it: {error}")
            })
    }
    /// Runs the function itself on the data.
    ///
    /// # Panics
    /// When the data are not of this nest.
    pub fn reference(data: &mut ::nitro_nest::Data) {
        let nest = Self::nest();
        let mut array_0 = data.take::<2usize>(&nest, 0usize);
        let mut array_1 = data.take::<1usize>(&nest, 1usize);
        let mut array_2 = data.take::<2usize>(&nest, 2usize);
        syrk(
            data.size(0usize),
            data.scalars[0usize],
            &array_0,
            array_1.as_slice(),
            &mut array_2,
        );
        data.give(0usize, array_0);
        data.give(1usize, array_1);
        data.give(2usize, array_2);
    }
}
