//! CUDA devices for Nitro.
//!
//! With `device = nitro_cuda::current()`, variants of a `#[code_variant]` function run on the GPU that the calling
//! thread works on: its device features enter the selection, and recordings time with events on its stream.
//!
//! The nouns:
//! - [`Cuda`] is a device: a GPU ([`device`]), or a part of its multiprocessors ([`partition`]), which is a different
//!   machine as far as the choice of a variant is concerned. [`Cuda::enter`] makes a thread work on it.
//! - [`Stream`] is a queue of work on a device; [`Buffer`] is memory on it, [`GuardedBuffer`] memory with nothing
//!   beside it, for code that is not trusted.
//! - [`compile`] makes an [`Image`] of a CUDA C++ [`Source`], by [`Options`] such as definitions for the
//!   preprocessor. A [`Module`] is an image on a device until it is dropped, and [`Kernel`] one of its functions.
//! - [`Program`] does all that for a source that is part of the application: compiled for the device at hand when
//!   first used, loaded for good, cached on disk.
//! - [`Executable`] is a [`LaunchPlan`] on a device: the kernels of a loop nest that a search found, which ship as
//!   text and run without what found them.
//! - [`Devices`] brings all of them to a trainer: `Trainer::new().devices(nitro_cuda::Devices::new())`.
//!
//! Driver and NVRTC are loaded at run time. Without them everything here returns a [`CudaError`] that says what to
//! install, and [`current`] is a device without features, on which dispatch runs the default variant.
//!
//! # CUDA graphs
//!
//! A function may be called while its stream is captured, in any capture mode. Choosing asks the driver at most whether
//! it is, allocates nothing and waits for nothing, so the graph holds what the chosen variant launches and no more. It
//! holds that variant for good: a replay chooses nothing, so capture anew where features change. A captured call is one
//! of [`Regime::Graph`](nitro_core::Regime::Graph).
//!
//! The first call on a device is legal during a capture too. Opening the device and compiling and loading kernels
//! happen beside the captured stream. A thread of the background measures device features on a stream of its own.
//! Until they are there the default variant is captured, so call `FUNCTION::prepare()` before the capture. What a
//! variant does is its own matter. One that waits for its stream, as reading a [`Buffer`] does, ends the capture
//! with an error. A program cannot capture what it records: a recording captures each call itself in that regime, and
//! waits after it in the others. Measuring functions of [`register_feature`] have to keep off the device's own stream.
//!
//! ```no_run
//! use nitro_cuda::{Buffer, CudaError, Grid, Program};
//!
//! static SCALE: Program = Program::new("scale.cu", r#"
//!     extern "C" __global__ void scale(float* x, float factor, unsigned n) {
//!         unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//!         if (i < n) x[i] *= factor;
//!     }"#);
//!
//! fn main() -> Result<(), CudaError> {
//!     nitro_cuda::device(0)?.enter();
//!     let x = Buffer::from_slice(&[1.0f32, 2.0, 3.0])?;
//!     // SAFETY: the arguments are of the kernel's types, and it stays within `n` elements.
//!     unsafe { SCALE.kernel("scale")?.launch(Grid::linear(1, 256), &[(&x).into(), 2.0f32.into(), 3u32.into()])? };
//!     assert_eq!(x.to_vec()?, [2.0, 4.0, 6.0]);
//!     Ok(())
//! }
//! ```

mod argument;
mod artifact;
mod attributes;
mod buffer;
mod capture;
mod compile;
mod context;
mod current;
mod device;
mod driver;
mod error;
mod event;
mod executable;
mod features;
mod graph;
mod grid;
mod guarded;
mod kernel;
mod module;
mod name;
mod open;
mod profile;
mod profiled_launches;
mod program;
mod provider;
mod recent;
mod stopwatch;
mod stream;
mod thread;
mod unload;
mod variable;

pub use argument::Argument;
pub use attributes::Attributes;
pub use buffer::Buffer;
pub use bytemuck::Pod;
pub use compile::{
    Image, Options, Output, Source, Usage, architectures as nvrtc_architectures, compile,
    is_present as nvrtc_is_present, version as nvrtc_version,
};
pub use current::{Current, current, on};
pub use device::Cuda;
pub use driver::{device_count, driver_version};
pub use error::CudaError;
pub use executable::{Executable, LaunchError, PlanArray, PlanNumber};
pub use features::{memory_rates, rates, register_feature, register_rates};
pub use graph::LaunchGraph;
pub use grid::Grid;
pub use guarded::{GuardedBuffer, Place};
pub use kernel::{Kernel, Resources};
pub use module::Module;
pub use nitro_launch::{Integers, LaunchPlan, PlanError, PlannedPtx};
pub use open::{device, parse, partition};
pub use program::{Definitions, Program};
pub use provider::Devices;
pub use stream::Stream;
pub use variable::Variable;
