//! A program calibrates its models for a GPU by its own calls: their time is the device's, and calls whose stream is
//! captured are left alone. `cargo test -p nitro-variants-cuda --test self_calibration -- --ignored`.

#[path = "../../tests/macro_support/mod.rs"]
mod macro_support;

use std::sync::LazyLock;
use std::thread;

use nitro::model::Node;
use nitro::{Device, calibrate_in_background, code_variant};
use nitro_cuda::{Buffer, CudaError, Grid, Program, Stream, on};

use macro_support::{forest, model};

const SOURCE: &str = r#"
    extern "C" __global__ void add(unsigned* x, unsigned n, unsigned turns) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) for (unsigned turn = 0; turn < turns; turn++) atomicAdd(&x[i], 1);
    }"#;

static PROGRAM: Program = Program::new("self_calibration.cu", SOURCE);

/// Launches a kernel that adds so often. For the host all launches take alike.
fn launch(turns: u32, stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError> {
    let kernel = PROGRAM.kernel_on(stream.device(), "add")?;
    let length = x.len();
    // SAFETY: the arguments are of the kernel's types, and the buffer has so many elements.
    unsafe {
        kernel.launch_on(
            stream,
            Grid::covering(length, 256),
            &[x.into(), (length as u32).into(), turns.into()],
        )
    }
}

#[code_variant(
    device = on(stream),
    features(length = x.len()),
    variants(often, seldom),
    default = often,
    model = MODEL.as_slice(),
)]
fn add(stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError>;

fn often(stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError> {
    launch(2000, stream, x)
}

fn seldom(stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError> {
    launch(10, stream, x)
}

/// A model that expects `often` to be best.
static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let often_is_best = forest(2, vec![Node::Leaf], vec![0, 60]);
    model(add::function().name(), &["often", "seldom"], &["length"], often_is_best).to_bytes()
});

#[test]
#[ignore = "needs a CUDA device"]
fn what_the_device_takes_is_compared() {
    const MOST_ROUNDS: usize = 100_000;
    let stream = Stream::current().unwrap();
    assert!(on(stream).entry().described("sm_count").is_some());
    let mut buffers: Vec<Buffer<u32>> =
        (1..=16).map(|n| Buffer::from_slice(&vec![0; 1000 * n]).expect("there is memory")).collect();
    assert_eq!(add::select(stream, &mut buffers[3]).variant(), add::Variant::Often);
    calibrate_in_background(1.0);
    let learned = (0..MOST_ROUNDS).any(|_| {
        buffers.iter_mut().for_each(|x| add(stream, x).unwrap());
        stream.synchronize().unwrap();
        thread::yield_now();
        add::select(stream, &mut buffers[3]).variant() == add::Variant::Seldom
    });
    calibrate_in_background(0.0);
    assert!(learned, "calls: {:?}", nitro::stats());
}
