//! CUDA graphs of launches, one after the other.

use std::ptr;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::{CUgraph, CUgraphExec};

use crate::driver::driver;
use crate::{Argument, Cuda, CudaError, Grid, Kernel, Stream, capture};

/// Launches that the host gives a device at once. The next begins as soon as the one before has ended, however long
/// the host takes for a launch.
///
/// ```no_run
/// use nitro_cuda::{Argument, Buffer, CudaError, Grid, LaunchGraph, Program};
///
/// static STEP: Program = Program::new("step.cu", r#"
///     extern "C" __global__ void step(float* x) { x[threadIdx.x] *= 0.5f; }"#);
///
/// let x = Buffer::from_slice(&[1.0f32; 32])?;
/// let (kernel, arguments) = (STEP.kernel("step")?, [Argument::from(&x)]);
/// let steps = (0..1000).map(|_| (kernel, Grid::linear(1, 32), &arguments[..]));
/// let graph = LaunchGraph::new(x.stream(), steps)?;
/// // SAFETY: the argument is of the kernel's type, and the kernel stays within 32 elements.
/// unsafe { graph.launch()? };
/// # Ok::<(), CudaError>(())
/// ```
pub struct LaunchGraph<'m> {
    stream: Stream,
    /// Held while it is launched: the driver does not take an executable graph from two threads at once.
    executable: Mutex<CUgraphExec>,
    /// Each once.
    kernels: Vec<Kernel<'m>>,
}

// SAFETY: the driver takes the handle from any thread, one at a time, which the lock sees to.
unsafe impl Send for LaunchGraph<'_> {}
// SAFETY: as above.
unsafe impl Sync for LaunchGraph<'_> {}

impl<'m> LaunchGraph<'m> {
    /// The graph of these launches on the stream's device, which takes it there. Arguments are copied.
    ///
    /// # Errors
    /// [`CudaError::Launch`] where the driver refuses one of them, and what else it says.
    ///
    /// # Panics
    /// When a launch has more than 64 arguments.
    pub fn new<'a>(
        stream: Stream,
        launches: impl IntoIterator<Item = (Kernel<'m>, Grid, &'a [Argument<'a>])>,
    ) -> Result<Self, CudaError> {
        // Loading a module may fall into a capture of another stream, and so may this.
        let _relaxed = capture::relaxed()?;
        let _active = stream.device.activate()?;
        let nodes = Nodes::new()?;
        let (mut before, mut kernels) = (None, Vec::<Kernel<'m>>::new());
        for (kernel, grid, arguments) in launches {
            kernel.allow_shared(grid.shared_bytes)?;
            before = Some(kernel.add_to(nodes.0, before, grid, arguments)?);
            if !kernels.iter().any(|other| other.is_same(kernel)) {
                kernels.push(kernel);
            }
        }
        let graph = Self { stream, executable: Mutex::new(nodes.instantiate()?), kernels };
        graph.with(|executable| {
            // SAFETY: graph and stream are of the context that is current.
            unsafe { driver!(cuGraphUpload(executable, stream.handle)) }
        })?;
        Ok(graph)
    }

    /// Launches all of it on the stream, and does not wait.
    ///
    /// # Errors
    /// What the driver says. What goes wrong while a kernel runs is returned by what waits for the stream.
    ///
    /// # Safety
    /// As of [`Kernel::launch_on`] for each of the launches.
    pub unsafe fn launch(&self) -> Result<(), CudaError> {
        self.kernels.iter().try_for_each(|kernel| kernel.note(self.stream))?;
        self.with(|executable| {
            // SAFETY: graph and stream are of the context that is current; nobody else launches the graph.
            unsafe { driver!(cuGraphLaunch(executable, self.stream.handle)) }
        })
    }

    /// With the device's context current.
    fn with(&self, work: impl FnOnce(CUgraphExec) -> Result<(), CudaError>) -> Result<(), CudaError> {
        let executable = self.executable.lock().unwrap_or_else(PoisonError::into_inner);
        let _active = self.stream.device.activate()?;
        work(*executable)
    }
}

impl Drop for LaunchGraph<'_> {
    fn drop(&mut self) {
        destroy(self.stream.device, *self.executable.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Ends an executable graph that nobody launches any more; one that is still running when it has ended.
pub(crate) fn destroy(device: Cuda, executable: CUgraphExec) {
    let destroyed = device.activate().and_then(|_active| {
        // SAFETY: the graph is not used again.
        unsafe { driver!(cuGraphExecDestroy(executable)) }
    });
    if let Err(error) = destroyed {
        device.defer_error(error);
    }
}

/// A graph of a capture that is launched once: what it allocates and does not free is there once.
pub(crate) struct SingleLaunch {
    stream: Stream,
    executable: CUgraphExec,
}

impl SingleLaunch {
    /// Takes the graph to the stream's device.
    pub(crate) fn new(stream: Stream, nodes: &Nodes) -> Result<Self, CudaError> {
        let _active = stream.device.activate()?;
        let graph = Self { stream, executable: nodes.instantiate()? };
        // SAFETY: graph and stream are of the context that is current.
        unsafe { driver!(cuGraphUpload(graph.executable, stream.handle)) }?;
        Ok(graph)
    }

    /// Launches it, and does not wait.
    pub(crate) fn launch(&self) -> Result<(), CudaError> {
        let _active = self.stream.device.activate()?;
        // SAFETY: graph and stream are of the context that is current. Whoever has captured the launches has answered
        // for them, and what they work on lives for as long as the call that is timed.
        unsafe { driver!(cuGraphLaunch(self.executable, self.stream.handle)) }
    }
}

impl Drop for SingleLaunch {
    fn drop(&mut self) {
        destroy(self.stream.device, self.executable);
    }
}

/// A graph that is being made.
pub(crate) struct Nodes(pub(crate) CUgraph);

impl Nodes {
    /// Without nodes. A context is current.
    pub(crate) fn new() -> Result<Self, CudaError> {
        let mut graph = ptr::null_mut();
        // SAFETY: `graph` lives through the call.
        unsafe { driver!(cuGraphCreate(&mut graph, 0)) }?;
        Ok(Self(graph))
    }

    pub(crate) fn instantiate(&self) -> Result<CUgraphExec, CudaError> {
        let mut executable = ptr::null_mut();
        // SAFETY: the graph is whole, and `executable` lives through the call.
        unsafe { driver!(cuGraphInstantiateWithFlags(&mut executable, self.0, 0)) }?;
        Ok(executable)
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        // SAFETY: the graph is not used again; what was instantiated of it lives on.
        if let Err(error) = unsafe { driver!(cuGraphDestroy(self.0)) } {
            tracing::debug!(%error, "a graph stays");
        }
    }
}
