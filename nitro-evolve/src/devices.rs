//! The devices that a command line asks for.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use nitro_core::provide::DeviceProvider;
use nitro_search::threads::cores;
use nitro_train::{BoxError, UsageError};

use crate::Subject;
use crate::awaited::AwaitedCheck;
use crate::check::Check;
use crate::emulated::{EmulatorCheck, EmulatorRunner};
use crate::machine_code::Disassembler;
use crate::runner::{Assemble, Code, Runner, RunnerError};
use crate::sandbox::{Assembler, CudaRunner, Limits, Sandbox, serve};
use crate::sanitizer::{Sanitizer, Start};
use crate::tool;
use crate::workload::{Set, Workload};

/// The devices, with the assembler for them.
pub(crate) struct Devices {
    pub runners: Vec<Box<dyn Runner>>,
    pub assemble: Box<Assemble<'static>>,
    /// Set if times are counted, and so the same in every run.
    pub is_counted: bool,
}

/// The name of the emulator among devices.
const EMULATOR: &str = "emulator";

/// Opens the devices of these names; GPUs run candidates in processes of their own.
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
            let runners: Result<Vec<_>, RunnerError> = names.iter().map(|name| sandboxed(name)).collect();
            let runners = runners?;
            let assembler = runners.iter().find_map(|runner| Assembler::find(runner.architecture()?));
            Ok(Devices { runners, assemble: assembling(assembler), is_counted: false })
        }
    }
}

/// Checks that a name can be that of a CUDA device.
fn check_name(name: &str) -> Result<(), String> {
    match name.starts_with("cuda:") {
        true => nitro_cuda::Devices::new().check(name).map_err(|error| error.to_string()),
        false => Err(format!("`{name}` is no CUDA device; write cuda:0, or emulator")),
    }
}

/// Creates an emulator for each core.
fn emulators() -> Devices {
    let runners = (0..cores()).map(|_| Box::new(EmulatorRunner::new()) as _).collect();
    Devices { runners, assemble: assembling(None), is_counted: true }
}

/// The time after which no case begins for somebody who watches.
const WATCHED: Duration = Duration::from_secs(2);

/// Runs the original once on the cases of search and validation, the smallest first, on the first of these devices.
///
/// It runs in this process, so that somebody can watch it. Where that one is ended, this one ends by itself.
pub(crate) fn run_in_process(names: &[String], subject: &Subject) -> Result<(), BoxError> {
    std::thread::spawn(|| {
        std::thread::sleep(tool::MOST_TIME);
        std::process::abort();
    });
    let mut runner = CudaRunner::open(names.first().map_or("", String::as_str))?;
    let assemble = assembling(runner.architecture().and_then(Assembler::find));
    let original = assemble(subject.original().ptx.to_string())?;
    Ok(runner.run_once(subject.workload(), &original, &[Set::Search, Set::Validation], WATCHED)?)
}

/// Starts a worker process for a device.
fn sandboxed(name: &str) -> Result<Box<dyn Runner>, RunnerError> {
    let program = std::env::current_exe()
        .map_err(|error| RunnerError(format!("this program cannot start itself again: {error}")))?;
    let mut command = Command::new(program);
    command.args(["evolve", "--worker", "--device", name]);
    Ok(Box::new(Sandbox::start(command, Limits::default())?))
}

/// Returns the function that assembles. Without an assembler the driver makes machine code of a loaded candidate.
fn assembling(assembler: Option<Assembler>) -> Box<Assemble<'static>> {
    Box::new(move |text| {
        let Some(assembler) = &assembler else { return Ok(Code::text(text)) };
        let images = vec![assembler.assemble(&text)?];
        Ok(Code { ptx: text.into(), images })
    })
}

/// Finds the tools that show machine code: of the first device, or else of the text's architecture.
pub(crate) fn disassembler(runners: &[Box<dyn Runner>], ptx: &str) -> Result<Disassembler, String> {
    let architecture = runners.iter().find_map(|runner| runner.architecture());
    architecture.map_or_else(|| Disassembler::of(ptx), Disassembler::find)
}

/// Creates the final checks, with a line for people about each that cannot be made.
pub(crate) fn checks(
    subject: &Subject,
    names: &[String],
    max_error: f64,
) -> (Vec<Box<dyn Check>>, Vec<String>) {
    let (workload, original) = (subject.workload(), &subject.original().ptx);
    let device = names.first().filter(|name| *name != EMULATOR);
    let (mut checks, mut left_out): (Vec<Box<dyn Check>>, _) = (Vec::new(), Vec::new());
    match subject.check_emulated() {
        Ok(()) => {
            let (workload, original) = (workload.clone(), Arc::clone(original));
            checks.push(Box::new(AwaitedCheck::new(move || {
                EmulatorCheck::beside_a_search(&workload, &original, max_error)
                    .map_err(|error| error.to_string())
            })));
        }
        Err(why) => left_out.push(format!("the emulator cannot look for races: {why}")),
    }
    match device.map(|device| sanitizers(workload, device, original)) {
        Some(Ok(sanitizers)) => checks.extend(sanitizers.into_iter().map(|check| Box::new(check) as _)),
        Some(Err(why)) => left_out.push(why),
        None => {}
    }
    (checks, left_out)
}

/// Creates the check with small inputs that nobody wrote, unless the emulator cannot run them.
pub(crate) fn small_inputs(subject: &Subject, max_error: f64) -> Result<EmulatorCheck, RunnerError> {
    EmulatorCheck::on_unwritten_inputs(subject.workload(), &subject.original().ptx, max_error)
}

/// Creates the checks of compute-sanitizer, or says why it cannot be run.
fn sanitizers(workload: &Workload, device: &str, original: &Arc<str>) -> Result<Vec<Sanitizer>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let start = Start { program, workload: workload.file().to_owned(), device: device.to_owned() };
    Sanitizer::all(&start, original)
}

/// Runs candidates for the process that started this one, on the first device of these names.
pub(crate) fn work(names: &[String]) -> Result<(), BoxError> {
    let name = names.first().cloned().unwrap_or_default();
    Ok(serve(move || CudaRunner::open(&name), std::io::stdin(), std::io::stdout())?)
}
