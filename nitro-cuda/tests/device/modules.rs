//! Images are loaded and unloaded at will, and whatever is queued runs.

use std::sync::Arc;

use cudarc::driver::sys;
use nitro_cuda::{
    Buffer, Cuda, CudaError, Grid, Image, Module, Options, Output, Program, Source, Stream, compile, device,
    partition,
};

use crate::keep_busy;

const FILL: Source<'static> = Source::new(
    "fill.cu",
    r#"extern "C" __global__ void fill(unsigned* x, unsigned n) {
        __shared__ unsigned value;
        if (threadIdx.x == 0) value = VALUE;
        __syncthreads();
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = value;
    }"#,
);
const LENGTH: usize = 10_000;

fn image(device: Cuda, value: u32) -> Image {
    compile(&FILL, &Options::for_device(device).define("VALUE", value)).unwrap()
}

/// Launches `fill` of a module on a stream of its device.
fn fill(module: &Module, stream: Stream, x: &mut Buffer<u32>) -> Result<(), CudaError> {
    let length = x.len();
    let kernel = module.kernel("fill")?;
    // SAFETY: the arguments are of the kernel's types, and the buffer has so many elements.
    unsafe { kernel.launch_on(stream, Grid::covering(length, 256), &[x.into(), (length as u32).into()]) }
}

/// Leaves a launch of `fill` waiting for other work of the stream. It is not the first: that one would load the
/// code, which may wait.
fn queue_behind_work(module: &Module, stream: Stream, x: &mut Buffer<u32>) {
    fill(module, stream, x).unwrap();
    x.fill_zero().unwrap();
    stream.synchronize().unwrap();
    keep_busy(stream);
    fill(module, stream, x).unwrap();
}

fn filled(module: &Module) -> Vec<u32> {
    let mut x = Buffer::uninit_on(module.device().stream(), LENGTH).unwrap();
    fill(module, module.device().stream(), &mut x).unwrap();
    x.to_vec().unwrap()
}

