use nitro_nest::nest;

const SIZE: usize = 8;
const FACTOR: f32 = 2.0;

struct Blocks;

impl Blocks {
    const WIDTH: usize = 4;
}

#[nest]
fn constants(n: usize, #[shape(n)] x: &mut [f32], #[shape(n)] y: &mut [f32]) {
    for i in 0..SIZE {
        x[i] = FACTOR;
        x[i] = std::f32::consts::PI;
        x[i] += FACTOR * y[i];
        x[i] = SIZE as f32;
        x[i] = (i + Blocks::WIDTH) as f32;
        x[usize::MIN] = 1.0;
        x[i + SIZE] = FACTOR.sqrt();
    }
    for i in (0..n).step_by(SIZE) {
        if i < SIZE {
            y[i] = if y[i] < FACTOR { 1.0 } else { 2.0 };
        }
    }
}

#[nest]
fn shaped(#[shape(SIZE)] x: &mut [f32], n: usize, #[shape(n, 2 * Blocks::WIDTH)] a: &Array2<f32>) {
    x[0] = a[[0, 0]];
}

#[nest]
fn own(n: usize, #[shape(n)] x: &mut [f32]) {
    const HALF: f32 = 0.5;
    static WIDTH: usize = 4;
    let unread = x[0].asin();
    for i in 0..WIDTH {
        x[i] = HALF + unread;
    }
}

#[nest]
fn casts(n: usize, alpha: f32, #[shape(n)] x: &mut [f32]) {
    for i in 0..n as usize {
        x[x[i] as usize] = 1.0;
        x[i] = alpha as f32;
        x[i] = x[i] as f32;
        x[(i as i32 - 1) as usize] = 1.0;
        x[i as u8] = 1.0;
        x[i] = (i - 1) as usize as f32;
        x[(i * n) as usize] = 1.0;
        x[i] = 2.5 as f64;
        x[i] = 2 as f64;
    }
}

#[nest]
fn literals(n: usize, #[shape(n)] x: &mut [f32]) {
    x[9223372036854775808] = 1.0;
    x[9223372036854775807 + 1] = 1.0;
    x[3000000000 * 4000000000] = 1.0;
    x[3000000000 * (4000000000 * n)] = 1.0;
    x[1.0] = 1.0;
    x[0] = 1u32;
    x[0] = 'a';
    for i in 0..=9223372036854775807 {}
}

fn main() {}
