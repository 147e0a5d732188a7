//! The main job: selectors that were learned on other machines choose here, and measuring here shows how well.

use std::io::{self, Write};

use anyhow::Result;
use nitro_core::model::file_name;
use nitro_learn::Fitted;
use nitro_learn::evaluate::Figures;
use nitro_learn::plain_table::Table;
use nitro_store::printable::number;
use serde_json::{Value, json};

use super::args::JobArgs;
use super::fit::{description, summary};
use super::functions::Functions;
use super::json;
use super::record::all_inputs;
use super::report::write;
use crate::measure::Share;
use crate::report::LocalResult;
use crate::report::assemble::LOCAL_SELECTORS;
use crate::terminal::Aside;
use crate::trainer::{CALIBRATED_WITH, LocalJobRequest, RecordSummary, Trainer};
use crate::worker;

/// Does the main job, and prints what the choices achieve.
pub(super) fn run(trainer: &Trainer, args: &JobArgs, out: &mut dyn Write) -> Result<()> {
    let mut functions = Functions::default();
    let recorded = match args.show.json.json {
        true => {
            let (found, recorded) = work(trainer, args, &mut functions, &mut Aside)?;
            json::print(out, &found)?;
            recorded
        }
        false => work(trainer, args, &mut functions, out)?.1,
    };
    all_inputs(&recorded)?;
    functions.end("fitted")
}

/// Does the job and tells of it on the way. Returns what was found, and what was recorded.
fn work(
    trainer: &Trainer,
    args: &JobArgs,
    functions: &mut Functions,
    out: &mut dyn Write,
) -> Result<(Value, RecordSummary)> {
    let mut job = trainer.local_job(&LocalJobRequest {
        time: args.request.time.saturating_sub(worker::time_spent()),
        share: Share::new(worker::recorder_name()),
        ..args.request.clone()
    })?;
    writeln!(out, "This machine is {}", job.here().id)?;
    let features = job.here().features.iter().map(|(name, &value)| format!("{name} {}", number(value)));
    writeln!(out, "  {}\n", features.collect::<Vec<_>>().join(", "))?;
    writeln!(out, "Selectors learned on other machines, without measuring here:")?;
    let fitted: Vec<Fitted> = job.fit().into_iter().filter_map(|result| functions.take(result)).collect();
    if fitted.is_empty() {
        std::mem::take(functions).end("fitted")?; // there is nothing to show
    }
    for fitted in &fitted {
        writeln!(out, "  {:12} {}", fitted.model.function, description(fitted))?;
    }
    writeln!(out, "  written to {}\n", job.models().display())?;
    let recorded = job.measure()?;
    let results = job.judge(&fitted)?;
    print(out, &results, args.show.columns())?;
    write(&job.report(&results)?, &args.out)?;
    writeln!(out, "\nThe page with all figures: {}", args.out.display())?;
    let mut models = Vec::new();
    for fitted in &fitted {
        models.push(summary(fitted, &job.models().join(file_name(&fitted.model.function))));
    }
    let found = json!({
        "device": job.here(),
        "models": models,
        "results": results.iter().map(result).collect::<Vec<_>>(),
        "page": args.out,
    });
    Ok((found, recorded))
}

/// Returns what the choices of one function achieve here, as JSON.
fn result(result: &LocalResult) -> Value {
    json!({
        "function": result.recordings.function,
        "test_inputs": result.inputs(),
        "selectors": result.evaluation.as_ref().map(|evaluation| &evaluation.selectors),
        "calibrated": result.evaluation.as_ref().map(|evaluation| &evaluation.calibrated),
    })
}

fn print(out: &mut dyn Write, results: &[LocalResult], columns: usize) -> io::Result<()> {
    writeln!(out, "\n% of exhaustive search on this machine, mean over the test inputs:\n")?;
    let headings = LOCAL_SELECTORS.map(|(_, heading)| heading);
    let calibrated = format!("calibrated with {CALIBRATED_WITH}");
    let headings = headings.into_iter().chain([calibrated.as_str(), "test inputs"]);
    let mut table = Table::new(["function"].into_iter().chain(headings));
    for result in results {
        let mut row = vec![result.recordings.function.clone()];
        let evaluation = result.evaluation.as_ref();
        for (name, _) in LOCAL_SELECTORS {
            row.push(mean_percent(evaluation.and_then(|own| own.selectors.get(name))));
        }
        row.push(mean_percent(evaluation.and_then(|own| own.calibrated.get(&CALIBRATED_WITH).copied())));
        row.push(match (result.inputs(), result.split.test.len()) {
            (all, of) if all == of => of.to_string(),
            (some, of) => format!("{some} of {of}"),
        });
        table.row(row);
    }
    write!(out, "{table:columns$}")
}

/// Returns a mean share in percent, or a dash where there is none.
fn mean_percent(figures: Option<Figures>) -> String {
    figures.map_or("-".to_owned(), |figures| format!("{:.1}", 100.0 * figures.mean))
}
