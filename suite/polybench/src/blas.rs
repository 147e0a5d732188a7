//! Products of matrices and vectors.

use nitro_nest::{Array2, nest};

/// c ← beta·c + alpha·a·b
#[nest(reassoc)]
pub fn gemm(
    ni: usize,
    nj: usize,
    nk: usize,
    alpha: f32,
    beta: f32,
    #[shape(ni, nj)] c: &mut Array2<f32>,
    #[shape(ni, nk)] a: &Array2<f32>,
    #[shape(nk, nj)] b: &Array2<f32>,
) {
    for i in 0..ni {
        for j in 0..nj {
            c[[i, j]] *= beta;
        }
        for k in 0..nk {
            for j in 0..nj {
                c[[i, j]] += alpha * a[[i, k]] * b[[k, j]];
            }
        }
    }
}

/// d ← alpha·a·b·c + beta·d
#[nest(reassoc)]
pub fn two_mm(
    ni: usize,
    nj: usize,
    nk: usize,
    nl: usize,
    alpha: f32,
    beta: f32,
    #[shape(ni, nj)] tmp: &mut Array2<f32>,
    #[shape(ni, nk)] a: &Array2<f32>,
    #[shape(nk, nj)] b: &Array2<f32>,
    #[shape(nj, nl)] c: &Array2<f32>,
    #[shape(ni, nl)] d: &mut Array2<f32>,
) {
    for i in 0..ni {
        for j in 0..nj {
            tmp[[i, j]] = 0.0;
            for k in 0..nk {
                tmp[[i, j]] += alpha * a[[i, k]] * b[[k, j]];
            }
        }
    }
    for i in 0..ni {
        for j in 0..nl {
            d[[i, j]] *= beta;
            for k in 0..nj {
                d[[i, j]] += tmp[[i, k]] * c[[k, j]];
            }
        }
    }
}

/// g ← (a·b)·(c·d)
#[nest(reassoc)]
pub fn three_mm(
    ni: usize,
    nj: usize,
    nk: usize,
    nl: usize,
    nm: usize,
    #[shape(ni, nj)] e: &mut Array2<f32>,
    #[shape(ni, nk)] a: &Array2<f32>,
    #[shape(nk, nj)] b: &Array2<f32>,
    #[shape(nj, nl)] f: &mut Array2<f32>,
    #[shape(nj, nm)] c: &Array2<f32>,
    #[shape(nm, nl)] d: &Array2<f32>,
    #[shape(ni, nl)] g: &mut Array2<f32>,
) {
    for i in 0..ni {
        for j in 0..nj {
            e[[i, j]] = 0.0;
            for k in 0..nk {
                e[[i, j]] += a[[i, k]] * b[[k, j]];
            }
        }
    }
    for i in 0..nj {
        for j in 0..nl {
            f[[i, j]] = 0.0;
            for k in 0..nm {
                f[[i, j]] += c[[i, k]] * d[[k, j]];
            }
        }
    }
    for i in 0..ni {
        for j in 0..nl {
            g[[i, j]] = 0.0;
            for k in 0..nj {
                g[[i, j]] += e[[i, k]] * f[[k, j]];
            }
        }
    }
}

/// The lower triangle of c ← beta·c + alpha·a·aᵀ
#[nest(reassoc)]
pub fn syrk(
    n: usize,
    m: usize,
    alpha: f32,
    beta: f32,
    #[shape(n, n)] c: &mut Array2<f32>,
    #[shape(n, m)] a: &Array2<f32>,
) {
    for i in 0..n {
        for j in 0..=i {
            c[[i, j]] *= beta;
        }
        for k in 0..m {
            for j in 0..=i {
                c[[i, j]] += alpha * a[[i, k]] * a[[j, k]];
            }
        }
    }
}

/// The lower triangle of c ← beta·c + alpha·a·bᵀ + alpha·b·aᵀ
#[nest(reassoc)]
pub fn syr2k(
    n: usize,
    m: usize,
    alpha: f32,
    beta: f32,
    #[shape(n, n)] c: &mut Array2<f32>,
    #[shape(n, m)] a: &Array2<f32>,
    #[shape(n, m)] b: &Array2<f32>,
) {
    for i in 0..n {
        for j in 0..=i {
            c[[i, j]] *= beta;
        }
        for k in 0..m {
            for j in 0..=i {
                c[[i, j]] += a[[j, k]] * alpha * b[[i, k]] + b[[j, k]] * alpha * a[[i, k]];
            }
        }
    }
}

/// b ← alpha·aᵀ·b, where a is lower triangular with ones on its diagonal
#[nest(reassoc)]
pub fn trmm(
    m: usize,
    n: usize,
    alpha: f32,
    #[shape(m, m)] a: &Array2<f32>,
    #[shape(m, n)] b: &mut Array2<f32>,
) {
    for i in 0..m {
        for j in 0..n {
            for k in i + 1..m {
                b[[i, j]] += a[[k, i]] * b[[k, j]];
            }
            b[[i, j]] *= alpha;
        }
    }
}

/// y ← alpha·a·x + beta·b·x
#[nest(reassoc)]
pub fn gesummv(
    n: usize,
    alpha: f32,
    beta: f32,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n, n)] b: &Array2<f32>,
    #[shape(n)] tmp: &mut [f32],
    #[shape(n)] x: &[f32],
    #[shape(n)] y: &mut [f32],
) {
    for i in 0..n {
        tmp[i] = 0.0;
        y[i] = 0.0;
        for j in 0..n {
            tmp[i] += a[[i, j]] * x[j];
            y[i] += b[[i, j]] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

/// a ← a + u1·v1ᵀ + u2·v2ᵀ, x ← x + beta·aᵀ·y + z, w ← w + alpha·a·x
#[nest(reassoc)]
pub fn gemver(
    n: usize,
    alpha: f32,
    beta: f32,
    #[shape(n, n)] a: &mut Array2<f32>,
    #[shape(n)] u1: &[f32],
    #[shape(n)] v1: &[f32],
    #[shape(n)] u2: &[f32],
    #[shape(n)] v2: &[f32],
    #[shape(n)] w: &mut [f32],
    #[shape(n)] x: &mut [f32],
    #[shape(n)] y: &[f32],
    #[shape(n)] z: &[f32],
) {
    for i in 0..n {
        for j in 0..n {
            a[[i, j]] = a[[i, j]] + u1[i] * v1[j] + u2[i] * v2[j];
        }
    }
    for i in 0..n {
        for j in 0..n {
            x[i] += beta * a[[j, i]] * y[j];
        }
    }
    for i in 0..n {
        x[i] += z[i];
    }
    for i in 0..n {
        for j in 0..n {
            w[i] += alpha * a[[i, j]] * x[j];
        }
    }
}
