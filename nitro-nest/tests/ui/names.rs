use nitro_nest::nest;

#[nest]
fn hiding(n: usize, #[shape(n)] x: &mut [f32]) {
    for n in 0..3 {
        x[n] = 1.0;
    }
    for i in 0..n {
        for i in 0..n {
            x[i] = 2.0;
        }
        let x = 1.0;
    }
}

fn main() {
    hiding(0, &mut []); // the function is there all the same
    let _: nitro_nest::Nest = hiding::nest();
}
