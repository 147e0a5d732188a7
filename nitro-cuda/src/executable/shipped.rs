//! Plans that are shipped as artifacts, with a model say.

use std::sync::Arc;

use nitro_core::Artifact;
use nitro_launch::{Integers, LaunchPlan};
use once_cell::sync::OnceCell;

use super::{Executable, LaunchError, with_source};
use crate::recent::Recent;
use crate::{Cuda, CudaError, Options, compile};

/// Twice as many as a model may pick from; a search comes to thousands, whose modules are unloaded again.
const MOST: usize = 128;

type Shipped = OnceCell<Arc<Executable>>;

/// The executables that this process launched last.
static SHIPPED: Recent<(Cuda, Artifact), Shipped> = Recent::new(MOST);

/// True for those that run there, of those that were asked about last.
static RUNS: Recent<(Cuda, Artifact), OnceCell<bool>> = Recent::new(MOST);

impl Executable {
    /// The executable of an artifact that is a plan's text ([`LaunchPlan::to_json`]) on a device. The text is read
    /// when it is first run there; after that a call costs a look at those that were launched last.
    ///
    /// ```no_run
    /// use nitro::Artifact;
    /// use nitro_cuda::{Buffer, Executable, LaunchError};
    ///
    /// /// A variant whose kernels ship with the model.
    /// fn found(kernel: Artifact, n: i64, x: &mut Buffer<f32>) -> Result<(), LaunchError> {
    ///     let executable = Executable::of_artifact(kernel, x.stream().device())?;
    ///     // SAFETY: the model is ours, and so are the kernels that it brings; `x` has `n` elements.
    ///     unsafe { executable.run_on(x.stream(), &[n], &[], &[&*x]) }
    /// }
    /// ```
    ///
    /// # Errors
    /// When the process does not know the artifact's text, or it is no plan. The next call tries again.
    pub fn of_artifact(artifact: Artifact, device: Cuda) -> Result<Arc<Self>, LaunchError> {
        let wanted = (device, artifact);
        let shipped = SHIPPED.get(|known| *known == wanted, || wanted);
        let loaded = shipped.get_or_try_init(|| Ok(Arc::new(Self::new(plan(artifact)?, device)?)));
        loaded.cloned()
    }

    /// Returns true where an artifact is a plan that runs on a device, for the constraint of a variant. PTX is for
    /// the devices of its architecture and newer ones, so a model which was learned on one of those picks none of it
    /// elsewhere. After the first time it costs what [`of_artifact`](Self::of_artifact) does.
    ///
    /// ```no_run
    /// use nitro::code_variant;
    /// use nitro_cuda::Executable;
    /// # use nitro_cuda::Buffer;
    ///
    /// #[code_variant(
    ///     device = nitro_cuda::current(),
    ///     variants(plain, found { kernel in artifacts } if Executable::runs_on(kernel, x.stream().device())),
    ///     default = plain,
    /// )]
    /// fn fill(x: &mut Buffer<f32>);
    /// # fn plain(x: &mut Buffer<f32>) {}
    /// # fn found(choice: fill::Found, x: &mut Buffer<f32>) {}
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn runs_on(artifact: Artifact, device: Cuda) -> bool {
        let wanted = (device, artifact);
        // What is not known now may be later.
        artifact.text().is_some()
            && *RUNS
                .get(|known| *known == wanted, || wanted)
                .get_or_init(|| Self::of_artifact(artifact, device).is_ok())
    }

    /// Puts the machine code of an artifact's kernels for `sm_ARCHITECTURE` ([`Cuda::architecture`]) and these sizes
    /// on the disk. The first launch loads it from there. Any thread may do that while others work on a device,
    /// which is not asked.
    ///
    /// ```no_run
    /// # let kernel = nitro::Artifact::NONE;
    /// let architecture = nitro_cuda::device(0)?.architecture();
    /// std::thread::spawn(move || nitro_cuda::Executable::prepare(kernel, architecture, nitro_cuda::Integers::Bits32));
    /// # Ok::<(), nitro_cuda::CudaError>(())
    /// ```
    ///
    /// # Errors
    /// As [`of_artifact`](Self::of_artifact), and those of the compiler.
    pub fn prepare(artifact: Artifact, architecture: u32, integers: Integers) -> Result<(), LaunchError> {
        let plan = plan(artifact)?;
        if plan.ptx.is_some() {
            return Ok(plan.runs_on(architecture)?); // the driver compiles it, and keeps what it makes
        }
        let prepared = with_source(&plan, integers, Options::new(architecture), compile::prepare);
        Ok(prepared?)
    }
}

fn plan(artifact: Artifact) -> Result<LaunchPlan, LaunchError> {
    let text = artifact.text().ok_or(CudaError::UnknownArtifact(artifact))?;
    Ok(LaunchPlan::from_json(text)?)
}
