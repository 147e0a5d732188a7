//! A launch plan in the place of a PTX.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use nitro_launch::LaunchPlan;
use nitro_train::{BoxError, UsageError};

use super::args::EvolveArgs;
use super::task::Task;
use super::{files, input};
use crate::devices::devices;
use crate::plan::PlannedSubject;
use crate::workload::Workload;

/// The compute capability that a plan is compiled for where no device says.
const ARCHITECTURE: u32 = 90;

/// Tells whether a text is a launch plan, and not PTX.
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
    let plan = LaunchPlan::from_json(text).map_err(|error| input::wrong(path, error))?;
    let sizes = args.sizes.as_deref().map(sizes).transpose().map_err(UsageError)?;
    if let Some(patch) = &args.apply {
        return Err(UsageError(format!(
            "{} is of the PTX that the plan was compiled to: train evolve {} --apply {}",
            patch.display(),
            files::kept(args, path, "ptx").display(),
            patch.display()
        ))
        .into());
    }
    if args.kernel.is_some() {
        let message = "--kernel is for a PTX; the workload of a launch plan has all of its kernels";
        return Err(UsageError(message.to_owned()).into());
    }
    if args.template {
        let text = PlannedSubject::workload(&plan, &sizes.unwrap_or_default());
        return Ok(out.write_all(text.map_err(|error| input::wrong(path, error))?.as_bytes())?);
    }
    let workload = args.in_time(workload(args, path, &plan, sizes)?, began);
    let devices = devices(&args.devices)?;
    // Of several devices the code is for each of the oldest and newer.
    let oldest = devices.runners.iter().filter_map(|runner| runner.architecture()).min();
    let architecture = args.architecture.or(oldest).unwrap_or(ARCHITECTURE);
    let planned = PlannedSubject::new(plan, workload, architecture);
    let planned = planned.map_err(|error| input::wrong(path, error))?;
    Task { args, path, subject: planned.subject(), planned: Some(&planned), began }.run(Some(devices), out)
}

/// Reads sizes, as in `n=512,m=100`.
fn sizes(text: &str) -> Result<Vec<(String, f64)>, String> {
    let mut sizes = Vec::new();
    for part in text.split(',') {
        let size = part.split_once('=').and_then(|(name, value)| {
            let value = value.trim().parse().ok()?;
            Some((name.trim().to_owned(), value))
        });
        sizes.push(
            size.ok_or_else(|| format!("--sizes: `{part}` is no size with its value; write n=512,m=100"))?,
        );
    }
    Ok(sizes)
}

/// Reads the workload that is named, makes one of these sizes, or reads the one beside the plan.
fn workload(
    args: &EvolveArgs,
    path: &Path,
    plan: &LaunchPlan,
    sizes: Option<Vec<(String, f64)>>,
) -> Result<Workload, BoxError> {
    let beside = path.with_file_name(format!("{}.toml", files::stem(path)));
    let is_there = args.workload.is_some() || beside.exists();
    if let (Some(sizes), None) = (&sizes, &args.workload) {
        let text = PlannedSubject::workload(plan, sizes).map_err(|error| input::wrong(path, error))?;
        return Ok(Workload::parse(&files::kept(args, path, "toml"), &text)?);
    }
    if !is_there {
        let sizes: Vec<String> = plan.sizes.iter().map(|name| format!("{name}=512")).collect();
        return Err(UsageError(format!(
            "at which sizes? `train evolve {} --sizes {}` makes a workload of them, and with --template prints it, \
             for {}",
            path.display(),
            sizes.join(","),
            beside.display()
        ))
        .into());
    }
    let file = args.workload.clone().unwrap_or(beside);
    Ok(Workload::parse(&file, &input::text(&file)?).map_err(|error| UsageError(error.to_string()))?)
}
