//! Which benches a command line asks for.

use std::process::Command;

use nitro_core::provide::DeviceProvider;
use nitro_train::{BoxError, UsageError};

use crate::Subject;
use crate::bench::{Bench, BenchError, Code};
use crate::emulated::{EmulatorBench, EmulatorCheck};
use crate::evaluate::Assemble;
use crate::finding::Check;
use crate::machine_code::Disassembler;
use crate::sandbox::{Assembler, CudaBench, Limits, Sandbox, serve};
use crate::sanitizer::{Runs, Sanitizer};
use crate::workload::{Set, Workload};

/// What runs candidates, and what prepares them.
pub(crate) struct Devices {
    pub benches: Vec<Box<dyn Bench>>,
    pub assemble: Box<Assemble<'static>>,
    /// Times are counted, and the same again.
    pub is_counted: bool,
}

/// The name of the emulator among devices.
const EMULATOR: &str = "emulator";

/// The devices of these names; those that are GPUs in processes of their own.
pub(crate) fn devices(names: &[String]) -> Result<Devices, BoxError> {
    match names {
        [name] if name == EMULATOR => Ok(emulators()),
        _ if names.iter().any(|name| name == EMULATOR) => {
            let why = "--device emulator goes alone: what it counts and what a GPU takes cannot be compared";
            Err(UsageError(why.to_owned()).into())
        }
        _ => {
            // The worker says whether there is such a device: here none is opened.
            names.iter().try_for_each(|name| check_name(name)).map_err(UsageError)?;
            let benches: Result<Vec<_>, BenchError> = names.iter().map(|name| sandboxed(name)).collect();
            let benches = benches?;
            let assembler = benches.iter().find_map(|bench| Assembler::find(bench.architecture()?));
            Ok(Devices { benches, assemble: assembling(assembler), is_counted: false })
        }
    }
}

fn check_name(name: &str) -> Result<(), String> {
    match name.starts_with("cuda:") {
        true => nitro_cuda::Devices::new().check(name).map_err(|error| error.to_string()),
        false => Err(format!("`{name}` is no CUDA device; write cuda:0, or emulator")),
    }
}

/// As many as there are cores.
fn emulators() -> Devices {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let benches = (0..cores).map(|_| Box::new(EmulatorBench::new()) as _).collect();
    Devices { benches, assemble: assembling(None), is_counted: true }
}

/// Runs the original once on each case of search and validation, on the first device of these names, for whoever watches this process.
pub(crate) fn run_in_process(names: &[String], subject: &Subject) -> Result<(), BoxError> {
    let mut bench = CudaBench::open(names.first().map_or("", String::as_str))?;
    let assemble = assembling(bench.architecture().and_then(Assembler::find));
    let original = assemble(subject.original().ptx.to_string())?;
    Ok(bench.run_once(subject.workload(), &original, &[Set::Search, Set::Validation])?)
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
        let Some(assembler) = &assembler else { return Ok(Code::text(text)) };
        let images = vec![assembler.assemble(&text)?];
        Ok(Code { ptx: text.into(), images })
    })
}

/// What shows machine code: that of the first device, or, where nothing needs any, of what the text was compiled for.
pub(crate) fn disassembler(benches: &[Box<dyn Bench>], ptx: &str) -> Result<Disassembler, String> {
    let architecture = benches.iter().find_map(|bench| bench.architecture());
    architecture.map_or_else(|| Disassembler::of(ptx), Disassembler::find)
}

/// What a patch has to pass, and a line for people about each check that cannot be made. Each is tried on the
/// original, which takes seconds on a device.
pub(crate) fn checks(
    subject: &Subject,
    names: &[String],
    max_error: f64,
) -> (Vec<Box<dyn Check>>, Vec<String>) {
    let (workload, original) = (subject.workload(), &subject.original().ptx);
    let device = names.first().filter(|name| *name != EMULATOR);
    let (emulator, sanitizers) = std::thread::scope(|scope| {
        let sanitizers = scope.spawn(|| device.map(|device| sanitizers(workload, device, original)));
        (EmulatorCheck::new(workload, original, max_error), sanitizers.join())
    });
    let (clean, why) = match sanitizers {
        Ok(sanitizers) => sanitizers.unwrap_or_default(),
        Err(panic) => std::panic::resume_unwind(panic),
    };
    let (mut checks, mut left_out): (Vec<Box<dyn Check>>, _) = (Vec::new(), Vec::new());
    match emulator {
        Ok(check) => checks.push(Box::new(check)),
        Err(why) => left_out.push(format!("the emulator cannot look for races: {why}")),
    }
    checks.extend(clean.into_iter().map(|check| Box::new(check) as _));
    left_out.extend(why);
    (checks, left_out)
}

/// What looks at inputs that nobody wrote, or why the emulator cannot run them.
pub(crate) fn probe(subject: &Subject, max_error: f64) -> Result<Box<dyn Check>, BenchError> {
    let check = EmulatorCheck::on_unwritten_inputs(subject.workload(), &subject.original().ptx, max_error)?;
    Ok(Box::new(check))
}

fn sanitizers(workload: &Workload, device: &str, original: &str) -> (Vec<Sanitizer>, Vec<String>) {
    let Ok(program) = std::env::current_exe() else { return Default::default() };
    let runs = Runs { program, workload: workload.file().to_owned(), device: device.to_owned() };
    Sanitizer::all(&runs, original)
}

/// Runs candidates for the process that started this one, on the first device of these names.
pub(crate) fn work(names: &[String]) -> Result<(), BoxError> {
    let name = names.first().cloned().unwrap_or_default();
    let open = move || CudaBench::open(&name);
    Ok(serve(open, std::io::stdin(), std::io::stdout())?)
}
