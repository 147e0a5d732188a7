//! Steps of time on a grid.

use nitro_nest::{Array2, Array3, nest};

/// Means over five points, from `a` to `b` and back
#[nest]
pub fn jacobi_2d(
    steps: usize,
    n: usize,
    #[shape(n, n)] a: &mut Array2<f32>,
    #[shape(n, n)] b: &mut Array2<f32>,
) {
    for _t in 0..steps {
        for i in 1..n.saturating_sub(1) {
            for j in 1..n.saturating_sub(1) {
                b[[i, j]] = 0.2 * (a[[i, j]] + a[[i, j - 1]] + a[[i, j + 1]] + a[[i + 1, j]] + a[[i - 1, j]]);
            }
        }
        for i in 1..n.saturating_sub(1) {
            for j in 1..n.saturating_sub(1) {
                a[[i, j]] = 0.2 * (b[[i, j]] + b[[i, j - 1]] + b[[i, j + 1]] + b[[i + 1, j]] + b[[i - 1, j]]);
            }
        }
    }
}

/// Finite differences in the time domain: an electric field in two directions and a magnetic one
#[nest]
pub fn fdtd_2d(
    steps: usize,
    nx: usize,
    ny: usize,
    #[shape(nx, ny)] ex: &mut Array2<f32>,
    #[shape(nx, ny)] ey: &mut Array2<f32>,
    #[shape(nx, ny)] hz: &mut Array2<f32>,
    #[shape(steps)] source: &[f32],
) {
    for t in 0..steps {
        if nx > 0 {
            for j in 0..ny {
                ey[[0, j]] = source[t];
            }
        }
        for i in 1..nx {
            for j in 0..ny {
                ey[[i, j]] -= 0.5 * (hz[[i, j]] - hz[[i - 1, j]]);
            }
        }
        for i in 0..nx {
            for j in 1..ny {
                ex[[i, j]] -= 0.5 * (hz[[i, j]] - hz[[i, j - 1]]);
            }
        }
        for i in 0..nx.saturating_sub(1) {
            for j in 0..ny.saturating_sub(1) {
                hz[[i, j]] -= 0.7 * (ex[[i, j + 1]] - ex[[i, j]] + ey[[i + 1, j]] - ey[[i, j]]);
            }
        }
    }
}

/// Heat in a cube, from `a` to `b` and back
#[nest]
pub fn heat_3d(
    steps: usize,
    n: usize,
    #[shape(n, n, n)] a: &mut Array3<f32>,
    #[shape(n, n, n)] b: &mut Array3<f32>,
) {
    for _t in 1..=steps {
        for i in 1..n.saturating_sub(1) {
            for j in 1..n.saturating_sub(1) {
                for k in 1..n.saturating_sub(1) {
                    b[[i, j, k]] = 0.125 * (a[[i + 1, j, k]] - 2.0 * a[[i, j, k]] + a[[i - 1, j, k]])
                        + 0.125 * (a[[i, j + 1, k]] - 2.0 * a[[i, j, k]] + a[[i, j - 1, k]])
                        + 0.125 * (a[[i, j, k + 1]] - 2.0 * a[[i, j, k]] + a[[i, j, k - 1]])
                        + a[[i, j, k]];
                }
            }
        }
        for i in 1..n.saturating_sub(1) {
            for j in 1..n.saturating_sub(1) {
                for k in 1..n.saturating_sub(1) {
                    a[[i, j, k]] = 0.125 * (b[[i + 1, j, k]] - 2.0 * b[[i, j, k]] + b[[i - 1, j, k]])
                        + 0.125 * (b[[i, j + 1, k]] - 2.0 * b[[i, j, k]] + b[[i, j - 1, k]])
                        + 0.125 * (b[[i, j, k + 1]] - 2.0 * b[[i, j, k]] + b[[i, j, k - 1]])
                        + b[[i, j, k]];
                }
            }
        }
    }
}
