//! The application proxies of profile-based device-feature selection (Muralidharan et al., ASPLOS 2016). These are
//! kernels of which a known share of the instructions stresses one resource.

use crate::{Buffer, Cuda, CudaError, Grid, Program, profiled_launches};

static KERNELS: Program = Program::new("nitro-cuda/src/profile/proxies.cu", include_str!("proxies.cu"));

/// The proxies, by the resource that each of them stresses.
pub(super) const NAMES: [&str; 5] =
    ["single_flop", "double_flop", "atomics", "global_bandwidth", "shared_bandwidth"];

const THREADS: u32 = 256;
const BLOCKS_A_MULTIPROCESSOR: usize = 2;
/// Turns of 480 instructions that each warp makes: what it does before and after is a hundredth of a percent.
const TURNS: u32 = 32;
/// 128 MiB each way, more than the second-level cache holds. The copying proxy goes through it in a power of two of
/// words.
const WORDS: u32 = 1 << 25;

/// Launches the mark of a section, for the profiler to see.
pub(super) fn mark(device: Cuda, section: u32) -> Result<(), CudaError> {
    let kernel = KERNELS.kernel_on(device, nitro_core::provide::SECTION_MARK)?;
    // SAFETY: the kernel has no parameters and does nothing.
    profiled_launches::profiled_on(device, || unsafe { kernel.launch(Grid::linear(section, 1), &[]) })
}

/// Launches a proxy, for the profiler to see, and waits for it.
pub(super) fn run(device: Cuda, proxy: &str, intensity: u32) -> Result<(), CudaError> {
    let kernel = KERNELS.kernel_on(device, &format!("{proxy}_{intensity}"))?;
    let (source, target) = (Buffer::<u32>::zeroed(WORDS as usize)?, Buffer::<u32>::zeroed(WORDS as usize)?);
    let blocks = (BLOCKS_A_MULTIPROCESSOR * device.multiprocessors()) as u32;
    let (seed, grid) = (1u32, Grid::linear(blocks, THREADS));
    let arguments = [(&source).into(), (&target).into(), WORDS.into(), seed.into(), TURNS.into()];
    // SAFETY: the arguments are of the kernel's types; both buffers have so many words, a power of two, and the
    // counters of the atomic proxy need 2048 words a block of them.
    profiled_launches::profiled_on(device, || unsafe { kernel.launch(grid, &arguments) })?;
    device.stream().synchronize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{nvrtc_architectures, nvrtc_version};
    use nitro_test_support::tools::NVRTC;

    #[test]
    fn the_proxies_compile_for_every_architecture_that_nvrtc_knows() {
        let Some(_) = NVRTC.found(nvrtc_version()) else { return };
        let check = |architecture: u32| {
            let image = KERNELS.compile(architecture, &[]).unwrap_or_else(|error| panic!("{error}"));
            let code = image.cubin().unwrap();
            let has = |name: &str| code.windows(name.len()).any(|bytes| bytes == name.as_bytes());
            for (name, intensity) in NAMES.iter().flat_map(|name| (0..=5).map(move |step| (name, step))) {
                assert!(has(&format!(".text.{name}_{intensity}")), "sm_{architecture}: {name} {intensity}");
            }
            assert!(has(nitro_core::provide::SECTION_MARK), "sm_{architecture}");
        };
        // Unrolled as they are, they take seconds each.
        std::thread::scope(|scope| {
            for architecture in nvrtc_architectures().unwrap() {
                scope.spawn(move || check(architecture));
            }
        });
    }
}
