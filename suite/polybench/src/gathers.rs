//! Nests that read where arrays of integers say.

use nitro_nest::{Array2, nest};

/// y ← a·x for a sparse matrix in the format ELL: each row has `width` elements, in the columns that `columns` says.
#[nest(reassoc)]
pub fn ell_product(
    n: usize,
    m: usize,
    width: usize,
    #[shape(n, width)] a: &Array2<f32>,
    #[shape(n, width)] columns: &Array2<u32>,
    #[shape(m)] x: &[f32],
    #[shape(n)] y: &mut [f32],
) {
    for i in 0..n {
        y[i] = 0.0;
        for k in 0..width {
            y[i] += a[[i, k]] * x[columns[[i, k]] as usize];
        }
    }
}

/// c ← a·b for a sparse matrix in the format ELL and a dense one.
#[nest(reassoc)]
pub fn ell_times_dense(
    n: usize,
    m: usize,
    width: usize,
    p: usize,
    #[shape(n, width)] a: &Array2<f32>,
    #[shape(n, width)] columns: &Array2<u32>,
    #[shape(m, p)] b: &Array2<f32>,
    #[shape(n, p)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..p {
            c[[i, j]] = 0.0;
            for k in 0..width {
                let row = columns[[i, k]] as usize;
                c[[i, j]] += a[[i, k]] * b[[row, j]];
            }
        }
    }
}

/// The rows of a table that tokens say, with the row of their place added: what a transformer begins with.
#[nest]
pub fn embedding(
    tokens: usize,
    words: usize,
    width: usize,
    #[shape(tokens)] ids: &[u32],
    #[shape(words, width)] table: &Array2<f32>,
    #[shape(tokens, width)] places: &Array2<f32>,
    #[shape(tokens, width)] out: &mut Array2<f32>,
) {
    for i in 0..tokens {
        for j in 0..width {
            out[[i, j]] = table[[ids[i] as usize, j]] + places[[i, j]];
        }
    }
}
