//! CUDA graphs of launches, one after the other.

use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::CUgraphExec;

use super::call::Call;
use super::{Executable, LaunchError};
use crate::driver::driver;
use crate::graph::{Nodes, destroy};
use crate::{Buffer, Cuda, CudaError, Stream, capture};

/// All launches of a call, which the host gives the device at once.
///
/// It is made node by node, not by a capture: no stream is asked, so that nobody's own capture is in the way.
pub(super) struct Graph {
    device: Cuda,
    /// Held while it is launched: the driver does not take an executable graph from two threads at once.
    executable: Mutex<CUgraphExec>,
    /// Of the stream that the graph is launched on, so that they are freed behind its last launch.
    _temporaries: Vec<Buffer<u32>>,
}

// SAFETY: the driver takes the handle from any thread, one at a time, which the lock sees to.
unsafe impl Send for Graph {}
// SAFETY: as above.
unsafe impl Sync for Graph {}

impl Graph {
    /// The graph of a call that the executable's plan takes.
    pub(super) fn new(executable: &Executable, call: &Call<'_>) -> Result<Self, LaunchError> {
        let device = executable.device;
        let temporaries = call.temporaries()?;
        // Loading a module may fall into a capture of another stream, and so may this.
        let _relaxed = capture::relaxed()?;
        let _active = device.activate()?;
        let nodes = Nodes::new()?;
        let mut before = None;
        executable.plan.launches(call.sizes, |launch| {
            let (kernel, grid) = executable.kernel_and_grid(launch, call.integers)?;
            let node = kernel.add_to(nodes.0, before, grid, &call.arguments(launch, &temporaries))?;
            before = Some(node);
            Ok::<(), LaunchError>(())
        })?;
        Ok(Self { device, executable: Mutex::new(nodes.instantiate()?), _temporaries: temporaries })
    }

    /// Launches all of it, and does not wait. A launch begins when the one before has ended, on whatever stream
    /// that was.
    ///
    /// # Safety
    /// As of the call that it was made of; the kernels are loaded, and their launch on the stream is noted.
    pub(super) unsafe fn launch(&self, stream: Stream) -> Result<(), CudaError> {
        let executable = self.executable.lock().unwrap_or_else(PoisonError::into_inner);
        let _active = self.device.activate()?;
        // SAFETY: graph and stream are of the device; nobody else launches the graph.
        unsafe { driver!(cuGraphLaunch(*executable, stream.handle)) }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        destroy(self.device, *self.executable.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}