#[test]
#[ignore = "needs a CUDA device"]
fn machine_code_and_ptx_run_alike() {
    for device in [device(0).unwrap(), partition(0, 8).unwrap()] {
        let options = Options::for_device(device).define("VALUE", 7);
        let machine_code = compile(&FILL, &options).unwrap();
        let ptx = compile(&FILL, &options.with_output(Output::Ptx)).unwrap();
        let shipped = Image::from_ptx("shipped.ptx", ptx.ptx().unwrap());
        for image in [machine_code, ptx, shipped] {
            let module = Module::load(device, &image).unwrap();
            assert_eq!(filled(&module), [7; LENGTH], "{image:?} on {device}");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn the_driver_and_the_compiler_agree_on_what_a_kernel_takes() {
    let device = device(0).unwrap();
    let image = image(device, 1);
    let module = Module::load(device, &image).unwrap();
    let loaded = module.kernel("fill").unwrap().resources().unwrap();
    let compiled = image.usage("fill").unwrap_or_else(|| panic!("the log says: {}", image.log()));
    assert_eq!(
        (loaded.registers, loaded.static_shared_bytes, loaded.local_bytes),
        (compiled.registers, compiled.static_shared_bytes, compiled.stack_bytes)
    );
    assert!(loaded.max_threads_per_block >= 256 && loaded.registers > 0, "{loaded:?}");
}

#[test]
#[ignore = "needs a CUDA device"]
fn ptx_that_is_none_is_refused_with_what_the_driver_says() {
    let device = device(0).unwrap();
    let ptx =
        compile(&FILL, &Options::for_device(device).define("VALUE", 7).with_output(Output::Ptx)).unwrap();
    let broken = ptx.ptx().unwrap().replace("st.global", "st.nowhere");
    let error = Module::load(device, &Image::from_ptx("evolved.ptx", &broken)).unwrap_err();
    let CudaError::Ptx { file, log, .. } = &error else { panic!("{error:?}") };
    assert!(file == "evolved.ptx" && log.contains("line") && !error.is_fatal(), "{error}");
    let module = Module::load(device, &ptx).unwrap();
    assert_eq!(filled(&module), [7; LENGTH], "the device goes on");
    assert!(matches!(module.kernel("absent").unwrap_err(), CudaError::NoSuchKernel { .. }));
}

#[test]
#[ignore = "needs a CUDA device"]
fn what_is_queued_runs_although_its_module_is_dropped() {
    let (whole, part) = (device(0).unwrap(), partition(0, 8).unwrap());
    whole.enter(); // so that a module of the partition is dropped away from its context
    let images: Vec<Image> = (0..10).map(|value| image(whole, value)).collect();
    for stream in [whole.stream(), Stream::new(whole).unwrap(), part.stream(), Stream::new(part).unwrap()] {
        let load = |image| Module::load(stream.device(), image).unwrap();
        for (value, image) in images.iter().enumerate() {
            let mut x = Buffer::<u32>::uninit_on(stream, LENGTH).unwrap();
            let module = load(image);
            queue_behind_work(&module, stream, &mut x);
            drop(module);
            // What is loaded next may take the place of what was unloaded too early.
            let others: Vec<Module> = images.iter().map(load).collect();
            assert!(x.to_vec().unwrap().iter().all(|&x| x == value as u32), "{value} on {stream:?}");
            drop(others);
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn dropping_a_module_waits_for_nothing() {
    let device = device(0).unwrap();
    let stream = Stream::new(device).unwrap();
    let mut x = Buffer::<u32>::uninit_on(stream, LENGTH).unwrap();
    let module = Module::load(device, &image(device, 1)).unwrap();
    queue_behind_work(&module, stream, &mut x);
    drop(module);
    assert!(!is_idle(stream), "the stream is still busy");
    stream.synchronize().unwrap();
}

/// Whether a stream has done all that it was given.
fn is_idle(stream: Stream) -> bool {
    // SAFETY: the stream lives as long as the process.
    let query = || unsafe { sys::cuStreamQuery(stream.as_raw().cast()) };
    stream.device().with_context(query).unwrap() == sys::CUresult::CUDA_SUCCESS
}

/// Bytes of the device's memory that are free.
fn free_bytes(device: Cuda) -> usize {
    let (mut free, mut all) = (0, 0);
    // SAFETY: both numbers live through the call.
    let ask = || unsafe { sys::cuMemGetInfo_v2(&mut free, &mut all) }.result();
    device.with_context(ask).unwrap().unwrap();
    free
}

#[test]
#[ignore = "needs a CUDA device"]
fn ten_thousand_candidates_leave_nothing_behind() {
    let device = device(0).unwrap();
    let images: Vec<Image> = (0..10).map(|value| image(device, value)).collect();
    let run = |count: usize| {
        for image in images.iter().cycle().take(count) {
            drop(filled(&Module::load(device, image).unwrap()));
        }
    };
    run(100); // the driver's own memory, and the pool's
    let before = free_bytes(device);
    run(10_000);
    let lost = before.saturating_sub(free_bytes(device));
    assert!(lost < 16 << 20, "{lost} bytes are lost");
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_configuration_is_compiled_once_a_device() {
    static PROGRAM: Program = Program::new(FILL.file, FILL.text);
    let (whole, part) = (device(0).unwrap(), partition(0, 8).unwrap());
    let module = |device, value| PROGRAM.module_on(device, &[("VALUE", value)]).unwrap();
    let first = module(whole, 3);
    assert!(Arc::ptr_eq(&first, &module(whole, 3)));
    for (device, value) in [(whole, 4), (part, 3), (part, 4), (whole, 3)] {
        assert_eq!(filled(&module(device, value)), [value as u32; LENGTH]);
    }
    assert!(Arc::ptr_eq(&first, &module(whole, 3)));
    assert!(PROGRAM.kernel("fill").unwrap_err().to_string().contains("VALUE"), "there is none without");
}

#[test]
#[ignore = "needs a CUDA device"]
fn threads_may_load_and_drop_modules_at_once() {
    let device = device(0).unwrap();
    let images: Vec<Image> = (0..4).map(|value| image(device, value)).collect();
    std::thread::scope(|scope| {
        for (value, image) in images.iter().enumerate() {
            scope.spawn(move || {
                let stream = Stream::new(device).unwrap();
                for _ in 0..100 {
                    let mut x = Buffer::<u32>::uninit_on(stream, LENGTH).unwrap();
                    let module = Module::load(device, image).unwrap();
                    fill(&module, stream, &mut x).unwrap();
                    drop(module);
                    assert!(x.to_vec().unwrap().iter().all(|&x| x == value as u32));
                }
            });
        }
    });
}
