//! The command `train search`, which finds fast configurations.

use std::io::Write;

use anyhow::{Context, Result};

use super::args::SearchArgs;
use super::json;
use super::record::all_inputs;
use crate::measure::Share;
use crate::search::{replay_tables, search_tables};
use crate::trainer::{RecordSummary, Trainer};
use crate::worker;

/// Searches or replays, and prints the tables.
pub(super) fn run(trainer: &Trainer, args: &SearchArgs, out: &mut dyn Write) -> Result<()> {
    if args.replay {
        return replay(trainer, args, out);
    }
    let summary = trainer.search(&args.request(Share::new(worker::recorder_name())))?;
    if let Some(file) = &args.certificate {
        let proofs = summary.searched.iter().filter_map(|one| one.certificate.as_ref());
        let lines: String = proofs.map(|own| own.to_line() + "\n").collect();
        nitro_core::files::replace(file, lines.as_bytes()).with_context(|| file.display().to_string())?;
    }
    match args.show.json.json {
        true => json::print(out, &summary)?,
        false => write!(out, "{:1$}", search_tables(&summary.searched), args.show.columns())?,
    }
    all_inputs(&RecordSummary {
        recorded: summary.recorded,
        failed: summary.failed,
        ..RecordSummary::default()
    })
}

fn replay(trainer: &Trainer, args: &SearchArgs, out: &mut dyn Write) -> Result<()> {
    let request = args.replay_request();
    let mut replayed = Vec::new();
    for one in trainer.replay(&request)? {
        let one = one?;
        if args.show.json.json {
            json::print(out, &one)?;
        }
        replayed.push(one);
    }
    if !args.show.json.json {
        write!(out, "{:1$}", replay_tables(&replayed), args.show.columns())?;
    }
    Ok(())
}
