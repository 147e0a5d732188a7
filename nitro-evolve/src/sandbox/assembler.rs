//! PTX to machine code, by NVIDIA's assembler, which needs no device.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// What of its messages is read.
const MOST_BYTES: u64 = 64 << 10;
/// More than it takes for the largest kernels.
const MOST_TIME: Duration = Duration::from_secs(120);

/// NVIDIA's `ptxas`, for one architecture; any number of threads may use it at the same time.
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
}

impl Assembler {
    /// The assembler of this machine for a compute capability, as in `90`: that beside `$NVCC`, in `$CUDA_HOME/bin`, or on the path. None where none of them runs.
    #[must_use]
    pub fn find(architecture: u32) -> Option<Self> {
        let beside =
            env::var_os("NVCC").map(PathBuf::from).and_then(|nvcc| Some(nvcc.parent()?.join("ptxas")));
        let home = env::var_os("CUDA_HOME").map(|home| PathBuf::from(home).join("bin/ptxas"));
        let there = [beside, home].into_iter().flatten().filter(|tool| tool.is_file());
        let mut tools = there.chain([PathBuf::from("ptxas")]);
        let ptxas = tools.find(|tool| run(Command::new(tool).arg("--version"), MOST_TIME).is_ok())?;
        Some(Self { ptxas, architecture })
    }

    /// The machine code of a text, which is assembled for what it was written for where that names features of one architecture (`sm_90a`).
    ///
    /// # Errors
    /// With the first of its messages where it refuses the text, or why it does not run.
    pub fn assemble(&self, ptx: &str) -> Result<Arc<[u8]>, String> {
        let failed = |error: io::Error| format!("a temporary folder for ptxas: {error}");
        let folder = tempfile::tempdir().map_err(failed)?;
        let (source, image) = (folder.path().join("a.ptx"), folder.path().join("a.cubin"));
        std::fs::write(&source, ptx).map_err(failed)?;
        let mut command = Command::new(&self.ptxas);
        command.arg(format!("-arch={}", self.target(ptx))).args([&source, Path::new("-o"), &image]);
        run(&mut command, MOST_TIME)?;
        std::fs::read(image)
            .map(Arc::from)
            .map_err(|error| format!("what ptxas made cannot be read: {error}"))
    }

    fn target(&self, ptx: &str) -> String {
        let targets = ptx.lines().find_map(|line| line.trim_start().strip_prefix(".target"));
        let first = targets.and_then(|targets| targets.split([',', '/']).next()).map_or("", str::trim);
        match first.ends_with(|last: char| last.is_ascii_alphabetic()) {
            true => first.to_owned(),
            false => format!("sm_{}", self.architecture),
        }
    }
}

/// Runs a program to its end, which it has to come to in some time; the first line of what it says is the error.
fn run(command: &mut Command, patience: Duration) -> Result<(), String> {
    let name = Path::new(command.get_program()).file_name().unwrap_or(OsStr::new("it")).display().to_string();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut process = command.spawn().map_err(|error| format!("{name} does not start: {error}"))?;
    let messages = process.stderr.take().map(read);
    let text = messages.map_or(Err(RecvTimeoutError::Disconnected), |text| text.recv_timeout(patience));
    if text.is_err() {
        // If it has just ended, there is nothing to end.
        let _ = process.kill();
    }
    let status = process.wait().map_err(|error| format!("{name} is lost: {error}"))?;
    match text {
        Ok(_) if status.success() => Ok(()),
        Ok(text) => Err(first_message(&text).unwrap_or_else(|| format!("{name} ended ({status})"))),
        Err(_) => Err(format!("{name} did not end within {} s", patience.as_secs())),
    }
}

/// The beginning of what comes, once all has come.
fn read(mut from: impl Read + Send + 'static) -> std::sync::mpsc::Receiver<String> {
    let (sent, text) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = (&mut from).take(MOST_BYTES).read_to_end(&mut bytes);
        let _ = io::copy(&mut from, &mut io::sink());
        let _ = sent.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    text
}

/// The first error, without the name of the temporary file, or the first line.
fn first_message(text: &str) -> Option<String> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let line =
        lines().find(|line| line.contains("error") || line.contains("fatal")).or_else(|| lines().next())?;
    let is_file = line.starts_with("ptxas /");
    Some(line.split_once("a.ptx, ").filter(|_| is_file).map_or(line, |(_, message)| message).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

    fn assembler() -> Assembler {
        Assembler { ptxas: PathBuf::from("/there/is/no/ptxas"), architecture: 75 }
    }

    #[test]
    fn a_text_is_assembled_for_the_device_unless_it_names_one_architecture_s_features() {
        for (target, expected) in [("sm_70", "sm_75"), ("sm_90a, debug", "sm_90a"), ("sm_100f", "sm_100f")] {
            assert_eq!(assembler().target(&format!("// x\n.version 8.0\n.target {target}\n")), expected);
        }
        assert_eq!(assembler().target(""), "sm_75");
    }

    #[test]
    fn the_first_error_is_the_message() {
        let text = "ptxas info : x\nptxas /tmp/x/a.ptx, line 4; error   : Arguments mismatch\nptxas /tmp/x/a.ptx, line 9; error : y\nptxas fatal : z";
        assert_eq!(first_message(text).unwrap(), "line 4; error   : Arguments mismatch");
        assert_eq!(first_message("ptxas fatal   : Unresolved").unwrap(), "ptxas fatal   : Unresolved");
        assert_eq!(first_message(" \n"), None);
    }

    #[test]
    fn an_assembler_that_does_not_run_says_so() {
        let error = assembler().assemble(HEAD).unwrap_err();
        assert!(error.starts_with("ptxas does not start: "), "{error}");
    }

    #[test]
    #[cfg(unix)]
    fn a_program_that_does_not_end_is_ended() {
        let mut endless = Command::new("sh");
        endless.args(["-c", "while :; do :; done"]);
        assert_eq!(run(&mut endless, Duration::ZERO), Err("sh did not end within 0 s".to_owned()));
        let mut failing = Command::new("sh");
        failing.args(["-c", "echo 'first' >&2; echo 'an error' >&2; exit 3"]);
        assert_eq!(run(&mut failing, MOST_TIME), Err("an error".to_owned()));
    }

    #[test]
    fn machine_code_is_the_same_from_any_thread() {
        let found = Assembler::find(90).ok_or("none of $NVCC, $CUDA_HOME and the path leads to one");
        let Some(assembler) = nitro_test_support::tools::PTXAS.found(found) else { return };
        let kernel = format!("{HEAD}.visible .entry k() {{\n ret;\n}}\n");
        let image = assembler.assemble(&kernel).unwrap();
        let digest = nitro_codegen::ptx::machine_code(&image);
        assert!(digest.is_some());
        thread::scope(|scope| {
            let digests = [(); 4].map(|()| {
                scope.spawn(|| nitro_codegen::ptx::machine_code(&assembler.assemble(&kernel).unwrap()))
            });
            digests.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), digest));
        });
        let error = assembler.assemble(&kernel.replace("ret", "return")).unwrap_err();
        assert!(error.starts_with("line 5") && error.contains("error"), "{error}");
    }
}
