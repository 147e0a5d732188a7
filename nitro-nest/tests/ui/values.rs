use nitro_nest::{Array2, nest};

#[nest]
fn numbers(n: usize, alpha: f32, #[shape(n)] x: &mut [f32]) {
    for i in 0..n {
        x[i] = 1;
        x[i] = 2.0f64;
        x[i] = 1e99;
        x[i] = i;
        x[i] = i as f64;
        x[i] = x;
        x[i] = alhpa;
        x[i] = true;
        x[i] = alpha % 2.0;
        x[i] = alpha.asin();
        x[i] = alpha.sqrt(2.0);
        x[i] = alpha.min();
        x[i] = f32::max(alpha);
        x[i] = f64::max(alpha, 1.0);
        x[i] = f32::consts::max(alpha, 1.0);
        x[i] = f32::max();
        x[i] = alpha.clamp(1.0);
        x[i] = alpha.powf(2.0);
        x[i] = alpha.powi(i);
        x[i] = alpha.powi(-33);
        x[i] = alpha.mul_add(2.0);
        x[i] = f32::NAN;
        x[i] = if alpha < 1.0 { 1.0 };
        x[i] = if alpha < 1.0 && alpha { 1.0 } else { 2.0 };
    }
}

#[nest]
fn elements(n: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(n)] x: &mut [f32]) {
    for i in 0..n {
        x[i] = a[i];
        x[i] = a[[i]];
        x[i] = a[[i, i, i]];
        x[i] = x[[i]];
        x[i] = x[i * i];
        x[i] = x[x[i]];
        x[i] = x[0..n];
        x[i] = n[i];
        x[i.saturating_sub(1)] = 1.0;
        x[i.min(3)] = 1.0;
    }
}

fn main() {}
