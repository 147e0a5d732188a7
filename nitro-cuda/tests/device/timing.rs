//! Time is that of the device and of the stream.

use nitro_core::{Device, Regime, in_regime};
use nitro_cuda::{Buffer, Cuda, CudaError, Grid, Stream, device, on, partition};

use crate::KERNELS;

#[test]
#[ignore = "needs a CUDA device"]
fn time_is_the_devices_and_excludes_what_fills_the_cache() {
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
        for regime in [Regime::Eager, Regime::Cold] {
            let time_ns = in_regime(regime, || time_ns(device));
            println!("{device} spin of {spin_ns} ns took {time_ns} ns, {regime}");
            assert!(time_ns >= 0.95 * spin_ns as f64, "{device}: {time_ns}");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_cold_call_finds_nothing_in_the_second_level_cache() -> Result<(), CudaError> {
    let device = device(0)?;
    let (x, mut y) = (Buffer::<f32>::zeroed(1 << 22)?, Buffer::zeroed(1 << 22)?);
    let [cold, eager] = [Regime::Cold, Regime::Eager].map(|regime| {
        let mut times_ns: Vec<f64> = (0..21)
            .map(|_| {
                let mut stopwatch = in_regime(regime, || device.stopwatch());
                stopwatch.start();
                y.copy_from(&x).unwrap();
                stopwatch.stop()
            })
            .collect();
        times_ns.sort_by(f64::total_cmp);
        times_ns[10]
    });
    println!("a copy of 16 MiB takes {cold} ns cold, {eager} ns otherwise");
    assert!(cold > eager);
    Ok(())
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
