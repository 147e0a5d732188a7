use nitro_nest::nest;

#[nest]
async fn later() {}

#[nest]
const fn constant() {}

#[nest]
unsafe fn unchecked() {}

#[nest]
fn generic<T>(n: usize) {}

#[nest]
fn sum(n: usize, #[shape(n)] x: &[f32]) -> f32 {
    x[0]
}

struct Grid;

impl Grid {
    #[nest]
    fn step(&mut self, n: usize) {}
}

fn main() {}
