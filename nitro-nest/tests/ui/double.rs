use nitro_nest::{Array2, nest};

#[nest]
fn mixed(n: usize, alpha: f32, #[shape(n, n)] x: &Array2<f64>, #[shape(n)] y: &mut [f32], beta: f64) {
    for i in 0..n {
        y[i] = alpha * x[[i, i]] * beta;
    }
}

#[nest]
fn values(n: usize, #[shape(n)] x: &[f64], #[shape(n)] y: &mut [f64]) {
    for i in 0..n {
        y[i] = x[i] * 2.0f32;
        y[i] = x[i] * 2;
        y[i] = i as f32;
        y[i] = i;
        y[i] = x[i] as f64;
        y[i] = x[i].max(f32::MAX);
        y[i] = 1e400;
        y[x] = 1.0;
    }
}

fn main() {}
