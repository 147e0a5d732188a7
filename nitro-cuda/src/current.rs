//! The device of a call. `device = nitro_cuda::current()` asks for it on every call, so it takes no lock and
//! allocates nothing.

use std::sync::OnceLock;

use cudarc::driver::sys::CUresult;
use nitro_core::{Device, DeviceEntry, Regime, Stopwatch};

use crate::error::check;
use crate::open::device;
use crate::{Cuda, CudaError, Stream, capture, stopwatch, thread};

/// The place of a call: a device's stream, or nowhere on a machine without CUDA.
#[derive(Clone, Copy, Debug)]
pub struct Current {
    stream: Option<Stream>,
}

/// The device that this thread works on: what [`Cuda::enter`] set, otherwise `cuda:0`.
///
/// Never fails: without a driver or GPU it is the device `cuda:none` without features, on which dispatch runs the
/// default variant; what that variant does returns the [`CudaError`] that says what to install.
///
/// ```
/// use nitro_core::Device;
///
/// let entry = nitro_cuda::current().entry();
/// match nitro_cuda::device_count() {
///     Ok(_) => assert!(entry.described("sm_count").is_some()),
///     Err(_) => assert_eq!((entry.id(), entry.features().count()), ("cuda:none", 0)),
/// }
/// ```
#[must_use]
pub fn current() -> Current {
    Current { stream: entered_or_first().map(Cuda::stream) }
}

/// The device of a stream, with timing on that stream.
///
/// ```no_run
/// use nitro::code_variant;
/// use nitro_cuda::{Buffer, CudaError};
///
/// /// Runs on the device of its argument, whatever the thread has entered.
/// #[code_variant(
///     device = nitro_cuda::on(x.stream()),
///     features(length = x.len()),
///     variants(by_bytes),
///     default = by_bytes,
/// )]
/// fn clear(x: &mut Buffer<f32>) -> Result<(), CudaError>;
///
/// fn by_bytes(x: &mut Buffer<f32>) -> Result<(), CudaError> {
///     x.fill_zero()
/// }
///
/// fn main() -> Result<(), CudaError> {
///     let mut x = nitro_cuda::partition(0, 16)?.scope(|| Buffer::from_slice(&[1.0; 4]))?;
///     clear(&mut x)?;
///     assert_eq!(x.to_vec()?, [0.0; 4]);
///     Ok(())
/// }
/// ```
#[must_use]
pub fn on(stream: Stream) -> Current {
    Current { stream: Some(stream) }
}

/// The device that the thread entered, otherwise the first GPU. The first call of the process that needs it opens
/// it.
fn entered_or_first() -> Option<Cuda> {
    static FIRST: OnceLock<Option<Cuda>> = OnceLock::new();
    thread::entered().or_else(|| *FIRST.get_or_init(|| device(0).ok()))
}

impl Stream {
    /// The stream of the device that this thread works on.
    ///
    /// # Errors
    /// When the thread entered no device and `cuda:0` cannot be used; the error says what to install.
    pub fn current() -> Result<Self, CudaError> {
        entered_or_first().map_or_else(|| device(0), Ok).map(Cuda::stream)
    }
}

impl Device for Current {
    fn entry(&self) -> &'static DeviceEntry {
        static NONE: OnceLock<&'static DeviceEntry> = OnceLock::new();
        match self.stream {
            Some(stream) => stream.device().entry(),
            None => NONE.get_or_init(|| DeviceEntry::intern("cuda:none", Vec::new, |_| Vec::new())),
        }
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        match self.stream {
            Some(stream) => stopwatch::of_call(stream),
            None => Box::new(NoClock),
        }
    }

    fn regime(&self) -> Regime {
        self.stream.map_or(Regime::Eager, regime)
    }

    fn is_lost(&self) -> bool {
        self.stream.is_some_and(|stream| stream.device().is_lost())
    }
}

impl Device for Cuda {
    fn entry(&self) -> &'static DeviceEntry {
        self.0.entry
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        stopwatch::of_call(self.stream())
    }

    fn regime(&self) -> Regime {
        regime(self.stream())
    }

    fn is_lost(&self) -> bool {
        let answer = self.activate().and_then(|_active| {
            // SAFETY: the stream is this device's and is never destroyed.
            match unsafe { cudarc::driver::sys::cuStreamQuery(self.0.stream) } {
                CUresult::CUDA_ERROR_NOT_READY => Ok(()),
                answer => check("cuStreamQuery", answer),
            }
        });
        answer.is_err_and(|error| error.is_fatal())
    }
}

/// The regime of a call on a stream: the stream is captured, or the call is an eager one.
fn regime(stream: Stream) -> Regime {
    if capture::is_captured(stream).unwrap_or(false) { Regime::Graph } else { Regime::Eager }
}

/// Nothing runs where there is no device.
struct NoClock;

impl Stopwatch for NoClock {
    fn start(&mut self) {}

    fn stop(&mut self) -> f64 {
        f64::NAN
    }
}
