//! On a machine without a driver: everything says what to install, dispatch runs the default variant, and asking
//! for the current device allocates nothing. With a driver there is nothing to see here; `device.rs` takes over.

use nitro::{Device, code_variant};
use nitro_core::provide::DeviceProvider;
use nitro_cuda::{Buffer, CudaError, Devices, Program, Stream, current};
use nitro_test_support::allocations::{Counting, allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[code_variant(
    name = "zeros",
    device = nitro_cuda::current(),
    features(count = length),
    variants(on_device, never if length > 1_000_000),
    default = on_device,
)]
fn zeros(length: usize) -> Result<usize, CudaError>;

fn on_device(length: usize) -> Result<usize, CudaError> {
    Ok(Buffer::<u32>::zeroed(length)?.to_vec()?.len())
}

fn never(_: usize) -> Result<usize, CudaError> {
    unreachable!("it is not the default variant")
}

fn has_driver() -> bool {
    let found = !matches!(nitro_cuda::device_count(), Err(CudaError::NoDriver | CudaError::NoDevice));
    if found {
        eprintln!("left out: this machine has a CUDA driver");
    }
    found
}

fn says_what_to_do(error: &CudaError) {
    let message = error.to_string();
    assert!(message.contains("libcuda.so.1") || message.contains("nvidia-smi"), "{message}");
}

#[test]
fn every_way_to_a_device_says_what_to_install() {
    if has_driver() {
        return;
    }
    static PROGRAM: Program = Program::new("empty.cu", "");
    says_what_to_do(&nitro_cuda::device(0).unwrap_err());
    says_what_to_do(&nitro_cuda::partition(0, 16).unwrap_err());
    says_what_to_do(&nitro_cuda::parse("cuda:0/8sm").unwrap().unwrap_err());
    says_what_to_do(&Stream::current().unwrap_err());
    says_what_to_do(&Buffer::from_slice(&[1u8]).unwrap_err());
    says_what_to_do(&PROGRAM.kernel("none").unwrap_err());
    let error = Devices::new().open("cuda:0").err().expect("there is no device");
    says_what_to_do(error.downcast_ref().expect("a provider passes errors on"));
}

#[test]
fn dispatch_runs_the_default_variant_on_a_device_without_features() {
    if has_driver() {
        return;
    }
    assert_eq!(current().entry().id(), "cuda:none");
    assert_eq!(current().entry().features().count(), 0);
    assert_eq!(zeros::select(8).variant(), zeros::Variant::OnDevice);
    says_what_to_do(&zeros(8).unwrap_err());
}

#[test]
fn asking_for_the_current_device_allocates_nothing() {
    if has_driver() {
        return;
    }
    let _ = current().entry(); // the first call looks for a driver
    let before = allocations();
    for _ in 0..100 {
        std::hint::black_box(current().entry());
    }
    assert_eq!(allocations(), before);
}

#[test]
fn devices_are_checked_without_a_device() {
    let devices = Devices::new();
    devices.check("cuda:0/16sm").unwrap();
    devices.check("cuda:7").unwrap();
    for text in ["cuda:x", "cuda", "cuda:0/16"] {
        assert!(devices.check(text).unwrap_err().to_string().contains("cuda:0/16sm"));
    }
}
