//! The main job: selectors learned from other machines' recordings choose here, then measuring here shows how well.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nitro_core::host;
use nitro_core::model::Model;
use nitro_core::provide::Workplace;

use super::args::JobArgs;
use super::data::{self, Stores};
use super::devices::number;
use super::fit::description;
use super::table::Table;
use super::{named, record, report, worker};
use crate::evaluate::{DeviceEvaluation, EvaluateOptions, Split, evaluate_on};
use crate::learn::{FitOptions, Fitted, fit};
use crate::measure::{Inputs, Plan, Repeats, Share, describe_device, whole_host};
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
    let fitted = fit_without_measuring(out, trainer, &registered, &mut stores, &here, args)?;
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
    pub(super) evaluation: DeviceEvaluation,
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
    trainer: &Trainer,
    registered: &[&Registered],
    stores: &mut Stores<'_>,
    here: &DeviceRecord,
    args: &JobArgs,
) -> Result<Vec<Fitted>> {
    writeln!(out, "Selectors learned on other machines, without measuring here:")?;
    let folder = args.models.clone().map_or_else(models_beside_program, Ok)?;
    let mut models = Vec::new();
    for registered in registered {
        let recordings = stores.load_for(trainer, registered.function.name())?;
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
    let end = Instant::now() + budget;
    let longest_run = Duration::from_secs(super::args::DEADLINE_SECONDS.into());
    let share = Share::new(worker::recorder_name(), longest_run);
    for (registered, left) in registered.iter().zip((1..=registered.len() as u32).rev()) {
        let time = end.saturating_duration_since(Instant::now()) / left;
        let inputs = Inputs::Generated(&registered.generated);
        let runs = registered.generated.len() * registered.function.variants().len();
        let repeats = repeats(time, runs);
        let plan = Plan { inputs, only: None, repeats, share: share.clone() };
        record::function_on(registered, name, device, &plan, stores.writable()?)?;
    }
    Ok(())
}

/// Repeats that let `runs` variants be measured in about `time`. Part of it goes to making inputs and to warm-up.
fn repeats(time: Duration, runs: usize) -> Repeats {
    let budget_ns = 0.5 * time.as_nanos() as f64 / runs.max(1) as f64;
    Repeats { least: 3, budget_ns, ..Repeats::default() }
}

/// What the model that was written achieves here, beside the other selectors.
fn judge(model: &Model, stores: &mut Stores<'_>, here: &DeviceRecord) -> Result<Judged> {
    let recordings = stores.load(&model.function)?;
    let split = Split::by_name(&recordings);
    let options = EvaluateOptions { seed: crate::DEFAULT_SEED, ..EvaluateOptions::default() };
    let sources = &model.provenance.sources;
    let evaluation = evaluate_on(&recordings, &split, &here.id, sources, model, &options)?;
    Ok(Judged { recordings, split, evaluation })
}

fn print(out: &mut dyn Write, results: &[Judged]) -> io::Result<()> {
    writeln!(out, "\n% of exhaustive search on this machine, mean over the test inputs:\n")?;
    let mut table = Table::new(["function"].into_iter().chain(COLUMNS.map(|(_, heading)| heading)));
    for judged in results {
        let figure = |(name, _): (&str, &str)| {
            let figures = judged.evaluation.selectors.get(name);
            figures.map_or("-".to_owned(), |figures| format!("{:.1}", 100.0 * figures.mean))
        };
        table.row(std::iter::once(judged.recordings.function.clone()).chain(COLUMNS.map(figure)));
    }
    write!(out, "{table}")
}
