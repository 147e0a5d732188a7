//! On a GPU the kernels give what the functions give. `cargo test --release -p nitro-polybench --features search --test gpu -- --ignored`.

mod support;

use nitro_codegen::{Data, Executable, Mapping, Program, Tiling};
use nitro_cuda::{Buffer, Options, device};
use nitro_polybench::kernels;
use support::{assert_near, bits, data, sizes};

/// Runs a program on the first GPU.
fn run(program: &Program, executable: &Executable, data: &mut Data) {
    // An empty array has an address too.
    let upload = |array: &Vec<f32>| Buffer::from_slice(if array.is_empty() { &[0.0] } else { array });
    let buffers: Vec<Buffer<f32>> = data.arrays.iter().map(|array| upload(array).unwrap()).collect();
    // SAFETY: the arrays are those of the nest, and the interpreter finds no access out of bounds.
    unsafe { executable.run(&data.parameters, &data.scalars, &buffers) }
        .unwrap_or_else(|error| panic!("{error}\n{program}"));
    for (array, buffer) in data.arrays.iter_mut().zip(&buffers) {
        let length = array.len();
        *array = buffer.to_vec().unwrap()[..length].to_vec();
    }
}

fn tiled(points: [u32; 3], inner: u32, buffers: u32) -> Mapping {
    let of = |block: [u32; 3], points| Tiling { block, points, inner, buffers, promotes: true, unroll: 0 };
    let usual = [of([64, 1, 1], [1; 3]), of([16, 8, 1], points), of([16, 4, 2], points)];
    Mapping::naive().with_usual_tilings(usual)
}

/// Mappings, and whether results are those of the function bit for bit.
fn mappings() -> Vec<(Mapping, bool)> {
    let small = [[32, 1, 1], [8, 4, 1], [4, 4, 2]];
    vec![
        (Mapping::naive().with_register_promotion(), true),
        (Mapping::naive().with_blocks(small), true),
        (tiled([2, 4, 1], 16, 1), true),
        (tiled([4, 2, 2], 8, 2), true),
        (Mapping::ppcg_default(), true),
        (Mapping::sane(), false),
    ]
}

#[test]
#[ignore = "needs a CUDA device"]
fn kernels_give_what_the_functions_give() {
    let device = device(0).unwrap();
    for kernel in kernels() {
        let plain = (kernel.nest)();
        let nest = plain.with_temporaries().unwrap();
        let dependences = nest.dependences().unwrap();
        for (mapping, is_exact) in mappings() {
            let program = nest.map(&dependences, &mapping);
            let options = Options::for_device(device);
            let options = if is_exact { options.with_argument("-fmad=false") } else { options };
            let most = vec![1 << 10; nest.parameters().len()];
            let integers = program.integers(&most).unwrap();
            let image =
                Executable::image(&program, integers, &options).unwrap_or_else(|error| panic!("{error}"));
            let executable = Executable::load(program.clone(), integers, &image, device).unwrap();
            let all = sizes(nest.parameters().len(), &[0, 1, 2, 31, 33, 63, 65]);
            for (seed, sizes) in all.iter().enumerate() {
                let input = data(&plain, sizes, seed as u64);
                let (mut expected, mut result) = (input.clone(), input);
                (kernel.reference)(&mut expected);
                run(&program, &executable, &mut result);
                let what = format!("{} at {sizes:?} by {mapping:?}", nest.name());
                if is_exact {
                    assert!(bits(&result) == bits(&expected), "{what}");
                } else {
                    assert_near(&result, &expected, &what);
                }
            }
        }
    }
}
