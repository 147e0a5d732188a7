//! Which benches a command line asks for.

use std::process::Command;

use nitro_train::BoxError;

use crate::Subject;
use crate::bench::{Bench, BenchError, Code};
use crate::emulated::{EmulatorBench, EmulatorCheck};
use crate::evaluate::Assemble;
use crate::refine::Check;
use crate::sandbox::{Assembler, CudaBench, Limits, Sandbox, serve};
use crate::sanitizer::{Runs, Sanitizer};

/// What runs candidates, and what prepares them.
pub(crate) struct Devices {
    pub benches: Vec<Box<dyn Bench>>,
    pub assemble: Box<Assemble<'static>>,
    /// Times are counted, and the same again.
    pub is_counted: bool,
}

/// The name of the emulator among devices.
const EMULATOR: &str = "emulator";

/// The devices of these names; those that are GPUs in processes of their own, unless that is not wanted.
pub(crate) fn devices(names: &[String], is_in_process: bool) -> Result<Devices, BoxError> {
    match names {
        [name] if name == EMULATOR => Ok(emulators()),
        _ if names.iter().any(|name| name == EMULATOR) => {
            Err("--device emulator goes alone: what it counts and what a GPU takes cannot be compared".into())
        }
        _ => {
            // The worker says what else is wrong with a name: here no device is opened.
            if let Some(other) = names.iter().find(|name| !name.starts_with("cuda:")) {
                return Err(format!("`{other}` is no CUDA device; write cuda:0").into());
            }
            let open = if is_in_process { own } else { sandboxed };
            let benches: Result<Vec<_>, BenchError> = names.iter().map(|name| open(name)).collect();
            let benches = benches?;
            let assembler = benches.iter().find_map(|bench| Assembler::find(bench.architecture()?));
            Ok(Devices { benches, assemble: assembling(assembler), is_counted: false })
        }
    }
}

/// As many as there are cores.
fn emulators() -> Devices {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let benches = (0..cores).map(|_| Box::new(EmulatorBench::new()) as _).collect();
    Devices { benches, assemble: assembling(None), is_counted: true }
}

fn own(name: &str) -> Result<Box<dyn Bench>, BenchError> {
    Ok(Box::new(CudaBench::open(name)?))
}

fn sandboxed(name: &str) -> Result<Box<dyn Bench>, BenchError> {
    let program = std::env::current_exe()
        .map_err(|error| BenchError(format!("this program cannot start itself again: {error}")))?;
    let mut command = Command::new(program);
    command.args(["evolve", "--worker", "--device", name]);
    Ok(Box::new(Sandbox::start(command, Limits::default())?))
}

/// Without an assembler the driver makes the machine code, when a candidate is loaded.
fn assembling(assembler: Option<Assembler>) -> Box<Assemble<'static>> {
    Box::new(move |text| {
        let image = assembler.as_ref().map(|assembler| assembler.assemble(&text)).transpose()?;
        Ok(Code { ptx: text.into(), image })
    })
}

/// What a patch has to pass, and a line for people about each check that cannot be made.
pub(crate) fn checks(subject: &Subject, names: &[String]) -> (Vec<Box<dyn Check>>, Vec<String>) {
    let (workload, original) = (subject.workload(), &subject.original().ptx);
    let (mut checks, mut left_out): (Vec<Box<dyn Check>>, _) = (Vec::new(), Vec::new());
    match EmulatorCheck::new(workload, original) {
        Ok(check) => checks.push(Box::new(check)),
        Err(why) => left_out.push(format!("the emulator cannot look for races: {why}")),
    }
    let device = names.first().filter(|name| *name != EMULATOR);
    if let (Some(device), Ok(program)) = (device, std::env::current_exe()) {
        let runs = Runs { program, workload: workload.file().to_owned(), device: device.clone() };
        let (sanitizers, why) = Sanitizer::all(&runs, original);
        checks.extend(sanitizers.into_iter().map(|check| Box::new(check) as _));
        left_out.extend(why);
    }
    (checks, left_out)
}

/// Runs candidates for the process that started this one, on the first device of these names.
pub(crate) fn work(names: &[String]) -> Result<(), BoxError> {
    let name = names.first().cloned().unwrap_or_default();
    let open = move || CudaBench::open(&name);
    Ok(serve(open, std::io::stdin(), std::io::stdout())?)
}
