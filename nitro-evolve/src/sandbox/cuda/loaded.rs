//! Code on a device.

use nitro_cuda::{Cuda, CudaError, Image, Kernel, Module};
use nitro_search::Failure;

use super::bounded::BoundedModule;
use super::stop::Stop;
use crate::runner::Code;

/// A program on a device: one module, or several of which each has some of its kernels.
pub(super) struct LoadedCode(Vec<Module>);

impl LoadedCode {
    /// Brings code to a device; `what` is its name in messages.
    pub(super) fn new(device: Cuda, code: &Code, what: &str) -> Result<Self, Stop> {
        let images: Vec<Image> = match &code.images[..] {
            [] => vec![Image::from_ptx(what, &code.ptx)],
            images => images.iter().map(|image| Image::from_cubin(what, image)).collect(),
        };
        let modules = images.iter().map(|image| Module::load(device, image));
        modules.collect::<Result<_, _>>().map(Self).map_err(Stop::of(Failure::Compile))
    }

    /// Returns its modules.
    pub(super) fn modules(&self) -> impl Iterator<Item = &Module> {
        self.0.iter()
    }

    /// Returns the kernel of this name, with the module that it is in.
    pub(super) fn kernel(&self, name: &str) -> Result<(Kernel<'_>, &Module), CudaError> {
        let mut kernels = self.0.iter().map(|module| Ok((module.kernel(name)?, module)));
        let first = kernels.next().unwrap_or_else(|| Err(missing(name)));
        first.or_else(|error| kernels.find_map(Result::ok).ok_or(error))
    }

    /// Returns its modules that have bounds or a deadline.
    pub(super) fn bounded(&self) -> Vec<BoundedModule<'_>> {
        self.0.iter().filter_map(BoundedModule::of).collect()
    }
}

/// Returns the error of code without a module.
fn missing(name: &str) -> CudaError {
    CudaError::NoSuchKernel { file: String::new(), kernel: name.to_owned() }
}
