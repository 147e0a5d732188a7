//! Commands that measure run in workers.

use std::process::ExitCode;
use std::time::Duration;

use nitro_store::store;

use super::args::{Cli, Command, DEADLINE_SECONDS, RecordArgs};
use super::record;
use super::usage::ALL;
use crate::terminal::{Output, say};
use crate::trainer::{Trainer, all_in_regime};
use crate::worker::{self, Supervision};

/// Returns true if the command has to run in a worker, and this process is none.
pub(super) fn is_needed(cli: &Cli) -> bool {
    let measures = match &cli.command {
        None | Some(Command::Record(_) | Command::Calibrate(_)) => true,
        Some(Command::Search(args)) => !args.replay,
        Some(_) => false,
    };
    measures && !worker::is_worker()
}

/// Puts the worker's device in the place of all devices, if it is one of a team.
pub(super) fn take_device(cli: &mut Cli) {
    if let (Some(Command::Record(args)), Some(device)) = (&mut cli.command, worker::own_device()) {
        args.request.devices = vec![device];
    }
}

/// Runs the same command line in workers; the exit code of the last.
pub(super) fn supervise(trainer: &Trainer, cli: &Cli, out: &Output) -> anyhow::Result<ExitCode> {
    let (data, deadline, is_team) = match &cli.command {
        Some(Command::Record(args)) => {
            (&args.request.data, args.deadline.seconds, args.request.devices == [ALL])
        }
        Some(Command::Calibrate(args)) => (&args.request.data, args.deadline.seconds, false),
        Some(Command::Search(args)) => (&args.request.data, args.deadline.seconds, false),
        _ => (&cli.job.request.data, DEADLINE_SECONDS, false),
    };
    if let Some(Command::Record(args)) = &cli.command
        && args.again
    {
        mark(trainer, args)?;
    }
    let supervision = Supervision {
        store: data.store_url().to_owned(),
        has_recordings: has_recordings(data.store_url()),
        deadline: Duration::from_secs(deadline.into()),
        team: is_team.then(|| trainer.all_devices()).transpose()?,
    };
    Ok(ExitCode::from(worker::supervise(&supervision, out)?))
}

/// Returns true if a store has recordings, or cannot be read: the worker tells of that.
fn has_recordings(url: &str) -> bool {
    if !store::exists(url) {
        return false;
    }
    let functions = store::open_to_read(url).and_then(|mut store| store.functions());
    functions.map_or(true, |functions| !functions.is_empty())
}

/// Marks what is to be measured again, once: workers that take each other's place find what is left of it.
fn mark(trainer: &Trainer, args: &RecordArgs) -> anyhow::Result<()> {
    let devices = &args.request.devices;
    let all = if *devices == [ALL] { trainer.all_devices()? } else { devices.clone() };
    let all = all_in_regime(&all, args.request.regime)?;
    let marked = trainer.measure_again(&args.request.data, &all, &record::which(args))?;
    say!("{marked} measurements are to be made again");
    Ok(())
}
