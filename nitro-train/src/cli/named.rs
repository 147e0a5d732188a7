//! Devices that the command line names: the host's and those that the program's providers bring.

use anyhow::{Result, bail};
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

/// Stands for every GPU of the machine.
const ALL: &str = "all";

/// The devices to record on at the same time, where the command line asks for all there are.
pub(super) fn all(trainer: &Trainer, cli: &Cli) -> Result<Option<Vec<String>>> {
    match &cli.command {
        Some(Command::Record(args)) if args.devices == [ALL] => {}
        _ => return Ok(None),
    }
    let (mut names, mut reasons) = (Vec::new(), Vec::new());
    for provider in &trainer.providers {
        match provider.all() {
            Ok(found) => names.extend(found),
            Err(error) => reasons.push(format!(" ({error})")),
        }
    }
    if names.is_empty() {
        let host = whole_host();
        bail!(
            "--device all: no GPU was found that this program can use{}; name a device, for example --device {host}",
            reasons.concat()
        );
    }
    Ok(Some(names))
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
    let wanted = wanted(cli).unwrap_or_default();
    let records = matches!(cli.command, Some(Command::Record(_)));
    if records && wanted == [ALL] {
        return;
    }
    for text in &wanted {
        let checked = match text.as_str() {
            ALL if records => Err("all stands for every GPU: leave the other devices out".into()),
            _ => provider(trainer, text).map_err(BoxError::from).and_then(|provider| provider.check(text)),
        };
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
