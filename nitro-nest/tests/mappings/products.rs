//! Products of matrices and of tensors, which matrix units compute.

use nitro_nest::{Array2, Array3, Nest, nest};

/// Products of matrices and of tensors, in both precisions.
macro_rules! products {
    ($module:ident $number:ident) => {
        pub mod $module {
            use nitro_nest::{Array2, Array3, Array4, nest};

            #[nest(reassoc)]
            pub fn scaled(
                n: usize,
                m: usize,
                l: usize,
                alpha: $number,
                beta: $number,
                #[shape(n, l)] a: &Array2<$number>,
                #[shape(l, m)] b: &Array2<$number>,
                #[shape(n, m)] c: &mut Array2<$number>,
            ) {
                for i in 0..n {
                    for j in 0..m {
                        c[[i, j]] *= beta;
                    }
                    for k in 0..l {
                        for j in 0..m {
                            c[[i, j]] += alpha * a[[i, k]] * b[[k, j]];
                        }
                    }
                }
            }

            #[nest(reassoc)]
            pub fn layer(
                n: usize,
                m: usize,
                l: usize,
                #[shape(n, l)] a: &Array2<$number>,
                #[shape(m, l)] b: &Array2<$number>,
                #[shape(n, m)] c: &mut Array2<$number>,
            ) {
                for i in 0..n {
                    for j in 0..m {
                        for k in 0..l {
                            c[[i, j]] += a[[i, k]] * b[[j, k]];
                        }
                    }
                }
            }

            #[nest(reassoc)]
            pub fn transposed(
                n: usize,
                m: usize,
                l: usize,
                #[shape(l, n)] a: &Array2<$number>,
                #[shape(m, l)] b: &Array2<$number>,
                #[shape(n, m)] c: &mut Array2<$number>,
            ) {
                for i in 0..n {
                    for j in 0..m {
                        for k in 0..l {
                            c[[i, j]] += b[[j, k]] * a[[k, i]];
                        }
                    }
                }
            }

            #[nest(reassoc)]
            pub fn batch(
                n: usize,
                m: usize,
                l: usize,
                #[shape(3, n, l)] a: &Array3<$number>,
                #[shape(3, l, m)] b: &Array3<$number>,
                #[shape(3, n, m)] c: &mut Array3<$number>,
            ) {
                for z in 0..3 {
                    for i in 0..n {
                        for j in 0..m {
                            for k in 0..l {
                                c[[z, i, j]] += a[[z, i, k]] * b[[z, k, j]];
                            }
                        }
                    }
                }
            }

            #[nest(reassoc)]
            pub fn contraction(
                n: usize,
                m: usize,
                l: usize,
                #[shape(n, l, 3)] a: &Array3<$number>,
                #[shape(l, m, 2)] b: &Array3<$number>,
                #[shape(3, n, 2, m)] c: &mut Array4<$number>,
            ) {
                for p in 0..3 {
                    for i in 0..n {
                        for q in 0..2 {
                            for j in 0..m {
                                for k in 0..l {
                                    c[[p, i, q, j]] += a[[i, k, p]] * b[[k, j, q]];
                                }
                            }
                        }
                    }
                }
            }
        }
    };
}

/// Several matrices by one, scaled.
#[nest(reassoc)]
pub fn layers(
    n: usize,
    m: usize,
    l: usize,
    alpha: f32,
    #[shape(3, n, l)] a: &Array3<f32>,
    #[shape(m, l)] b: &Array2<f32>,
    #[shape(3, n, m)] c: &mut Array3<f32>,
) {
    for p in 0..3 {
        for i in 0..n {
            for j in 0..m {
                for k in 0..l {
                    c[[p, i, j]] += alpha * a[[p, i, k]] * b[[j, k]];
                }
            }
        }
    }
}

products!(single f32);
products!(double f64);

#[nest]
pub fn in_order(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, l)] a: &Array2<f32>,
    #[shape(l, m)] b: &Array2<f32>,
    #[shape(n, m)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            for k in 0..l {
                c[[i, j]] += a[[i, k]] * b[[k, j]];
            }
        }
    }
}

#[nest(reassoc)]
pub fn filtered(
    n: usize,
    m: usize,
    #[shape(n + 7)] x: &[f32],
    #[shape(8, m)] w: &Array2<f32>,
    #[shape(n, m)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            for k in 0..8 {
                c[[i, j]] += x[i + k] * w[[k, j]];
            }
        }
    }
}

