//! `train evolve`.

mod args;
mod files;
mod print;
mod progress;
mod template;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use nitro_codegen::ptx::{Base, Module, Patch};
use nitro_train::clap::{ArgMatches, Command};
use nitro_train::{BoxError, TrainerCommand};

use self::args::EvolveArgs;
use self::progress::Terminal;
use crate::devices::{Devices, checks, devices, work};
use crate::{Efforts, EvolveRequest, Observer, Set, Subject, Workload, evolve};

/// Of a PTX, a workload or a patch.
const MOST_BYTES: u64 = 64 << 20;

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
        let args = EvolveArgs::of(arguments)?;
        args.check()?;
        let Some(path) = &args.ptx else {
            return work(&args.devices).map(|()| ExitCode::SUCCESS);
        };
        let ptx = read(path)?;
        let of_file = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        if args.template {
            let module = Module::parse(&ptx).map_err(|error| of_file(&error))?;
            template::write(&module, path, out)?;
        } else if let Some(patch) = &args.apply {
            apply(&ptx, path, patch, out)?;
        } else {
            let file = args.workload.clone().unwrap_or_else(|| path.with_extension("toml"));
            let text = read(&file).map_err(|error| missing(&error, path, &file))?;
            let workload = Workload::parse(&file, &text)?;
            let subject = Subject::new(&ptx, workload).map_err(|error| of_file(&error))?;
            match args.check {
                true => check(&args, &subject, out)?,
                false => run(&args, path, &subject, out)?,
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn read(path: &Path) -> Result<String, BoxError> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", path.display());
    let bytes = nitro_core::files::read(path, MOST_BYTES).map_err(|error| failed(&error))?;
    Ok(String::from_utf8(bytes).map_err(|error| failed(&error.utf8_error()))?)
}

fn missing(error: &BoxError, ptx: &Path, workload: &Path) -> String {
    match workload.exists() {
        true => error.to_string(),
        false => format!(
            "there is no workload {}; `train evolve {} --template` prints one to fill in",
            workload.display(),
            ptx.display()
        ),
    }
}

fn apply(ptx: &str, path: &Path, patch: &Path, out: &mut dyn Write) -> Result<(), BoxError> {
    let of_file = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let base = Base::new(Module::parse(ptx).map_err(|error| of_file(path, &error))?);
    let read: Patch = read(patch)?.parse().map_err(|error| of_file(patch, &error))?;
    let edits = &base.check(&read).map_err(|error| of_file(patch, &error))?.edits;
    let patched = base.apply(edits).map_err(|error| of_file(patch, &error))?;
    Ok(write!(out, "{patched}")?)
}

fn check(args: &EvolveArgs, subject: &Subject, out: &mut dyn Write) -> Result<(), BoxError> {
    let Devices { mut benches, assemble, .. } = devices(&args.devices, args.in_process)?;
    let original = assemble(subject.original().ptx.to_string())?;
    let sets: &[Set] = match args.in_process {
        true => &[Set::Search, Set::Validation],
        false => &[Set::Search, Set::Validation, Set::Test],
    };
    let Some(bench) = benches.first_mut() else { return Ok(()) };
    let results = bench.begin(subject.workload(), &original, sets)?;
    Ok(print::check(subject, &bench.name(), sets, &results, out)?)
}

fn run(args: &EvolveArgs, path: &Path, subject: &Subject, out: &mut dyn Write) -> Result<(), BoxError> {
    let folder = args.out.clone().unwrap_or_else(|| folder(path));
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot write {}: {error}", folder.display()))?;
    let Devices { benches, assemble, is_counted } = devices(&args.devices, false)?;
    let terminal = Terminal::new();
    let (checks, left_out) = checks(subject, &args.devices);
    left_out.iter().for_each(|line| terminal.message(line));
    let began = Instant::now();
    let request = EvolveRequest {
        plan: args.plan(subject.workload().max_error()),
        most_time: args.most_time(),
        most_trials: args.evaluations.unwrap_or(usize::MAX),
        efforts: if is_counted { Efforts::COUNTED } else { Efforts::MEASURED },
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        checks,
        log: &folder.join("evolution.jsonl"),
        elapsed: &|| began.elapsed(),
    };
    let evolved = evolve(subject, benches, &*assemble, request, &terminal)?;
    terminal.end();
    let written = files::write(&folder, path, &evolved)?;
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&evolved)?)?,
        false => print::evolved(&evolved, &written, out)?,
    }
    Ok(())
}

fn folder(ptx: &Path) -> PathBuf {
    let stem = ptx.file_stem().unwrap_or_default().to_string_lossy();
    PathBuf::from(format!("{stem}.evolved"))
}
