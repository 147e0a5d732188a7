//! Programs are compiled ahead, by several threads at once and without a device. In a file of its own: it has a
//! cache folder of its own.

use std::collections::BTreeMap;
use std::time::SystemTime;

use nitro_cuda::{CudaError, Program, nvrtc_version};
use nitro_test_support::tools::NVRTC;

static TILED: Program = Program::new(
    "tiled.cu",
    "extern \"C\" __global__ void k(int* x) { __shared__ int t[TILE]; t[threadIdx.x] = *x; __syncthreads(); *x = t[0]; }",
);

#[test]
fn what_was_prepared_is_on_the_disk_once() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    let folder = tempfile::tempdir().unwrap();
    // SAFETY: this is the only test of the process.
    unsafe { std::env::set_var("XDG_CACHE_HOME", folder.path()) };
    let written = || -> BTreeMap<_, SystemTime> {
        let files = std::fs::read_dir(folder.path().join("nitro/cuda")).unwrap().map(Result::unwrap);
        files.map(|file| (file.file_name(), file.metadata().unwrap().modified().unwrap())).collect()
    };
    let prepare_all = || {
        std::thread::scope(|scope| {
            for tile in [32, 64, 128, 256] {
                scope.spawn(move || TILED.prepare(90, &[("TILE", tile)]).unwrap());
            }
        });
    };
    prepare_all();
    let first = written();
    assert_eq!(first.len(), 4);
    prepare_all();
    assert_eq!(written(), first, "nothing is compiled again");
    assert!(matches!(TILED.prepare(90, &[]).unwrap_err(), CudaError::Compile { .. }), "TILE is not defined");
    assert_eq!(written(), first);
}
