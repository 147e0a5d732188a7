//! Covariance and correlation of the columns of a table.

use nitro_nest::{Array2, nest};

/// Covariance of the `m` columns of `data`, which becomes centred; `count` is the number of rows
#[nest(reassoc)]
pub fn covariance(
    m: usize,
    n: usize,
    count: f32,
    #[shape(n, m)] data: &mut Array2<f32>,
    #[shape(m, m)] cov: &mut Array2<f32>,
    #[shape(m)] mean: &mut [f32],
) {
    for j in 0..m {
        mean[j] = 0.0;
        for i in 0..n {
            mean[j] += data[[i, j]];
        }
        mean[j] /= count;
    }
    for i in 0..n {
        for j in 0..m {
            data[[i, j]] -= mean[j];
        }
    }
    for i in 0..m {
        for j in i..m {
            cov[[i, j]] = 0.0;
            for k in 0..n {
                cov[[i, j]] += data[[k, i]] * data[[k, j]];
            }
            cov[[i, j]] /= count - 1.0;
            cov[[j, i]] = cov[[i, j]];
        }
    }
}

/// Correlation of the `m` columns of `data`, which become centred and reduced; `count` is the number of rows
#[nest(reassoc)]
pub fn correlation(
    m: usize,
    n: usize,
    count: f32,
    #[shape(n, m)] data: &mut Array2<f32>,
    #[shape(m, m)] corr: &mut Array2<f32>,
    #[shape(m)] mean: &mut [f32],
    #[shape(m)] stddev: &mut [f32],
) {
    for j in 0..m {
        mean[j] = 0.0;
        for i in 0..n {
            mean[j] += data[[i, j]];
        }
        mean[j] /= count;
    }
    for j in 0..m {
        stddev[j] = 0.0;
        for i in 0..n {
            stddev[j] += (data[[i, j]] - mean[j]) * (data[[i, j]] - mean[j]);
        }
        stddev[j] /= count;
        stddev[j] = stddev[j].sqrt();
        // A column that is nearly constant is not divided by nearly nothing.
        stddev[j] = if stddev[j] <= 0.1 { 1.0 } else { stddev[j] };
    }
    for i in 0..n {
        for j in 0..m {
            data[[i, j]] -= mean[j];
            data[[i, j]] /= count.sqrt() * stddev[j];
        }
    }
    for i in 0..m.saturating_sub(1) {
        corr[[i, i]] = 1.0;
        for j in i + 1..m {
            corr[[i, j]] = 0.0;
            for k in 0..n {
                corr[[i, j]] += data[[k, i]] * data[[k, j]];
            }
            corr[[j, i]] = corr[[i, j]];
        }
    }
    if m > 0 {
        corr[[m - 1, m - 1]] = 1.0;
    }
}
