use nitro_nest::{Array2, nest};

#[nest]
fn types(
    n: u32,
    alpha: f64,
    #[shape(n)] x: Vec<f32>,
    #[shape(n)] y: &[f64],
    #[shape(n, n)] a: &Array2<f64>,
) {
}

#[nest]
fn shapes(
    n: usize,
    #[shape(n)] m: usize,
    alpha: f32,
    x: &[f32],
    #[shape(n, n)] y: &[f32],
    #[shape(n * n)] z: &[f32],
    #[shape(alpha)] w: &[f32],
    #[shape(n, n)]
    #[shape(n)]
    a: &Array2<f32>,
) {
}

#[nest]
fn patterns(mut n: usize, (alpha, beta): (f32, f32)) {}

fn main() {}
