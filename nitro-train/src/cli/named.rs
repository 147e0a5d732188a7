//! Devices that the command line names: the host's and those that the program's providers bring.

use anyhow::Result;
use clap::CommandFactory;
use clap::error::ErrorKind;
use nitro_core::provide::{DeviceProvider, Workplace};

use super::args::{Cli, Command};
use crate::measure::BoxError;
use crate::measure::whole_host;
use crate::trainer::{Trainer, kind_of};

/// The devices to measure on or to describe, of a command that does.
pub(super) fn wanted(cli: &Cli) -> Option<Vec<String>> {
    let named = match &cli.command {
        None => cli.job.device.as_slice(),
        Some(Command::Record(args)) => &args.devices,
        Some(Command::Devices(args)) => &args.devices,
        Some(Command::Profile(args)) => &args.devices,
        Some(_) => return None,
    };
    Some(or_whole_host(named))
}

/// The named devices; the whole host when there are none.
pub(super) fn or_whole_host(named: &[String]) -> Vec<String> {
    if named.is_empty() { vec![whole_host()] } else { named.to_vec() }
}

/// The provider of the kind that the text names.
fn provider<'t>(trainer: &'t Trainer, text: &str) -> Result<&'t dyn DeviceProvider, String> {
    let found = trainer.providers.iter().find(|provider| provider.kind() == kind_of(text));
    found.map(|provider| &**provider).ok_or_else(|| {
        let forms: Vec<&str> = trainer.providers.iter().map(|provider| provider.forms()).collect();
        format!("`{text}` is not a device of this program: write {}", forms.join(", or "))
    })
}

/// Ends the process with 2 when the command line names something that is no device.
pub(super) fn check_usage(trainer: &Trainer, cli: &Cli) {
    for text in wanted(cli).unwrap_or_default() {
        let checked =
            provider(trainer, &text).map_err(BoxError::from).and_then(|provider| provider.check(&text));
        if let Err(error) = checked {
            let message = format!("invalid value '{text}' for '--device': {error}\n");
            Cli::command().error(ErrorKind::ValueValidation, message).exit();
        }
    }
}

/// The device of this name.
pub(super) fn open(trainer: &Trainer, text: &str) -> Result<Box<dyn Workplace>> {
    let provider = provider(trainer, text).map_err(anyhow::Error::msg)?;
    provider.open(text).map_err(anyhow::Error::from_boxed)
}
