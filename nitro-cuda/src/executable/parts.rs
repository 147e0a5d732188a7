//! Times of each kernel of a plan, for a search that wants to know.

use nitro_core::recording::PartTime;
use nitro_launch::PlannedKernel;

use super::call::Call;
use super::{Executable, LaunchError, PlanArray, PlanNumber};
use crate::CudaError;
use crate::stopwatch::by_events;

impl Executable {
    /// Runs as [`run`](Self::run), kernel by kernel. Returns what each of them takes, all its launches together, and
    /// how much of the device's threads it has.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Safety
    /// As [`run`](Self::run).
    pub unsafe fn run_in_parts<T: PlanNumber>(
        &self,
        sizes: &[i64],
        scalars: &[T],
        arrays: &[impl PlanArray<T>],
    ) -> Result<Vec<PartTime>, LaunchError> {
        // SAFETY: as the caller says.
        unsafe { self.launch_in_parts(&self.call(self.device.stream(), sizes, scalars, arrays)?) }
    }

    /// # Safety
    /// As [`run`](Self::run).
    pub(super) unsafe fn launch_in_parts(&self, call: &Call<'_>) -> Result<Vec<PartTime>, LaunchError> {
        let mut times_ns = vec![0.0; self.plan.kernels.len()];
        let mut timed = |kernel: usize, launch: &mut dyn FnMut() -> Result<(), CudaError>| {
            let mut stopwatch = by_events(call.stream);
            stopwatch.start();
            launch()?;
            times_ns[kernel] += stopwatch.stop();
            Ok(())
        };
        // SAFETY: as the caller says.
        unsafe { self.launch_all(call, &mut timed) }?;
        let mut parts = Vec::with_capacity(times_ns.len());
        for (index, (kernel, time_ns)) in self.plan.kernels.iter().zip(times_ns).enumerate() {
            let metrics = vec![("occupancy".to_owned(), self.occupancy(call, index, kernel)?)];
            parts.push(PartTime { name: kernel.part.clone(), time_ns, metrics });
        }
        Ok(parts)
    }

    /// Threads that a multiprocessor has of the kernel, of those that it can have.
    fn occupancy(&self, call: &Call<'_>, index: usize, kernel: &PlannedKernel) -> Result<f64, CudaError> {
        let threads: u32 = kernel.block.iter().product();
        let blocks = self.kernel(call.integers, index)?.max_blocks_per_multiprocessor(threads, 0);
        let most = self.device.attributes().threads_per_multiprocessor;
        Ok((blocks as f64 * f64::from(threads) / f64::from(most)).min(1.0))
    }
}
