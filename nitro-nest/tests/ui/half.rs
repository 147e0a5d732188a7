use half::{bf16, f16};
use nitro_nest::nest;

#[nest]
fn values(n: usize, #[shape(n)] x: &[f16], #[shape(n)] y: &mut [half::bf16], #[shape(n)] z: &mut [f32]) {
    for i in 0..n {
        z[i] = x[i];
        z[i] = x[i] * 2.0;
        z[i] = z[i].to_f32();
        z[i] = f16::from_f32(z[i]);
        y[i] = z[i];
        y[i] = x[i];
        y[i] = f16::from_f32(z[i]);
        y[i] += bf16::from_f32(z[i]);
        y[i] = bf16::from_f32(y[i]);
    }
}

#[nest]
fn mixed(n: usize, #[shape(n)] x: &[f16], #[shape(n)] y: &mut [f64], scalar: f16) {
    for i in 0..n {
        y[i] = 1.0;
    }
}

fn main() {}
