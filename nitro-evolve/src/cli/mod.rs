//! `train evolve`.

mod args;
mod files;
mod input;
mod planned;
mod print;
mod progress;
mod template;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use nitro_ptx::{Base, Module, Patch};
use nitro_train::clap::{ArgMatches, Command};
use nitro_train::{BoxError, TrainerCommand, UsageError};

use self::args::EvolveArgs;
pub(crate) use self::print::describe;
use self::progress::Terminal;
use crate::devices::{Devices, checks, devices, disassembler, probe, run_in_process, work};
use crate::run::original_code;
use crate::{
    Efforts, EmulatorCheck, EvolveRequest, Observer, PlannedSubject, Set, Subject, Workload, evolve,
};

/// The command `evolve` of a trainer.
///
/// ```no_run
/// nitro_train::Trainer::new().command(nitro_evolve::EvolveCommand).main();
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct EvolveCommand;

impl TrainerCommand for EvolveCommand {
    fn command(&self) -> Command {
        EvolveArgs::command()
    }

    fn run(&self, arguments: &ArgMatches, out: &mut dyn Write) -> Result<ExitCode, BoxError> {
        let began = Instant::now();
        let args = EvolveArgs::of(arguments)?;
        args.check().map_err(UsageError)?;
        let Some(path) = &args.ptx else {
            return work(&args.devices).map(|()| ExitCode::SUCCESS);
        };
        let ptx = input::text(path)?;
        if planned::is_plan(&ptx) {
            planned::evolve(&args, path, &ptx, began, out)?;
            return Ok(ExitCode::SUCCESS);
        }
        if args.sizes.is_some() || args.architecture.is_some() {
            let message =
                "--sizes and --architecture are for a launch plan; of a PTX, sizes stand in its workload";
            return Err(UsageError(message.to_owned()).into());
        }
        input::check_header(path, &ptx)?;
        input::check_memory(path, &ptx, args.template || args.apply.is_some())?;
        if args.template {
            let module = Module::parse(&ptx).map_err(|error| input::wrong(path, error))?;
            let text = template::of(&module, args.kernel.as_deref());
            out.write_all(text.map_err(|why| input::wrong(path, why))?.as_bytes())?;
        } else if let Some(patch) = &args.apply {
            apply(&ptx, path, patch, out)?;
        } else {
            let file = args.workload.clone().unwrap_or_else(|| path.with_extension("toml"));
            let text = input::text(&file).map_err(|error| missing(error, path, &file))?;
            let workload = Workload::parse(&file, &text).map_err(|error| UsageError(error.to_string()))?;
            let workload = args.in_time(workload, began);
            let subject = Subject::new(&ptx, workload).map_err(|error| input::wrong(path, error))?;
            if args.in_process {
                run_in_process(&args.devices, &subject)?;
                return Ok(ExitCode::SUCCESS);
            }
            let begin_with = input::patches(&args.begin_with, &subject)?;
            let devices = devices(&args.devices)?;
            if devices.is_counted {
                subject.check_emulated().map_err(|error| input::wrong(path, error))?;
            }
            match args.check {
                true => check(&subject, devices, out)?,
                false => run(
                    &args,
                    path,
                    Task { subject: &subject, planned: None, begin_with },
                    devices,
                    began,
                    out,
                )?,
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn missing(error: UsageError, ptx: &Path, workload: &Path) -> UsageError {
    match workload.exists() {
        true => error,
        false => UsageError(format!(
            "there is no workload {}; `train evolve {} --template` prints one to fill in",
            workload.display(),
            ptx.display()
        )),
    }
}

fn apply(ptx: &str, path: &Path, patch: &Path, out: &mut dyn Write) -> Result<(), BoxError> {
    let base = Base::new(Module::parse(ptx).map_err(|error| input::wrong(path, error))?);
    let text = input::text(patch)?;
    let wrong = |error| input::wrong_patch(patch, &text, &error);
    let read: Patch = text.parse().map_err(wrong)?;
    let edits = &base.check(&read).map_err(wrong)?.edits;
    Ok(write!(out, "{}", base.apply(edits).map_err(wrong)?)?)
}

fn check(subject: &Subject, devices: Devices, out: &mut dyn Write) -> Result<(), BoxError> {
    warn(subject.workload(), &Terminal::new());
    let Devices { mut benches, assemble, .. } = devices;
    let original = original_code(subject, &*assemble)?;
    let sets = &[Set::Search, Set::Validation, Set::Test];
    let Some(bench) = benches.first_mut() else { return Ok(()) };
    let results = bench.begin(subject.workload(), &original, sets)?;
    print::check(subject, &bench.name(), sets, &results, out)?;
    let unwritten = EmulatorCheck::on_unwritten_inputs(
        subject.workload(),
        &subject.original().ptx,
        subject.workload().max_error(),
    );
    if let Some(faults) = unwritten.ok().and_then(|check| check.faults()) {
        writeln!(out, "{faults}")?;
    }
    Ok(())
}

/// Says what a workload lets evolution rely on.
fn warn(workload: &Workload, terminal: &Terminal) {
    for name in workload.undrawn() {
        terminal.message(&format!(
            "{}: `{name}` holds values that no seed changes: a patch may rely on them, and no test will show it; where they may be others, draw them, as by uniform(0, 1)",
            workload.file().display()
        ));
    }
}

/// What is evolved, and with what that begins.
struct Task<'a> {
    subject: &'a Subject,
    /// What the subject was made of, where that was a launch plan.
    planned: Option<&'a PlannedSubject>,
    begin_with: Vec<Patch>,
}

/// Evolves, and writes and prints what was found. Its time began some time ago.
fn run(
    args: &EvolveArgs,
    path: &Path,
    task: Task<'_>,
    devices: Devices,
    began: Instant,
    out: &mut dyn Write,
) -> Result<(), BoxError> {
    let Task { subject, planned, begin_with } = task;
    let folder = folder(args, path);
    make_folder(&folder)?;
    let Devices { benches, assemble, is_counted } = devices;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // Whoever gives a device its work has a core, so that times do not depend on what is assembled meanwhile.
    let threads = if is_counted { cores } else { cores.saturating_sub(benches.len()).max(1) };
    let terminal = Terminal::new();
    if !is_counted {
        terminal.message("looking which checks the original passes");
    }
    let max_error = args.max_error.unwrap_or(subject.workload().max_error());
    let subject = &subject.clone().within(max_error);
    let (checks, left_out) = checks(subject, &args.devices, max_error);
    let probe = probe(subject, max_error);
    left_out.iter().for_each(|line| terminal.message(line));
    if let (Err(why), false) = (&probe, args.rely_on_inputs) {
        terminal.message(&format!(
            "patches may rely on what all inputs of the workload have in common, since the emulator cannot look at small ones that nobody wrote: {why}"
        ));
    }
    warn(subject.workload(), &terminal);
    let subject = &if args.unguided { subject.clone() } else { subject.guided(cores) };
    let proposed: Vec<String> =
        subject.proposed().into_iter().map(|(reason, count)| format!("{count} about {reason}")).collect();
    if !proposed.is_empty() {
        terminal.message(&format!("edits that profile and text suggest: {}", proposed.join(", ")));
    }
    let request = EvolveRequest {
        plan: args.plan(max_error),
        most_time: args.most_time(),
        most_trials: args.evaluations.unwrap_or(usize::MAX),
        efforts: if is_counted { Efforts::COUNTED } else { Efforts::MEASURED },
        threads,
        checks,
        probe: probe.ok(),
        relies_on_inputs: args.rely_on_inputs,
        disassembler: disassembler(&benches, &subject.original().ptx),
        log: &folder.join("evolution.jsonl"),
        begin_with,
        elapsed: &|| began.elapsed(),
    };
    let evolved = evolve(subject, benches, &*assemble, request, &terminal)?;
    terminal.end();
    let written = files::write(&folder, path, &evolved, planned)?;
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&evolved)?)?,
        false => print::evolved(&evolved, &written, out)?,
    }
    Ok(())
}

fn folder(args: &EvolveArgs, path: &Path) -> PathBuf {
    args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.evolved", files::stem(path))))
}

fn make_folder(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("cannot write {}: {error}", folder.display()))
}