/// A sum over two loops, the inner one of which ends before its arrays do.
#[nest(reassoc)]
pub fn shifted(
    n: usize,
    m: usize,
    l: usize,
    #[shape(3, n, l + 5)] a: &Array3<f32>,
    #[shape(3, l + 5, m)] b: &Array3<f32>,
    #[shape(n, m)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            for r in 0..3 {
                for k in 1..l {
                    c[[i, j]] += a[[r, i, k + 2]] * b[[r, k - 1, j]];
                }
            }
        }
    }
}

/// Some elements have fewer products than others.
#[nest(reassoc)]
pub fn some_products(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, l)] a: &Array2<f32>,
    #[shape(l, m)] b: &Array2<f32>,
    #[shape(n, m)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            c[[i, j]] *= 2.0;
            if j <= i {
                for k in 0..l {
                    c[[i, j]] += a[[i, k]] * b[[k, j]];
                }
            }
        }
    }
}

pub fn nests() -> [[Nest; 2]; 5] {
    [
        [single::scaled::nest(), double::scaled::nest()],
        [single::layer::nest(), double::layer::nest()],
        [single::transposed::nest(), double::transposed::nest()],
        [single::batch::nest(), double::batch::nest()],
        [single::contraction::nest(), double::contraction::nest()],
    ]
}

/// Operands of 16 bits in all orders of dimensions.
#[cfg(feature = "half")]
pub mod stored {
    use half::{bf16, f16};
    use nitro_nest::{Array2, nest};

    #[nest(reassoc)]
    pub fn rows(
        n: usize,
        m: usize,
        l: usize,
        #[shape(n, l)] a: &Array2<bf16>,
        #[shape(l, m)] b: &Array2<bf16>,
        #[shape(n, m)] c: &mut Array2<f32>,
    ) {
        for i in 0..n {
            for j in 0..m {
                for k in 0..l {
                    c[[i, j]] += a[[i, k]].to_f32() * b[[k, j]].to_f32();
                }
            }
        }
    }

    #[nest(reassoc)]
    pub fn terms(
        n: usize,
        m: usize,
        l: usize,
        alpha: f32,
        #[shape(n, l)] a: &Array2<f16>,
        #[shape(m, l)] b: &Array2<f16>,
        #[shape(n, m)] c: &mut Array2<f32>,
    ) {
        for i in 0..n {
            for j in 0..m {
                for k in 0..l {
                    c[[i, j]] += alpha * a[[i, k]].to_f32() * b[[j, k]].to_f32();
                }
            }
        }
    }

    #[nest(reassoc)]
    pub fn odd(
        n: usize,
        m: usize,
        l: usize,
        #[shape(n, l + 1)] a: &Array2<f16>,
        #[shape(m, l + 3)] b: &Array2<f16>,
        #[shape(n, m)] c: &mut Array2<f32>,
    ) {
        for i in 0..n {
            for j in 0..m {
                for k in 0..l {
                    c[[i, j]] += a[[i, k + 1]].to_f32() * b[[j, k + 3]].to_f32();
                }
            }
        }
    }

    #[nest(reassoc)]
    pub fn shifted(
        n: usize,
        m: usize,
        l: usize,
        #[shape(l + 8, n + 3)] a: &Array2<bf16>,
        #[shape(l + 2, m + 8)] b: &Array2<bf16>,
        #[shape(n, m)] c: &mut Array2<f32>,
    ) {
        for i in 0..n {
            for j in 0..m {
                for k in 0..l {
                    c[[i, j]] += a[[k + 8, i + 3]].to_f32() * b[[k + 1, j + 8]].to_f32();
                }
            }
        }
    }

    #[nest(reassoc)]
    pub fn columns(
        n: usize,
        m: usize,
        l: usize,
        #[shape(l, n)] a: &Array2<f16>,
        #[shape(m, l)] b: &Array2<f16>,
        #[shape(n, m)] c: &mut Array2<f32>,
    ) {
        for i in 0..n {
            for j in 0..m {
                for k in 0..l {
                    c[[i, j]] += a[[k, i]].to_f32() * b[[j, k]].to_f32();
                }
            }
        }
    }
}
