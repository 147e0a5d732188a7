//! The main job: selectors learned from other machines' recordings choose here, then measuring here shows how well.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nitro_core::host;
use nitro_core::model::Model;
use nitro_core::provide::Workplace;

use super::args::JobArgs;
use super::data::{self, Stores};
use super::devices::number;
use super::fit::description;
use super::{named, record, report, worker};
use crate::evaluate::{DeviceEvaluation, EvaluateError, EvaluateOptions, Split, evaluate_on};
use crate::learn::{FitOptions, Fitted, fit};
use crate::measure::{Clock, Inputs, Plan, Repeats, Share, SystemClock, describe_device, whole_host};
use crate::plain_table::Table;
use crate::random::Random;
use crate::recordings::{DeviceRecord, Recordings};
use crate::trainer::{Registered, Trainer};

/// The selectors in the table, with their headings.
pub(super) const COLUMNS: [(&str, &str); 5] = [
    ("auto", "learned elsewhere"),
    ("static", "static"),
    ("majority", "majority"),
    ("target-trained", "learned here"),
    ("random", "random"),
];

pub(super) fn run(trainer: &Trainer, args: &JobArgs, out: &mut dyn Write) -> Result<()> {
    let name = args.device.clone().unwrap_or_else(whole_host);
    let registered = data::registered_on(trainer, &args.data.functions, &name)?;
    if registered.is_empty() {
        bail!("this program has no functions: add them with Trainer::function");
    }
    let device = named::open(trainer, &name)?;
    // The program's recordings are what this job learns from, wherever it keeps its own.
    let mut stores = Stores::over_shipped(trainer, &args.data.store)?;
    let here = describe(out, &name, &*device)?;
    let fitted = fit_without_measuring(out, &registered, &mut stores, &here, args)?;
    measure(&registered, &mut stores, (&name, &*device), Duration::from_secs(args.budget.into()))?;
    let results =
        fitted.iter().map(|fitted| judge(&fitted.model, &mut stores, &here)).collect::<Result<Vec<_>>>()?;
    print(out, &results)?;
    report::write(&args.out, &here, &results)?;
    writeln!(out, "\nThe page with all figures: {}", args.out.display())?;
    Ok(())
}

/// What was achieved on this device for one function.
pub(super) struct Judged {
    pub(super) recordings: Recordings,
    pub(super) split: Split,
    /// None where the time did not do for a test input.
    pub(super) evaluation: Option<DeviceEvaluation>,
}

impl Judged {
    /// How many of the test inputs were measured here.
    pub(super) fn inputs(&self) -> usize {
        self.evaluation.as_ref().map_or(0, |evaluation| self.split.test.len() - evaluation.left_out)
    }
}

fn describe(out: &mut dyn Write, name: &str, device: &dyn Workplace) -> io::Result<DeviceRecord> {
    say!("Describing this machine ({name}); what has to be measured is measured once and kept");
    let here = describe_device(&device);
    writeln!(out, "This machine is {}", here.id)?;
    let features: Vec<_> =
        here.features.iter().map(|(name, &value)| format!("{name} {}", number(value))).collect();
    writeln!(out, "  {}\n", features.join(", "))?;
    Ok(here)
}

/// Recordings of this very machine, whatever the number of threads, are not recordings of another. Partitions of a GPU are
/// devices apart: only the one itself is left out.
fn sources(recordings: &Recordings, here: &DeviceRecord) -> Result<Vec<String>> {
    let own = format!("@{}", host::machine().id());
    let is_here = |id: &str| id == here.id || id.ends_with(&own);
    let other = recordings.devices.iter().filter(|device| !is_here(&device.id));
    let sources: Vec<String> = other.map(|device| device.id.clone()).collect();
    if sources.is_empty() {
        bail!(
            "no recordings of `{}` on another machine: run `record` there with the same store, or `import` them",
            recordings.function
        );
    }
    Ok(sources)
}

/// Fits and writes the models that other machines' recordings give for this one.
fn fit_without_measuring(
    out: &mut dyn Write,
    registered: &[&Registered],
    stores: &mut Stores<'_>,
    here: &DeviceRecord,
    args: &JobArgs,
) -> Result<Vec<Fitted>> {
    writeln!(out, "Selectors learned on other machines, without measuring here:")?;
    let folder = args.models.clone().map_or_else(models_beside_program, Ok)?;
    let mut models = Vec::new();
    for registered in registered {
        let recordings = stores.load(registered.function.name())?;
        let options = FitOptions {
            sources: sources(&recordings, here)?,
            inputs: Some(Split::by_name(&recordings).train),
            known_on_target: Some(here.features.keys().cloned().collect()),
            seed: crate::DEFAULT_SEED,
            ..FitOptions::default()
        };
        let fitted = fit(&recordings, &options)?;
        fitted.model.write(&folder.join(nitro_core::model::file_name(registered.function.name())))?;
        writeln!(out, "  {:12} {}", registered.function.name(), description(&fitted))?;
        models.push(fitted);
    }
    writeln!(out, "  written to {}\n", folder.display())?;
    Ok(models)
}

