//! The command `train evolve`.

mod args;
mod files;
mod input;
mod planned;
mod print;
mod progress;
mod task;
mod template;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use nitro_ptx::{Base, Module, Patch};
use nitro_train::clap::{ArgMatches, Command};
use nitro_train::{BoxError, TrainerCommand, UsageError};

use self::args::EvolveArgs;
pub(crate) use self::print::describe;
use self::task::Task;
use crate::devices::{run_in_process, work};
use crate::subject::Subject;
use crate::workload::Workload;

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
        match &args.ptx {
            None => work(&args.devices)?,
            Some(path) => {
                let text = input::text(path)?;
                match planned::is_plan(&text) {
                    true => planned::evolve(&args, path, &text, began, out)?,
                    false => evolve(&args, path, &text, began, out)?,
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Does with a PTX what was asked for.
fn evolve(
    args: &EvolveArgs,
    path: &Path,
    ptx: &str,
    began: Instant,
    out: &mut dyn Write,
) -> Result<(), BoxError> {
    if args.sizes.is_some() || args.architecture.is_some() {
        let message =
            "--sizes and --architecture are for a launch plan; of a PTX, sizes stand in its workload";
        return Err(UsageError(message.to_owned()).into());
    }
    input::check_header(path, ptx)?;
    input::check_memory(path, ptx, args.template || args.apply.is_some())?;
    if args.template {
        let module = Module::parse(ptx).map_err(|error| input::wrong(path, error))?;
        let text = template::of(&module, args.kernel.as_deref());
        return Ok(out.write_all(text.map_err(|why| input::wrong(path, why))?.as_bytes())?);
    }
    if let Some(patch) = &args.apply {
        return apply(ptx, path, patch, out);
    }
    let file = args.workload.clone().unwrap_or_else(|| path.with_extension("toml"));
    let text = input::text(&file).map_err(|error| missing(error, path, &file))?;
    let workload = Workload::parse(&file, &text).map_err(|error| UsageError(error.to_string()))?;
    let workload = args.in_time(workload, began);
    let subject = Subject::new(ptx, workload).map_err(|error| input::wrong(path, error))?;
    if args.in_process {
        return run_in_process(&args.devices, &subject);
    }
    Task { args, path, subject: &subject, planned: None, began }.run(None, out)
}

/// Explains how to get a workload where there is none.
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

/// Prints the text with a patch.
fn apply(ptx: &str, path: &Path, patch: &Path, out: &mut dyn Write) -> Result<(), BoxError> {
    let base = Base::new(Module::parse(ptx).map_err(|error| input::wrong(path, error))?);
    let text = input::text(patch)?;
    let patched = text
        .parse()
        .and_then(|read: Patch| base.apply(&base.check(&read)?.edits))
        .map_err(|error| input::wrong_patch(patch, &text, &error))?;
    Ok(write!(out, "{patched}")?)
}
