//! Device features that take a benchmark, and those that users add.

mod measure;
mod rates;

use std::error::Error;
use std::sync::{Mutex, PoisonError};

use nitro_core::{Benchmark, DeviceEntry};

pub use self::rates::{memory_rates, rates, register_rates};
use crate::{Cuda, CudaError, capture, device};

/// All runs of a benchmark.
type Runs = fn(Cuda) -> Result<Vec<f64>, CudaError>;

const BUILT_IN: [(&str, Runs); 3] = [
    ("copy_gbps", measure::copy_gbps),
    ("shared_atomic_ms", measure::shared_atomic_ms),
    ("global_atomic_ms", measure::global_atomic_ms),
];

/// A feature of a user's and how one run of it is measured.
type Registration = (&'static str, fn(Cuda) -> Result<f64, CudaError>);

static REGISTERED: Mutex<Vec<Registration>> = Mutex::new(Vec::new());

/// Adds a device feature of one's own, to every CUDA device. Call it before the devices are used.
///
/// `measure` gets a device that the calling thread works on; it measures on a [`Stream`](crate::Stream) of its own,
/// since the device's own may be captured into a graph at any time. As with the built-in ones, the median of a few
/// runs counts, and is kept in the user's cache folder under `name` unless they differ too much: give a changed
/// definition another name.
///
/// ```
/// nitro_cuda::register_feature("clusters", |device| Ok(device.multiprocessors() as f64 / 2.0));
/// ```
pub fn register_feature(name: &'static str, measure: fn(Cuda) -> Result<f64, CudaError>) {
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    registered.retain(|(known, _)| *known != name);
    registered.push((name, measure));
}

/// The benchmarks of a device's features.
pub(crate) fn benchmarks(entry: &DeviceEntry) -> Vec<Benchmark> {
    let Some(device) = device::of_entry(entry) else { return Vec::new() };
    let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let built_in = BUILT_IN.map(|(name, runs)| Benchmark::new(name, move || on(device, || runs(device))));
    let new = registered.into_iter().filter(|(name, _)| BUILT_IN.iter().all(|(own, _)| own != name));
    let new = new
        .map(|(name, run)| Benchmark::new(name, move || on(device, || run(device).map(|value| vec![value]))));
    built_in.into_iter().chain(new).collect()
}

/// Measures with this thread working on the device, also while a stream is captured on whatever thread.
fn on<T>(
    device: Cuda,
    measure: impl FnOnce() -> Result<T, CudaError>,
) -> Result<T, Box<dyn Error + Send + Sync>> {
    let _relaxed = capture::relaxed()?;
    Ok(device.scope(measure)?)
}
