//! NVIDIA's assembler, which makes machine code of PTX and needs no device.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::images::Images;
use crate::tool::{MOST_TIME, find, folder_with, run};

/// An assembler for one architecture: NVIDIA's `ptxas`. Any number of threads may use it at the same time.
///
/// ```
/// use nitro_evolve::sandbox::Assembler;
///
/// // Without an assembler candidates are run without machine code, which the driver makes then.
/// if let Some(assembler) = Assembler::find(90) {
///     let error = assembler.assemble(".version 8.0\n.target sm_90\n.address_size 64\nnonsense").unwrap_err();
///     assert!(error.contains("line 4"), "{error}");
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Assembler {
    ptxas: PathBuf,
    architecture: u32,
    lately: Arc<Images>,
}

impl Assembler {
    /// Finds the assembler of this machine for a compute capability such as `90`.
    ///
    /// It is looked for beside `$NVCC`, in `$CUDA_HOME/bin` and on the path. None where none of them runs.
    #[must_use]
    pub fn find(architecture: u32) -> Option<Self> {
        Self::find_or(architecture).ok()
    }

    /// Finds an assembler as [`Assembler::find`] does, or says in a sentence what is missing.
    pub(crate) fn find_or(architecture: u32) -> Result<Self, String> {
        Ok(Self { ptxas: find("ptxas")?, architecture, lately: Arc::default() })
    }

    /// Assembles a text, unless that was done lately.
    ///
    /// A text that names features of one architecture (`sm_90a`) is assembled for that.
    ///
    /// # Errors
    /// With the first of its messages where it refuses the text, or why it does not run.
    pub fn assemble(&self, ptx: &str) -> Result<Arc<[u8]>, String> {
        self.lately.of(ptx, |ptx| self.assembled(ptx))
    }

    /// Assembles a text.
    fn assembled(&self, ptx: &str) -> Result<Arc<[u8]>, String> {
        let folder = folder_with("a.ptx", ptx.as_bytes(), "ptxas")?;
        let (source, image) = (folder.path().join("a.ptx"), folder.path().join("a.cubin"));
        let mut command = Command::new(&self.ptxas);
        command.arg(format!("-arch={}", self.target(ptx))).args([&source, Path::new("-o"), &image]);
        run(&mut command, MOST_TIME)?;
        std::fs::read(image)
            .map(Arc::from)
            .map_err(|error| format!("what ptxas made cannot be read: {error}"))
    }

    /// Returns the architecture that a text is assembled for.
    fn target(&self, ptx: &str) -> String {
        let first = written_for(ptx);
        match first.ends_with(|last: char| last.is_ascii_alphabetic()) {
            true => first.to_owned(),
            false => format!("sm_{}", self.architecture),
        }
    }
}

/// Returns the architecture that a text names, such as `sm_90a`; empty where it names none.
pub(crate) fn written_for(ptx: &str) -> &str {
    let targets = ptx.lines().find_map(|line| line.trim_start().strip_prefix(".target"));
    targets.and_then(|targets| targets.split([',', '/']).next()).map_or("", str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

    fn assembler() -> Assembler {
        Assembler { ptxas: PathBuf::from("/there/is/no/ptxas"), architecture: 75, lately: Arc::default() }
    }

    #[test]
    fn a_text_is_assembled_for_the_device_unless_it_names_one_architecture_s_features() {
        for (target, expected) in [("sm_70", "sm_75"), ("sm_90a, debug", "sm_90a"), ("sm_100f", "sm_100f")] {
            assert_eq!(assembler().target(&format!("// x\n.version 8.0\n.target {target}\n")), expected);
        }
        assert_eq!(assembler().target(""), "sm_75");
    }

    #[test]
    fn an_assembler_that_does_not_run_says_so() {
        let error = assembler().assemble(HEAD).unwrap_err();
        assert!(error.starts_with("ptxas does not start: "), "{error}");
    }

    #[test]
    fn machine_code_is_the_same_from_any_thread() {
        let found = Assembler::find(90).ok_or("none of $NVCC, $CUDA_HOME and the path leads to one");
        let Some(assembler) = nitro_test_support::tools::PTXAS.found(found) else { return };
        let kernel = format!("{HEAD}.visible .entry k() {{\n ret;\n}}\n");
        let image = assembler.assemble(&kernel).unwrap();
        let digest = nitro_ptx::machine_code(&image);
        assert!(digest.is_some());
        std::thread::scope(|scope| {
            let digests = [(); 4]
                .map(|()| scope.spawn(|| nitro_ptx::machine_code(&assembler.assemble(&kernel).unwrap())));
            digests.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), digest));
        });
        let error = assembler.assemble(&kernel.replace("ret", "return")).unwrap_err();
        assert!(error.starts_with("line 5") && error.contains("error"), "{error}");
    }
}
