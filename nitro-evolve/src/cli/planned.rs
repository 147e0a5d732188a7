//! A launch plan in the place of a PTX.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use nitro_launch::LaunchPlan;
use nitro_train::{BoxError, UsageError};

use super::args::EvolveArgs;
use super::{Task, check, folder, input, make_folder, run};
use crate::devices::{Devices, devices};
use crate::evolve::EvolveError;
use crate::{PlannedSubject, Workload};

/// What a plan is compiled for where no device says.
const ARCHITECTURE: u32 = 90;

/// Whether a text is a launch plan, and no PTX.
pub(super) fn is_plan(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Does with a plan what was asked for.
pub(super) fn evolve(
    args: &EvolveArgs,
    path: &Path,
    text: &str,
    began: Instant,
    out: &mut dyn Write,
) -> Result<(), BoxError> {
    let of_file = |error: &dyn std::fmt::Display| input::wrong(path, error);
    let plan = LaunchPlan::from_json(text).map_err(|error| of_file(&error))?;
    let numbers = args.sizes.as_deref().map(numbers).transpose().map_err(UsageError)?;
    if let Some(patch) = &args.apply {
        let kernel = folder(args, path).join(format!("{}.ptx", super::files::stem(path)));
        return Err(UsageError(format!(
            "{} is of the PTX that the plan was compiled to: train evolve {} --apply {}",
            patch.display(),
            kernel.display(),
            patch.display()
        ))
        .into());
    }
    if args.kernel.is_some() {
        return Err(UsageError(
            "--kernel is for a PTX; the workload of a launch plan has all of its kernels".to_owned(),
        )
        .into());
    }
    if args.template {
        let text = PlannedSubject::workload(&plan, &numbers.unwrap_or_default());
        return Ok(out.write_all(text.map_err(|error| of_file(&error))?.as_bytes())?);
    }
    let workload = args.in_time(workload(args, path, &plan, numbers)?, began);
    let mut devices = devices(&args.devices)?;
    let architecture = args.architecture.or_else(|| architecture(&mut devices)).unwrap_or(ARCHITECTURE);
    let planned = PlannedSubject::new(plan, workload, architecture).map_err(|error| of_file(&error))?;
    let begin_with = input::patches(&args.begin_with, planned.subject())?;
    if devices.is_counted {
        planned.subject().check_emulated().map_err(|error| of_file(&error))?;
    }
    match args.check {
        true => check(planned.subject(), devices, out),
        false => {
            keep(args, path, &planned)?;
            let task = Task { subject: planned.subject(), planned: Some(&planned), begin_with };
            run(args, path, task, devices, began, out)
        }
    }
}

/// `n=512,m=100`.
fn numbers(text: &str) -> Result<Vec<(String, f64)>, String> {
    let wrong = |part: &str| format!("--sizes: `{part}` is no size with its value; write n=512,m=100");
    let number = |part: &str| {
        let (name, value) = part.split_once('=').ok_or_else(|| wrong(part))?;
        Ok((name.trim().to_owned(), value.trim().parse().map_err(|_| wrong(part))?))
    };
    text.split(',').map(number).collect()
}

/// Of the first device; of several it is for each of the oldest and newer.
fn architecture(devices: &mut Devices) -> Option<u32> {
    devices.benches.iter().filter_map(|bench| bench.architecture()).min()
}

/// The one that is named, one of these sizes, or the one beside the plan.
fn workload(
    args: &EvolveArgs,
    path: &Path,
    plan: &LaunchPlan,
    numbers: Option<Vec<(String, f64)>>,
) -> Result<Workload, BoxError> {
    let beside = path.with_file_name(format!("{}.toml", super::files::stem(path)));
    let is_there = args.workload.is_some() || beside.exists();
    if let (Some(numbers), None) = (&numbers, &args.workload) {
        let text = PlannedSubject::workload(plan, numbers).map_err(|error| input::wrong(path, error))?;
        return Ok(Workload::parse(&kept(args, path, "toml"), &text)?);
    }
    if !is_there {
        let sizes: Vec<String> = plan.sizes.iter().map(|name| format!("{name}=512")).collect();
        return Err(UsageError(format!(
            "at which sizes? `train evolve {} --sizes {}` makes a workload of them, and with --template prints it, for {}",
            path.display(),
            sizes.join(","),
            beside.display()
        ))
        .into());
    }
    let file = args.workload.clone().unwrap_or(beside);
    Ok(Workload::parse(&file, &input::text(&file)?).map_err(|error| UsageError(error.to_string()))?)
}

/// A file of this evolution: what the plan was compiled to, and how it is run.
fn kept(args: &EvolveArgs, path: &Path, extension: &str) -> PathBuf {
    folder(args, path).join(format!("{}.{extension}", super::files::stem(path)))
}

/// Writes the PTX and its workload, by which the evolution can be made without the plan, and compute-sanitizer runs it.
fn keep(args: &EvolveArgs, path: &Path, planned: &PlannedSubject) -> Result<(), BoxError> {
    make_folder(&folder(args, path))?;
    let subject = planned.subject();
    let mut files = vec![(kept(args, path, "ptx"), subject.original().ptx.as_bytes())];
    let workload = kept(args, path, "toml");
    // One that a person wrote stays where it is.
    if subject.workload().file() == workload {
        files.push((workload, subject.workload().text().as_bytes()));
    }
    let files: Vec<(&Path, &[u8])> = files.iter().map(|(path, bytes)| (path.as_path(), *bytes)).collect();
    Ok(nitro_core::files::replace_all(&files)
        .map_err(|error| EvolveError::Write { path: error.path, source: error.source })?)
}
