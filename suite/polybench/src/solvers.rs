//! Products that solvers are made of.

use nitro_nest::{Array2, Array3, nest};

/// Each row of `a` along its last dimension times `c4`
#[nest(reassoc)]
pub fn doitgen(
    nr: usize,
    nq: usize,
    np: usize,
    #[shape(nr, nq, np)] a: &mut Array3<f32>,
    #[shape(np, np)] c4: &Array2<f32>,
    #[shape(np)] sum: &mut [f32],
) {
    for r in 0..nr {
        for q in 0..nq {
            for p in 0..np {
                sum[p] = 0.0;
                for s in 0..np {
                    sum[p] += a[[r, q, s]] * c4[[s, p]];
                }
            }
            for p in 0..np {
                a[[r, q, p]] = sum[p];
            }
        }
    }
}

/// y ← aᵀ·(a·x)
#[nest(reassoc)]
pub fn atax(
    m: usize,
    n: usize,
    #[shape(m, n)] a: &Array2<f32>,
    #[shape(n)] x: &[f32],
    #[shape(n)] y: &mut [f32],
    #[shape(m)] tmp: &mut [f32],
) {
    for i in 0..n {
        y[i] = 0.0;
    }
    for i in 0..m {
        tmp[i] = 0.0;
        for j in 0..n {
            tmp[i] += a[[i, j]] * x[j];
        }
        for j in 0..n {
            y[j] += a[[i, j]] * tmp[i];
        }
    }
}

/// s ← aᵀ·r, q ← a·p
#[nest(reassoc)]
pub fn bicg(
    m: usize,
    n: usize,
    #[shape(n, m)] a: &Array2<f32>,
    #[shape(m)] s: &mut [f32],
    #[shape(n)] q: &mut [f32],
    #[shape(m)] p: &[f32],
    #[shape(n)] r: &[f32],
) {
    for i in 0..m {
        s[i] = 0.0;
    }
    for i in 0..n {
        q[i] = 0.0;
        for j in 0..m {
            s[j] += r[i] * a[[i, j]];
            q[i] += a[[i, j]] * p[j];
        }
    }
}

/// x1 ← x1 + a·y1, x2 ← x2 + aᵀ·y2
#[nest(reassoc)]
pub fn mvt(
    n: usize,
    #[shape(n)] x1: &mut [f32],
    #[shape(n)] x2: &mut [f32],
    #[shape(n)] y1: &[f32],
    #[shape(n)] y2: &[f32],
    #[shape(n, n)] a: &Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            x1[i] += a[[i, j]] * y1[j];
        }
    }
    for i in 0..n {
        for j in 0..n {
            x2[i] += a[[j, i]] * y2[j];
        }
    }
}
