//! What only a GPU can show: `cargo test -p nitro-variants-cuda --test device -- --ignored --test-threads=1`.

use std::collections::BTreeSet;

use cudarc::driver::sys::{self, CUcontext};

use nitro_core::{Device, DeviceEntry};
use nitro_cuda::{
    Buffer, Cuda, CudaError, Grid, Kernel, Program, Stream, current, device, device_count,
    flush_l2_between_repeats, on, parse, partition, register_feature,
};

static KERNELS: Program = Program::new("device.cu", include_str!("device.cu"));

const PARTITIONS: [usize; 5] = [8, 16, 32, 64, 128];

/// The partitions that this GPU has: those below its size.
fn partitions() -> Vec<Cuda> {
    let whole = device(0).unwrap();
    PARTITIONS
        .into_iter()
        .filter(|&count| count < whole.multiprocessors())
        .map(|n| partition(0, n).unwrap())
        .collect()
}

fn kernel(name: &str) -> Kernel {
    KERNELS.kernel(name).unwrap()
}

fn feature(entry: &DeviceEntry, name: &str) -> f64 {
    entry.feature(name).unwrap_or_else(|| panic!("{} has no {name}", entry.id()))
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_device_is_opened_once_and_named() {
    let first = device(0).unwrap();
    assert_eq!(first, parse("cuda:0").unwrap().unwrap());
    assert!(first.entry().id().starts_with("cuda:0@"), "{first}");
    let part = partition(0, 8).unwrap();
    assert!(part.entry().id().starts_with("cuda:0/8sm@") && part != first, "{part}");
    assert_eq!(parse("cuda:0/8sm").unwrap().unwrap(), part);
    assert!(matches!(device(99).unwrap_err(), CudaError::NoSuchDevice { ordinal: 99, .. }));
    for impossible in [7, 100_000] {
        let error = partition(0, impossible).unwrap_err();
        assert!(matches!(error, CudaError::Partition { .. }), "{error}");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_partition_runs_on_its_multiprocessors_alone() {
    let whole = device(0).unwrap();
    for part in partitions().into_iter().chain([whole]) {
        part.enter();
        let used = Buffer::<u32>::zeroed(1024).unwrap();
        let grid = Grid::linear(8 * whole.multiprocessors() as u32, 1024);
        // SAFETY: one counter for each multiprocessor there may be.
        unsafe { kernel("multiprocessors").launch(grid, &[(&used).into()]) }.unwrap();
        let used = used.to_vec().unwrap().into_iter().filter(|&blocks| blocks > 0).count();
        assert_eq!(used, part.multiprocessors(), "{part}");
    }
    whole.enter();
}

#[test]
#[ignore = "needs a CUDA device"]
fn features_describe_the_partition() {
    let whole = device(0).unwrap();
    let mut known = BTreeSet::new();
    for part in partitions() {
        let ratio = part.multiprocessors() as f64 / whole.multiprocessors() as f64;
        for scaled in ["sm_count", "cuda_cores", "peak_gflops_sp", "peak_gflops_dp"] {
            let found = feature(part.entry(), scaled) / feature(whole.entry(), scaled);
            assert!((found - ratio).abs() < 1e-9, "{part} {scaled}");
        }
        let names: BTreeSet<String> = part.entry().features().map(|feature| feature.name.clone()).collect();
        known.insert(names);
        for feature in part.entry().features() {
            println!("{part} {} {}", feature.name, feature.value);
            assert!(feature.value.is_finite() && feature.value > 0.0, "{part} {}", feature.name);
        }
    }
    for feature in whole.entry().features() {
        println!("{whole} {} {}", feature.name, feature.value);
    }
    let small = partition(0, 8).unwrap();
    assert!(feature(small.entry(), "copy_gbps") < feature(whole.entry(), "copy_gbps"));
    assert!(feature(small.entry(), "shared_atomic_ms") > feature(whole.entry(), "shared_atomic_ms"));
    assert!(feature(whole.entry(), "copy_gbps") < feature(whole.entry(), "peak_gbps"));
    assert_eq!(known.len(), 1, "all partitions have the same features");
}

#[test]
#[ignore = "needs a CUDA device"]
fn users_add_features_of_their_own() {
    register_feature("test_double_sm_count", |device| Ok(2.0 * device.multiprocessors() as f64));
    // No other test uses this partition, so that its features are not measured yet.
    let part = partition(0, 24).unwrap();
    assert_eq!(feature(part.entry(), "test_double_sm_count"), 48.0);
}

#[test]
#[ignore = "needs a CUDA device"]
fn buffers_give_back_what_they_were_given() {
    device(0).unwrap().enter();
    let values: Vec<u64> = (0..1_000_003).map(|n| n * n).collect();
    let first = Buffer::from_slice(&values).unwrap();
    let mut second = Buffer::<u64>::zeroed(values.len()).unwrap();
    assert!(second.to_vec().unwrap().iter().all(|&value| value == 0));
    second.copy_from(&first).unwrap();
    drop(first); // freed in the order of the stream, after the copy
    assert!(second.to_vec().unwrap() == values);
    assert_eq!(second.get(1000).unwrap(), 1_000_000);
    assert!(matches!(second.get(values.len()).unwrap_err(), CudaError::Index { .. }));
    second.fill_bytes(0xff).unwrap();
    assert_eq!(second.get(5).unwrap(), u64::MAX);
    assert!(matches!(second.copy_from_slice(&values[1..]).unwrap_err(), CudaError::Length { .. }));
    let empty = Buffer::<f32>::from_slice(&[]).unwrap();
    assert!(empty.is_empty() && empty.to_vec().unwrap().is_empty());
}

#[test]
#[ignore = "needs a CUDA device"]
fn arguments_of_all_types_arrive() {
    device(0).unwrap().enter();
    let out = Buffer::<f64>::zeroed(8).unwrap();
    let arguments = [
        (&out).into(),
        200u8.into(),
        (-3i16).into(),
        (-70_000i32).into(),
        4_000_000_000u32.into(),
        (-5_000_000_000i64).into(),
        6_000_000_000usize.into(),
        0.5f32.into(),
        (-0.1f64).into(),
    ];
    // SAFETY: the arguments are of the kernel's types, and it writes eight elements.
    unsafe { kernel("arguments").launch(Grid::linear(1, 1), &arguments) }.unwrap();
    let expected = [200.0, -3.0, -70_000.0, 4e9, -5e9, 6e9, 0.5, -0.1];
    assert_eq!(out.to_vec().unwrap(), expected);
}

#[test]
#[ignore = "needs a CUDA device"]
fn shared_memory_beyond_the_default_is_asked_for() {
    device(0).unwrap().enter();
    let out = Buffer::<u32>::zeroed(1).unwrap();
    let launch = |bytes: u32| {
        let grid = Grid::linear(1, 256).with_shared_bytes(bytes);
        // SAFETY: the arguments are of the kernel's types, and the shared memory has so many words.
        unsafe { kernel("shared").launch(grid, &[(&out).into(), (bytes / 4).into()]) }
    };
    launch(64 << 10).unwrap();
    assert_eq!(out.get(0).unwrap(), (16 << 10) - 1);
    let error = launch(10 << 20).unwrap_err();
    assert!(matches!(error, CudaError::Launch { .. }) && !error.is_fatal(), "{error}");
    assert_eq!(kernel("shared").max_blocks_per_multiprocessor(256, 10 << 20), 0);
    launch(1024).unwrap();
    assert_eq!(out.get(0).unwrap(), 255, "the device goes on after a refused launch");
}

#[test]
#[ignore = "needs a CUDA device"]
fn blocks_of_a_cooperative_launch_can_wait_for_each_other() {
    for device in partitions().into_iter().take(2).chain([device(0).unwrap()]) {
        device.enter();
        let meet = kernel("meet");
        let blocks = meet.max_resident_blocks(128, 0);
        assert_eq!(blocks, meet.max_blocks_per_multiprocessor(128, 0) * device.multiprocessors());
        let (arrived, seen) = (Buffer::<u32>::zeroed(1).unwrap(), Buffer::<u32>::zeroed(blocks + 1).unwrap());
        let launch = |blocks: usize| {
            let arguments = [(&arrived).into(), (&seen).into()];
            // SAFETY: the arguments are of the kernel's types, with a place for each block.
            unsafe { meet.launch_cooperative(Grid::linear(blocks as u32, 128), &arguments) }
        };
        launch(blocks).unwrap();
        assert!(seen.to_vec().unwrap()[..blocks].iter().all(|&seen| seen == blocks as u32), "{device}");
        let error = launch(blocks + 1).unwrap_err();
        assert!(matches!(error, CudaError::Launch { .. }) && !error.is_fatal(), "{device}: {error}");
    }
    device(0).unwrap().enter();
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_missing_kernel_and_too_much_memory_are_plain_errors() {
    device(0).unwrap().enter();
    let error = KERNELS.kernel("absent").unwrap_err();
    assert!(error.to_string().contains("device.cu has no kernel `absent`"), "{error}");
    let error = Buffer::<u8>::uninit(1 << 50).unwrap_err();
    assert!(matches!(error, CudaError::OutOfMemory { bytes } if bytes == 1 << 50), "{error}");
    assert!(!current().is_lost());
    Buffer::from_slice(&[1u8, 2]).unwrap().to_vec().unwrap();
}

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
fn threads_work_on_devices_of_their_own_at_once() {
    let whole = device(0).unwrap();
    let devices: Vec<Cuda> = partitions().into_iter().chain([whole]).collect();
    std::thread::scope(|scope| {
        for (value, &device) in devices.iter().enumerate() {
            scope.spawn(move || {
                device.enter();
                assert_eq!(current().entry(), device.entry());
                let n = 100_000u32;
                let x = Buffer::<u32>::zeroed(n as usize).unwrap();
                for _ in 0..20 {
                    let arguments = [(&x).into(), n.into(), (value as u32).into()];
                    // SAFETY: the arguments are of the kernel's types, and the buffer has so many elements.
                    unsafe { kernel("add").launch(Grid::covering(n as usize, 256), &arguments) }.unwrap();
                }
                assert!(x.to_vec().unwrap().iter().all(|&x| x == 20 * value as u32));
            });
        }
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_scope_ends_also_by_a_panic() {
    let whole = device(0).unwrap();
    whole.enter();
    let part = partition(0, 8).unwrap();
    assert_eq!(part.scope(|| Stream::current().unwrap().device()), part);
    let panicked = std::panic::catch_unwind(|| part.scope(|| panic!("on purpose")));
    assert!(panicked.is_err());
    assert_eq!(Stream::current().unwrap().device(), whole);
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

/// Keeps a stream busy so long that the host is far ahead.
fn keep_busy(stream: Stream) {
    let spin = KERNELS.kernel_on(stream.device(), "spin").unwrap();
    // SAFETY: the argument is of the kernel's type.
    unsafe { spin.launch_on(stream, Grid::linear(1, 1), &[50_000_000u64.into()]) }.unwrap();
}

const LENGTH: usize = 1 << 20;

/// Of two streams, the copy's and the source's.
fn streams() -> [(Stream, Stream); 3] {
    let (whole, part) = (device(0).unwrap(), partition(0, 8).unwrap());
    let other = || Stream::new(whole).unwrap();
    [(whole.stream(), other()), (other(), whole.stream()), (part.stream(), whole.stream())]
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_copy_between_streams_waits_for_the_source() {
    for (here, there) in streams() {
        let mut source = Buffer::<u32>::uninit_on(there, LENGTH).unwrap();
        let mut target = Buffer::<u32>::uninit_on(here, LENGTH).unwrap();
        source.fill_bytes(1).unwrap();
        there.synchronize().unwrap();
        keep_busy(there);
        source.fill_bytes(2).unwrap();
        target.copy_from(&source).unwrap();
        assert!(target.to_vec().unwrap().iter().all(|&value| value == 0x0202_0202));
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_source_may_be_changed_or_dropped_while_it_is_copied_to_another_stream() {
    for (here, there) in streams() {
        for drops in [true, false] {
            let mut source = Buffer::<u32>::uninit_on(there, LENGTH).unwrap();
            let mut target = Buffer::<u32>::uninit_on(here, LENGTH).unwrap();
            source.fill_bytes(3).unwrap();
            there.synchronize().unwrap();
            keep_busy(here);
            target.copy_from(&source).unwrap();
            // The same memory, as a rule: it has just been given back.
            let mut next = if drops {
                drop(source);
                Buffer::<u32>::uninit_on(there, LENGTH).unwrap()
            } else {
                source
            };
            next.fill_bytes(0xff).unwrap();
            assert!(target.to_vec().unwrap().iter().all(|&value| value == 0x0303_0303), "drops: {drops}");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_kernel_is_not_launched_on_a_stream_of_another_device() {
    let (whole, part) = (device(0).unwrap(), partition(0, 8).unwrap());
    let spin = KERNELS.kernel_on(whole, "spin").unwrap();
    // SAFETY: the argument is of the kernel's type.
    let error = unsafe { spin.launch_on(part.stream(), Grid::linear(1, 1), &[1u64.into()]) }.unwrap_err();
    assert!(matches!(error, CudaError::OtherDevice { .. }), "{error}");
}

/// Of many first launches at once, each has the shared memory that it asked for.
#[test]
#[ignore = "needs a CUDA device"]
fn threads_may_ask_for_different_amounts_of_shared_memory_at_once() {
    let most = 200 << 10;
    for count in [8, 16, 32, 64] {
        // A partition of its own has loaded nothing yet.
        let Ok(part) = partition(0, count) else { continue };
        std::thread::scope(|scope| {
            for thread in 0..16 {
                scope.spawn(move || {
                    let bytes = if thread % 2 == 0 { most } else { (50 << 10) + 1024 * thread };
                    let stream = Stream::new(part).unwrap();
                    let out = Buffer::<u32>::uninit_on(stream, 1).unwrap();
                    let grid = Grid::linear(1, 256).with_shared_bytes(bytes);
                    let shared = KERNELS.kernel_on(part, "shared").unwrap();
                    for _ in 0..20 {
                        // SAFETY: the arguments are of the kernel's types, and the shared memory has so many words.
                        unsafe { shared.launch_on(stream, grid, &[(&out).into(), (bytes / 4).into()]) }
                            .unwrap();
                    }
                    assert_eq!(out.get(0).unwrap(), bytes / 4 - 1);
                });
            }
        });
    }
}

/// The driver's context that is current on this thread.
fn current_context() -> CUcontext {
    let mut context = std::ptr::null_mut();
    // SAFETY: `context` lives through the call.
    unsafe { sys::cuCtxGetCurrent(&raw mut context) }.result().unwrap();
    context
}

#[test]
#[ignore = "needs a CUDA device"]
fn what_others_do_with_contexts_is_undone() {
    /// Pushes a context and leaves it there.
    fn push() {
        let context = partition(0, 8).unwrap().with_context(current_context).unwrap();
        // SAFETY: the context lives as long as the process.
        unsafe { sys::cuCtxPushCurrent_v2(context) }.result().unwrap();
    }
    /// Pops what somebody else has pushed.
    fn pop() {
        let mut popped = std::ptr::null_mut();
        // SAFETY: `popped` lives through the call.
        unsafe { sys::cuCtxPopCurrent_v2(&raw mut popped) }.result().unwrap();
    }
    fn panic() {
        panic!("on purpose");
    }
    let check = |foreign: fn()| {
        let (whole, part) = (device(0).unwrap(), partition(0, 8).unwrap());
        let before = current_context();
        let disturb = || drop(std::panic::catch_unwind(|| whole.with_context(foreign)));
        disturb();
        assert_eq!(current_context(), before);
        part.with_context(|| {
            let before = current_context();
            disturb();
            assert_eq!(current_context(), before);
        })
        .unwrap();
        assert_eq!(current_context(), before);
    };
    for foreign in [push, pop, panic] {
        // Each on a thread of its own, whose contexts nobody has touched.
        std::thread::spawn(move || check(foreign)).join().unwrap();
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn several_gpus_work_in_one_process() {
    let count = device_count().unwrap();
    if count < 2 {
        return println!("left out: this machine has {count} GPU");
    }
    let buffers: Vec<Buffer<u32>> = (0..count)
        .map(|ordinal| {
            device(ordinal).unwrap().scope(|| Buffer::from_slice(&[ordinal as u32; 1000]).unwrap())
        })
        .collect();
    for (ordinal, buffer) in buffers.iter().enumerate() {
        let arguments = [buffer.into(), 1000u32.into(), 1u32.into()];
        let add = KERNELS.kernel_on(device(ordinal).unwrap(), "add").unwrap();
        // SAFETY: the arguments are of the kernel's types, and the buffer has so many elements on the kernel's device.
        unsafe { add.launch(Grid::covering(1000, 256), &arguments) }.unwrap();
    }
    // Read, and dropped, by a thread that works on another GPU.
    device(0).unwrap().enter();
    for (ordinal, buffer) in buffers.into_iter().enumerate() {
        assert!(buffer.to_vec().unwrap().iter().all(|&x| x == ordinal as u32 + 1), "cuda:{ordinal}");
    }
}
