//! Tests that need more than a Rust toolchain. Without its tool a test passes and has not run, and libtest keeps to
//! itself what a passing test prints. So each test program notes how many it left out, and
//! `nitro-train/tests/what_was_left_out.rs`, which runs when all others have, shows the notes.

use std::fmt::Display;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

/// A tool that some tests need.
#[derive(Debug)]
pub struct Tool {
    /// Its name in messages.
    pub name: &'static str,
    /// The way to get it.
    pub get: &'static str,
    /// Variable of the environment by which its tests fail instead of being left out, as in continuous integration.
    required_by: &'static str,
    /// Number of tests that this process left out.
    left_out: Mutex<usize>,
}

/// A server for the tests of stores.
pub static REDIS: Tool = Tool::new("redis-server", "apt install redis-server", "NITRO_REQUIRE_REDIS");
/// The compiler of CUDA kernels.
pub static NVRTC: Tool = Tool::new(
    "NVRTC",
    "pip install 'nvidia-cuda-nvrtc==13.0.*', and the folder of its libraries on LD_LIBRARY_PATH",
    "NITRO_REQUIRE_NVRTC",
);
/// The compiler of whole programs in CUDA C++.
pub static NVCC: Tool = Tool::new(
    "nvcc",
    "pip install 'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-crt==13.0.*' 'nvidia-cuda-runtime==13.0.*' \
     'nvidia-nvvm==13.0.*', and its path in NVCC",
    "NITRO_REQUIRE_NVRTC",
);
/// The assembler of PTX, which comes with the compiler.
pub static PTXAS: Tool = Tool::new(
    "ptxas",
    "pip install 'nvidia-cuda-nvcc==13.0.*', and the path of nvcc in NVCC",
    "NITRO_REQUIRE_NVRTC",
);
/// The disassembler of machine code.
pub static NVDISASM: Tool = Tool::new(
    "nvdisasm",
    "pip install 'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-nvdisasm==13.2.*', and the path of nvcc in NVCC",
    "NITRO_REQUIRE_NVRTC",
);
/// The compiler whose messages the tests of the macro compare.
pub static RUSTC: Tool = Tool::new("rustc 1.95", "rustup toolchain install 1.95", "NITRO_REQUIRE_RUSTC");

/// All of them.
pub static TOOLS: [&Tool; 6] = [&REDIS, &NVRTC, &NVCC, &PTXAS, &NVDISASM, &RUSTC];

impl Tool {
    const fn new(name: &'static str, get: &'static str, required_by: &'static str) -> Self {
        Self { name, get, required_by, left_out: Mutex::new(0) }
    }

    /// Returns the found value, for a test to go on with. `None` leaves the test out, which is noted.
    ///
    /// # Panics
    /// When the tool is required and was not found.
    pub fn found<T>(&self, found: Result<T, impl Display>) -> Option<T> {
        let note = self.notes().join(program());
        match found {
            Ok(found) => {
                let _ = fs::remove_file(note); // of a time without the tool; usually there is none
                Some(found)
            }
            Err(error) => {
                let required = std::env::var_os(self.required_by).is_some();
                assert!(!required, "{} is set, and there is no {}: {error}", self.required_by, self.name);
                let mut left_out = self.left_out.lock().expect("nothing panics with the lock");
                *left_out += 1;
                fs::create_dir_all(self.notes()).expect("the folder of the test programs takes a folder");
                fs::write(note, left_out.to_string()).expect("the folder of notes takes a note");
                None
            }
        }
    }

    /// Returns the folder in which each test program has a file with the number of its tests that were left out.
    pub fn notes(&self) -> PathBuf {
        let program = std::env::current_exe().expect("this program is somewhere");
        let profile =
            program.ancestors().nth(2).expect("test programs are in `deps` of their profile's folder");
        profile.join("left_out").join(self.name)
    }
}

/// Returns the name of this test program, without the hash that cargo adds.
fn program() -> String {
    let program = std::env::current_exe().expect("this program is somewhere");
    let name = program.file_stem().expect("a program has a name").to_string_lossy().into_owned();
    name.rsplit_once('-').map_or(name.clone(), |(name, _hash)| name.to_owned())
}
