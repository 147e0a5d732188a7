//! On a GPU the kernels give what the functions give, bit for bit. `cargo test --release -p nitro-polybench --features polyhedral --test gpu -- --ignored`.

mod support;

use nitro_codegen::{Data, Integers, Mapping, Program};
use nitro_cuda::{Argument, Buffer, Grid, Module, Options, Source, compile, device};
use nitro_polybench::kernels;
use support::{bits, data, sizes};

/// Runs a program on the first GPU.
fn run(program: &Program, module: &Module, data: &mut Data) {
    // An empty array has an address too.
    let upload = |array: &Vec<f32>| Buffer::from_slice(if array.is_empty() { &[0.0] } else { array });
    let buffers: Vec<Buffer<f32>> = data.arrays.iter().map(|array| upload(array).unwrap()).collect();
    let launched = program.launches(&data.parameters, |launch| {
        if launch.grid.contains(&0) {
            return Ok(());
        }
        let kernel = &program.kernels[launch.kernel];
        let integers = launch.integers.iter().map(|value| Argument::from(*value));
        let scalars = data.scalars.iter().map(|value| Argument::from(*value));
        let arguments: Vec<Argument<'_>> =
            integers.chain(scalars).chain(buffers.iter().map(Argument::from)).collect();
        let grid = Grid {
            blocks: launch.grid.map(|blocks| blocks as u32).into(),
            threads: kernel.block.into(),
            shared_bytes: 0,
        };
        // SAFETY: the arguments are those that the kernel is written with, and the interpreter finds no access out of bounds.
        unsafe { module.kernel(&kernel.name)?.launch(grid, &arguments) }
    });
    launched.unwrap_or_else(|error| panic!("{error}"));
    for (array, buffer) in data.arrays.iter_mut().zip(&buffers) {
        let length = array.len();
        *array = buffer.to_vec().unwrap()[..length].to_vec();
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn kernels_give_what_the_functions_give() {
    let device = device(0).unwrap();
    for kernel in kernels() {
        let nest = (kernel.nest)();
        for blocks in [[[256, 1, 1], [32, 8, 1], [32, 4, 2]], [[32, 1, 1], [8, 4, 1], [4, 4, 2]]] {
            let program = nest.map(
                &nest.dependences().unwrap(),
                &Mapping::naive().with_blocks(blocks).with_register_promotion(),
            );
            let text = program.cuda(Integers::Bits64);
            let options = Options::for_device(device).with_argument("-fmad=false");
            let image =
                compile(&Source::new("nest.cu", &text), &options).unwrap_or_else(|error| panic!("{error}"));
            let module = Module::load(device, &image).unwrap();
            for (seed, sizes) in sizes(nest.parameters().len(), &[0, 1, 2, 31, 33]).iter().enumerate() {
                let input = data(&nest, sizes, seed as u64);
                let (mut expected, mut result) = (input.clone(), input);
                (kernel.reference)(&mut expected);
                run(&program, &module, &mut result);
                assert_eq!(bits(&result), bits(&expected), "{} at {sizes:?}\n{text}", nest.name());
            }
        }
    }
}
