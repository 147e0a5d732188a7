//! What a device is: its name, its multiprocessors, its features.

use std::collections::BTreeSet;

use nitro_core::{Device, DeviceEntry};
use nitro_cuda::{Buffer, CudaError, Grid, device, device_count, parse, partition, register_feature};

use crate::{KERNELS, kernel, partitions};

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