/// The first folder where dispatch looks for models.
fn models_beside_program() -> Result<PathBuf> {
    let program = std::env::current_exe().context("where this program is")?;
    Ok(program.parent().context("the folder of this program")?.join("models"))
}

/// Measures all built-in inputs here, within about the given time.
fn measure(
    registered: &[&Registered],
    stores: &mut Stores<'_>,
    (name, device): (&str, &dyn Workplace),
    budget: Duration,
) -> Result<()> {
    say!("Measuring here, to see what those choices achieve; a stopped run goes on where it was");
    let end = SystemClock.now() + budget.saturating_sub(worker::time_spent());
    let share = Share::new(worker::recorder_name());
    for (registered, left) in registered.iter().zip((1..=registered.len() as u32).rev()) {
        let now = SystemClock.now();
        let time = end.saturating_sub(now) / left;
        let names = fairly_ordered(&registered.generated);
        let runs = names.len() * registered.function.variants().len();
        let plan = Plan::new(Inputs::Generated(&names), repeats(time, runs), share.clone());
        let plan = Plan { until: Some(now + time), ..plan };
        record::function_on(registered, name, device, &plan, stores.writable()?)?;
    }
    Ok(())
}

/// The inputs in an order of which every beginning is a fair sample of test inputs and others: time may not do for all.
fn fairly_ordered(names: &[String]) -> Vec<String> {
    let mut random = Random::new(crate::DEFAULT_SEED);
    let mut placed = Vec::new();
    let (test, other): (Vec<_>, Vec<_>) = names.iter().partition(|name| name.starts_with("test/"));
    for mut names in [test, other] {
        random.shuffle(&mut names);
        let count = names.len() as f64;
        placed.extend((0..).zip(names).map(|(nth, name)| (f64::from(nth) / count, name)));
    }
    placed.sort_by(|(a, _), (b, _)| a.total_cmp(b)); // stable
    placed.into_iter().map(|(_, name)| name.clone()).collect()
}

/// Repeats that let `runs` variants be measured in about `time`. Part of it goes to making inputs and to warm-up. How many inputs a
/// closure makes itself nobody knows.
fn repeats(time: Duration, runs: usize) -> Repeats {
    let usual = Repeats { least: 3, ..Repeats::default() };
    match runs {
        0 => usual,
        runs => Repeats { budget_ns: 0.5 * time.as_nanos() as f64 / runs as f64, ..usual },
    }
}

/// What the model that was written achieves here, beside the other selectors.
fn judge(model: &Model, stores: &mut Stores<'_>, here: &DeviceRecord) -> Result<Judged> {
    let recordings = stores.load(&model.function)?;
    let split = Split::by_name(&recordings);
    let options = EvaluateOptions { seed: crate::DEFAULT_SEED, ..EvaluateOptions::default() };
    let sources = &model.provenance.sources;
    if recordings.device_index(&here.id).is_none() {
        return Ok(Judged { recordings, split, evaluation: None });
    }
    let evaluation = match evaluate_on(&recordings, &split, &here.id, sources, model, &options) {
        Err(EvaluateError::NoTests { .. }) => None,
        evaluation => Some(evaluation?),
    };
    Ok(Judged { recordings, split, evaluation })
}

fn print(out: &mut dyn Write, results: &[Judged]) -> io::Result<()> {
    writeln!(out, "\n% of exhaustive search on this machine, mean over the test inputs:\n")?;
    let headings = COLUMNS.map(|(_, heading)| heading);
    let mut table = Table::new(["function"].into_iter().chain(headings).chain(["test inputs"]));
    for judged in results {
        let figure = |(name, _): (&str, &str)| {
            let figures = judged.evaluation.as_ref().and_then(|evaluation| evaluation.selectors.get(name));
            figures.map_or("-".to_owned(), |figures| format!("{:.1}", 100.0 * figures.mean))
        };
        let inputs = match (judged.inputs(), judged.split.test.len()) {
            (all, of) if all == of => of.to_string(),
            (some, of) => format!("{some} of {of}"),
        };
        let function = judged.recordings.function.clone();
        table.row(std::iter::once(function).chain(COLUMNS.map(figure)).chain([inputs]));
    }
    write!(out, "{table}")
}
