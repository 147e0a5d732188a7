//! A launch runs as it was asked for, or is refused with a reason.

use nitro_core::Device;
use nitro_cuda::{Argument, Buffer, CudaError, Grid, LaunchGraph, Stream, current, device, partition};

use crate::{KERNELS, kernel, partitions};

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
fn a_kernel_is_not_launched_on_a_stream_of_another_device() {
    let (whole, part) = (device(0).unwrap(), partition(0, 8).unwrap());
    let spin = KERNELS.kernel_on(whole, "spin").unwrap();
    // SAFETY: the argument is of the kernel's type.
    let error = unsafe { spin.launch_on(part.stream(), Grid::linear(1, 1), &[1u64.into()]) }.unwrap_err();
    assert!(matches!(error, CudaError::OtherDevice { .. }), "{error}");
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_graph_launches_all_that_it_was_made_of_in_that_order_as_often_as_it_is_asked() {
    let stream = device(0).unwrap().stream();
    device(0).unwrap().enter();
    let x = Buffer::<u32>::zeroed(1000).unwrap();
    let arguments = [1, 2, 3].map(|value: u32| [Argument::from(&x), 1000u32.into(), value.into()]);
    let launches = (0..300).map(|at| (kernel("add"), Grid::covering(1000, 256), &arguments[at % 3][..]));
    let graph = LaunchGraph::new(stream, launches).unwrap();
    for times in 1..=3 {
        // SAFETY: the arguments are of the kernel's types, and the buffer has so many elements.
        unsafe { graph.launch() }.unwrap();
        assert_eq!(x.to_vec().unwrap(), [600 * times; 1000]);
    }
    let most = Grid::linear(1, 256).with_shared_bytes(10 << 20);
    let refused = LaunchGraph::new(stream, [(kernel("add"), most, &arguments[0][..])]);
    assert!(refused.is_err_and(|error| !error.is_fatal()), "and the device goes on");
    // SAFETY: as above.
    unsafe { graph.launch() }.unwrap();
    assert_eq!(x.to_vec().unwrap(), [2400; 1000]);
}
