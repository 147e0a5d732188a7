use nitro_nest::nest;

#[nest]
fn vectors(n: usize, #[shape(n)] x: &Vec<f32>, #[shape(n)] y: &mut Vec<f32>, #[shape(n)] z: std::vec::Vec<f32>) {
    for i in 0..n {
        y[i] = x[i] + z[i];
    }
}

#[nest]
fn rows(n: usize, #[shape(n, n)] x: &mut Vec<Vec<f32>>, #[shape(n)] y: &[f64], #[shape(4)] z: &[f32; 4]) {
    x[0][0] = y[0] + z[0];
}

#[nest]
fn slices(n: usize, #[shape(n, n)] x: &[f32], #[shape(x.len())] y: &mut [f32], z: &[f32]) {
    y[0] = 1.0;
}

#[nest]
fn lengths(n: usize, #[shape(n)] x: &[f32], #[shape(n)] y: &mut [f32], #[shape(n, n)] a: &Array2<f32>) {
    for i in 0..x.len() {
        y[i] = a[i][0];
        y[i] = a.nrows() as f32;
        y[x.len() - 1 - i] = x[i][i];
    }
    for i in 0..a.len_of(Axis(0)) {
        y.push(1.0);
    }
    for value in y.iter_mut() {
        *value = 1.0;
    }
}

fn main() {}
