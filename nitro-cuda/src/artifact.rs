//! PTX that is shipped as an artifact, with a model say.

use std::sync::Arc;

use nitro_core::Artifact;
use nitro_launch::Target;
use once_cell::sync::OnceCell;

use crate::error::NEEDED_CUDA;
use crate::recent::Recent;
use crate::{Cuda, CudaError, Image, Module, driver};

/// Twice as many as a model may pick from; a search comes to more, whose modules are unloaded again.
const MOST: usize = 128;

/// The modules that this process used last.
static SHIPPED: Recent<(Cuda, Artifact), OnceCell<Arc<Module>>> = Recent::new(MOST);

impl Module {
    /// The module of an artifact that is PTX on a device. The driver compiles it when it is first asked for there;
    /// after that a call costs a look at those that were used last.
    ///
    /// ```no_run
    /// use nitro::Artifact;
    /// use nitro_cuda::{Buffer, CudaError, Grid, Module};
    ///
    /// /// A variant whose kernel ships with the model.
    /// fn evolved(kernel: Artifact, x: &mut Buffer<f32>) -> Result<(), CudaError> {
    ///     let module = Module::of_artifact(kernel, x.stream().device())?;
    ///     let (grid, length) = (Grid::covering(x.len(), 256), x.len() as u32);
    ///     // SAFETY: the model is ours, and so are the kernels that it brings; `x` has as many elements as it says.
    ///     unsafe { module.kernel("scale")?.launch(grid, &[(&*x).into(), length.into()]) }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`CudaError::UnknownArtifact`], and as [`Module::load`]. The next call tries again.
    pub fn of_artifact(artifact: Artifact, device: Cuda) -> Result<Arc<Self>, CudaError> {
        let wanted = (device, artifact);
        let shipped = SHIPPED.get(|known| *known == wanted, || wanted);
        let loaded = shipped.get_or_try_init(|| {
            let text = artifact.text().ok_or(CudaError::UnknownArtifact(artifact))?;
            let image = Image::from_ptx(&format!("the artifact {artifact}"), text);
            Ok(Arc::new(Self::load(device, &image)?))
        });
        loaded.cloned()
    }

    /// Returns true where an artifact that is PTX is for a device and its driver, as its head says. This is for the
    /// constraint of a variant that runs such code. PTX for one compute capability runs on later ones too, unless it
    /// is for one architecture (`sm_90a`) or family (`sm_100f`) alone. Nothing is compiled, and nothing allocated.
    ///
    /// ```no_run
    /// # mod app {
    /// # use nitro_cuda::{Buffer, CudaError, Module};
    /// #[nitro::code_variant(
    ///     device = nitro_cuda::on(x.stream()),
    ///     variants(plain, evolved { kernel in artifacts } if Module::runs_on(kernel, x.stream().device())),
    ///     default = plain,
    /// )]
    /// pub fn scale(x: &mut Buffer<f32>) -> Result<(), CudaError>;
    /// # fn plain(x: &mut Buffer<f32>) -> Result<(), CudaError> { Ok(()) }
    /// # fn evolved(p: scale::Evolved, x: &mut Buffer<f32>) -> Result<(), CudaError> { Ok(()) }
    /// # }
    /// ```
    #[must_use]
    pub fn runs_on(artifact: Artifact, device: Cuda) -> bool {
        artifact.text().is_some_and(|text| is_for(text, device.architecture(), driver::version()))
    }
}

/// Returns true where a text is PTX for a compute capability, such as `90`, and a driver of this CUDA version.
fn is_for(ptx: &str, architecture: u32, driver: (u32, u32)) -> bool {
    let takes = Target::of_ptx(ptx).is_some_and(|target| target.runs_on(architecture));
    takes && needed_cuda(ptx).is_some_and(|needed| driver >= needed)
}

/// The version of CUDA that the language came with, as the release notes of PTX list them.
fn needed_cuda(ptx: &str) -> Option<(u32, u32)> {
    let version = ptx.lines().find_map(|line| line.trim_start().strip_prefix(".version"))?;
    let (major, minor) = version.split("//").next()?.trim().split_once('.')?;
    Some(match (major.parse().ok()?, minor.parse().ok()?) {
        (..8, _) | (8, ..8) => NEEDED_CUDA, // or before
        (8, minor) => (12, u32::saturating_add(minor, 1)),
        (major, minor) => (u32::saturating_add(major, 4), minor),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(version: &str, target: &str) -> String {
        format!("// for .target sm_10\n\n  .version {version}\n.target {target}\n.address_size 64\n")
    }

    #[test]
    fn ptx_runs_on_its_compute_capability_and_later_ones() {
        let runs = |target: &str, own| is_for(&head("8.8", target), own, (13, 0));
        assert_eq!([89, 90, 103].map(|own| runs("sm_90, debug", own)), [false, true, true]);
        assert_eq!([89, 90, 100].map(|own| runs("sm_90a", own)), [false, true, false]);
        assert_eq!([100, 103, 120].map(|own| runs("sm_100f", own)), [true, true, false]);
    }

    #[test]
    fn a_driver_takes_the_languages_of_its_time_and_before() {
        let expected = [
            ("6.5", NEEDED_CUDA),
            ("8.7", NEEDED_CUDA),
            ("8.8", (12, 9)),
            ("9.0", (13, 0)),
            ("9.1 // as of", (13, 1)),
        ];
        for (version, cuda) in expected {
            assert_eq!(needed_cuda(&head(version, "sm_52")), Some(cuda), "{version}");
        }
        assert!(!is_for(&head("9.0", "sm_90"), 90, (12, 9)));
    }

    #[test]
    fn what_is_no_ptx_is_for_nobody() {
        let texts = [
            "",
            "{\"kernels\":[]}",
            ".version 9.0",
            ".version nine\n.target sm_90",
            ".version 9.0\n.target volta",
        ];
        for text in texts {
            assert!(!is_for(text, 90, (13, 0)), "{text}");
        }
    }
}
