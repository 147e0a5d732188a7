//! Plans that are shipped as text, with a model say.

use nitro_core::provide::Chain;
use nitro_launch::LaunchPlan;
use once_cell::sync::OnceCell;

use super::{Executable, LaunchError};
use crate::Cuda;

/// A text on a device.
struct Shipped {
    device: Cuda,
    digest: u64,
    executable: OnceCell<Executable>,
}

/// All of this process, which stay for its life: as many as the models of its functions name.
static SHIPPED: Chain<Shipped> = Chain::new();

impl Executable {
    /// The executable of a plan's text ([`LaunchPlan::to_json`]) on a device. The text is read when its digest is first seen there; after that a call costs a
    /// look at the digests of the process.
    ///
    /// ```no_run
    /// use nitro_cuda::{Buffer, Executable, LaunchError, Stream};
    ///
    /// /// A variant whose kernels ship with the model.
    /// fn found(digest: u64, text: &str, n: i64, x: &mut Buffer<f32>) -> Result<(), LaunchError> {
    ///     let executable = Executable::of_artifact(digest, text, Stream::current()?.device())?;
    ///     // SAFETY: the model is ours, and so are the kernels that it brings; `x` has `n` elements.
    ///     unsafe { executable.run(&[n], &[], &[&*x]) }
    /// }
    /// ```
    ///
    /// # Errors
    /// When the text is no plan, or one that contradicts itself. The next call tries again.
    pub fn of_artifact(digest: u64, text: &str, device: Cuda) -> Result<&'static Self, LaunchError> {
        let wanted = |shipped: &Shipped| shipped.device == device && shipped.digest == digest;
        let new = || Shipped { device, digest, executable: OnceCell::new() };
        let shipped = SHIPPED.find_or_insert(wanted, new);
        shipped.executable.get_or_try_init(|| Self::new(LaunchPlan::from_json(text)?, device))
    }
}
