//! `train check`: whether the models may be shipped, for the continuous integration of an application.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use nitro_core::model::{self, Model};
use serde::Serialize;

use super::args::{Bound, CheckArgs};
use super::data::Stores;
use super::{sentence, split};
use crate::check::{Expected, check};
use crate::learn::resolve_sources;
use crate::plain_table::Table;
use crate::recordings::Recordings;
use crate::trainer::Trainer;

pub(super) fn run(trainer: &Trainer, args: &CheckArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let mut stores = Stores::open(trainer, &args.data.store)?;
    let functions = stores.functions(&args.data.functions)?;
    let bounded = args.max_regret.iter().filter_map(|bound| bound.function.as_ref());
    if let Some(unknown) = bounded.into_iter().find(|name| !functions.contains(name)) {
        bail!(
            "--max-regret: `{unknown}` is not among the functions that are checked: {}",
            functions.join(", ")
        );
    }
    let mut lines = Vec::new();
    for function in functions {
        let recordings = stores.load(&function)?;
        lines.push(line(trainer, args, &recordings)?);
    }
    print(out, &lines, args.json)?;
    let problems: Vec<&String> = lines.iter().flat_map(|line| &line.problems).collect();
    problems.iter().for_each(|problem| say!("error: {problem}"));
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What was found about one function, in the form of `check --json`.
#[derive(Default, Serialize)]
struct Line {
    function: String,
    model: PathBuf,
    max_regret: f64,
    /// Mean over the devices; none where the model cannot be judged.
    regret: Option<f64>,
    devices: BTreeMap<String, f64>,
    problems: Vec<String>,
}

fn line(trainer: &Trainer, args: &CheckArgs, recordings: &Recordings) -> Result<Line> {
    let function = &recordings.function;
    let split =
        split::read(recordings, args.split.train_inputs.as_deref(), args.split.test_inputs.as_deref())?;
    let devices = match args.devices.as_slice() {
        [] => Vec::new(),
        named => resolve_sources(recordings, named)?,
    };
    let max_regret = max_regret(&args.max_regret, function);
    let expected = Expected {
        function: trainer.registered(function).map(|registered| registered.function),
        recordings,
        split: &split,
        devices: &devices,
        max_regret,
    };
    let path = args.models.models.join(model::file_name(function));
    let line = Line { function: function.clone(), model: path, max_regret, ..Line::default() };
    Ok(fill(line, &expected))
}

/// A model that cannot be read is a problem like another.
fn fill(line: Line, expected: &Expected<'_>) -> Line {
    match Model::read(&line.model) {
        Ok(model) => {
            let checked = check(&model, expected);
            let problems = checked.problems.iter().map(ToString::to_string).collect();
            Line {
                regret: checked.mean_regret(),
                devices: checked.regrets.into_iter().collect(),
                problems,
                ..line
            }
        }
        Err(error) => {
            let function = &line.function;
            let what = format!(
                "no usable model of `{function}`: make one with `fit`, or name its folder with --models"
            );
            Line { problems: vec![sentence(&anyhow::Error::new(error).context(what))], ..line }
        }
    }
}

/// The bound of the function itself, else the last that is for all.
fn max_regret(bounds: &[Bound], function: &str) -> f64 {
    let of = |name: Option<&str>| bounds.iter().rev().find(|bound| bound.function.as_deref() == name);
    of(Some(function)).or_else(|| of(None)).map_or(Bound::DEFAULT_PERCENT, |bound| bound.percent) / 100.0
}

fn print(out: &mut dyn Write, lines: &[Line], json: bool) -> Result<()> {
    if json {
        for line in lines {
            writeln!(out, "{}", serde_json::to_string(line)?)?;
        }
        return Ok(());
    }
    let mut table = Table::new(["function", "regret %", "bound %", "device"]);
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    for line in lines {
        let mut row = |regret, bound: String, device: &str| {
            table.row([line.function.clone(), percent(regret), bound, device.to_owned()]);
        };
        line.devices.iter().for_each(|(device, &regret)| row(regret, String::new(), device));
        line.regret.into_iter().for_each(|regret| row(regret, percent(line.max_regret), "mean"));
    }
    writeln!(out, "{table}")?;
    let passed = lines.iter().filter(|line| line.problems.is_empty()).count();
    writeln!(out, "{passed} of {} models may be shipped", lines.len())?;
    Ok(())
}
