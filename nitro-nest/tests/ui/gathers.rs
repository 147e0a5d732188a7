use nitro_nest::{Array2, nest};

#[nest]
fn places(n: usize, #[shape(n)] ids: &[u32], #[shape(n)] x: &[f32], #[shape(n, n)] y: &mut Array2<f32>) {
    for i in 0..n {
        y[[ids[i] as usize, 0]] = x[i];
        y[[i, 0]] = y[[ids[i] as usize, 0]];
        y[[i, 0]] = x[ids[i] as usize + 1];
        y[[i, 0]] = x[ids[i]];
        y[[i, 0]] = x[ids[ids[i] as usize] as usize];
        y[[i, 0]] = x[x[i] as usize];
        y[[i, 0]] = x[ids[[i, 0]] as usize];
        let place = ids[i] as usize;
        y[[i, 0]] = x[place + 1];
        y[[i, place]] = x[i];
        for j in 0..place {
            y[[i, j]] = x[i];
        }
        if place < n {
            y[[i, 0]] = x[i];
        }
    }
}

#[nest]
fn values(n: usize, #[shape(n)] ids: &[u32], #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        y[i] = ids[i] as f32;
        y[i] = ids[i];
        let place = ids[i] as usize;
        y[i] = place;
        y[i] = ids;
        ids[i] = 1.0;
    }
}

#[nest]
fn arguments(
    n: usize,
    #[shape(n)] written: &mut [u32],
    #[shape(n)] signed: &[i32],
    #[shape(n)] sizes: &[usize],
    unshaped: &[u32],
    scalar: u32,
) {
}

fn main() {}
