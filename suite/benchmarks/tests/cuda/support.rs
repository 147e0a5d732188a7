//! What the tests of CUDA functions have in common.

use nitro_cuda::{Definitions, Program};
use nitro_test_support::tools::NVRTC;

/// Compiles programs for every architecture up to sm_100 that NVRTC knows. Where NVRTC is absent the test is left
/// out, unless `NITRO_REQUIRE_NVRTC` is set.
pub fn compile_for_all_architectures(programs: &[&'static Program]) {
    let Some(_) = NVRTC.found(nitro_cuda::nvrtc_version()) else { return };
    let architectures = nitro_cuda::nvrtc_architectures().unwrap();
    let wanted: Vec<u32> = architectures.into_iter().filter(|one| (70..=100).contains(one)).collect();
    assert!(wanted.contains(&90), "{wanted:?}");
    for program in programs {
        wanted.iter().for_each(|&architecture| compile(program, architecture, &[]));
    }
}

/// Compiles a program with each of these configurations, for every architecture that NVRTC knows. Left out where
/// NVRTC is absent.
pub fn compile_all_configurations(program: &'static Program, configurations: &[Vec<(&str, i64)>]) {
    let Some(_) = NVRTC.found(nitro_cuda::nvrtc_version()) else { return };
    for architecture in nitro_cuda::nvrtc_architectures().unwrap() {
        configurations.iter().for_each(|configuration| compile(program, architecture, configuration));
    }
}

fn compile(program: &'static Program, architecture: u32, definitions: &Definitions<'_>) {
    let image = program.compile(architecture, definitions).unwrap_or_else(|error| panic!("{error}"));
    let is_machine_code = image.cubin().unwrap().starts_with(b"\x7fELF");
    assert!(is_machine_code, "{} with {definitions:?} for sm_{architecture}", program.file());
}

/// Runs a check on the whole GPU, and on 16 of its multiprocessors; or on the devices that `NITRO_TEST_DEVICES`
/// names, with commas in between.
pub fn on_gpu_and_partition(check: impl Fn()) {
    let names = std::env::var("NITRO_TEST_DEVICES").unwrap_or_else(|_| "cuda:0,cuda:0/16sm".to_owned());
    for name in names.split(',') {
        let device = nitro_cuda::parse(name).unwrap_or_else(|| panic!("`{name}` is no CUDA device"));
        device.unwrap_or_else(|error| panic!("{error}")).enter();
        check();
    }
}
