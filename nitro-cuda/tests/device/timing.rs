//! Time is that of the device and of the stream.

use nitro_core::Device;
use nitro_cuda::{Buffer, Cuda, Grid, Stream, device, flush_l2_between_repeats, on, partition};

use crate::KERNELS;

#[test]
#[ignore = "needs a CUDA device"]
fn time_is_the_devices_and_excludes_the_flush() {
    let spin_ns = 2_000_000u64;
    let time_ns = |device: Cuda| {
        let mut stopwatch = device.stopwatch();
        stopwatch.start();
        // SAFETY: the argument is of the kernel's type.
        unsafe { KERNELS.kernel_on(device, "spin").unwrap().launch(Grid::linear(1, 1), &[spin_ns.into()]) }
            .unwrap();
        stopwatch.stop()
    };
    for device in [device(0).unwrap(), partition(0, 8).unwrap()] {
        time_ns(device);
        for flush in [false, true] {
            flush_l2_between_repeats(flush);
            let time_ns = time_ns(device);
            println!("{device} spin of {spin_ns} ns took {time_ns} ns, flush {flush}");
            assert!(time_ns >= 0.95 * spin_ns as f64, "{device}: {time_ns}");
        }
        flush_l2_between_repeats(false);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_stream_of_ones_own_has_its_devices_features_and_time() {
    let part = partition(0, 8).unwrap();
    let stream = Stream::new(part).unwrap();
    let here = on(stream);
    assert_eq!(here.entry(), part.entry());
    let mut stopwatch = here.stopwatch();
    stopwatch.start();
    let spin = KERNELS.kernel_on(part, "spin").unwrap();
    // SAFETY: the argument is of the kernel's type.
    unsafe { spin.launch_on(stream, Grid::linear(1, 1), &[1_000_000u64.into()]) }.unwrap();
    assert!(stopwatch.stop() >= 0.95e6);
    let used = part.scope(|| Buffer::<u32>::zeroed(1024)).unwrap();
    part.stream().synchronize().unwrap();
    let multiprocessors = KERNELS.kernel_on(part, "multiprocessors").unwrap();
    // SAFETY: one counter for each multiprocessor there may be.
    unsafe { multiprocessors.launch_on(stream, Grid::linear(500, 1024), &[(&used).into()]) }.unwrap();
    stream.synchronize().unwrap();
    assert_eq!(
        used.to_vec().unwrap().into_iter().filter(|&blocks| blocks > 0).count(),
        part.multiprocessors()
    );
}
