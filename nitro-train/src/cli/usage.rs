//! The checks of devices on the command line.

use clap::CommandFactory;
use clap::error::ErrorKind;

use super::args::{Cli, Command, NestCommand};
use crate::trainer::{Trainer, or_whole_host};

/// Stands for every GPU of the machine.
pub(super) const ALL: &str = "all";

/// Ends the process with 2 when the command line names something that is no device.
pub(super) fn check(trainer: &Trainer, cli: &Cli) {
    let names = match &cli.command {
        None => cli.job.request.device.as_slice(),
        Some(Command::Record(args)) => &args.request.devices,
        Some(Command::Devices(args)) => &args.devices,
        Some(Command::Profile(args)) => &args.request.devices,
        Some(Command::Search(args)) => {
            if let Some(message) = args.contradiction() {
                Cli::command().error(ErrorKind::ArgumentConflict, format!("{message}\n")).exit();
            }
            if args.replay { &[] } else { args.request.devices.as_slice() }
        }
        Some(Command::Nest(args)) => {
            let NestCommand::Show(args) = &args.command;
            args.request.device.as_slice()
        }
        Some(Command::Calibrate(args)) => std::slice::from_ref(&args.request.device),
        Some(_) => return,
    };
    let records = matches!(cli.command, Some(Command::Record(_)));
    if records && names == [ALL] {
        return;
    }
    for name in names {
        let checked = match name.as_str() {
            ALL if records => Err("all stands for every GPU: leave the other devices out".to_owned()),
            _ => trainer.check_device_name(name, None).map_err(|error| error.to_string()),
        };
        checked.unwrap_or_else(|error| refuse(name, "--device", &error));
    }
    if let Some(Command::Record(args)) = &cli.command
        && let Some(regime) = args.request.regime
    {
        for name in or_whole_host(names) {
            let checked = trainer.check_device_name(&name, Some(regime));
            checked.unwrap_or_else(|error| refuse(regime.name(), "--regime", &error.to_string()));
        }
    }
}

/// Ends the process with 2 because of the value of an option.
fn refuse(value: &str, option: &str, why: &str) -> ! {
    let message = format!("invalid value '{value}' for '{option}': {why}\n");
    Cli::command().error(ErrorKind::ValueValidation, message).exit()
}
