//! `train devices`: what the devices look like to a model.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Result;

use super::args::DevicesArgs;
use super::data::Stores;
use super::named;
use super::next;
use crate::measure::describe_device;
use crate::plain_table::Table;
use crate::recordings::DeviceRecord;
use crate::trainer::Trainer;

pub(super) fn run(trainer: &Trainer, args: &DevicesArgs, out: &mut dyn Write) -> Result<()> {
    if args.next {
        return next::run(trainer, args, out);
    }
    let names = named::or_whole_host(&args.devices);
    let describe = |name: &String| Ok(describe_device(&*named::open(trainer, name)?));
    let here: Vec<DeviceRecord> = names.iter().map(describe).collect::<Result<_>>()?;
    let stored = Stores::open(trainer, &args.data.store)?.devices()?;
    writeln!(out, "This machine:\n{}", table(&here))?;
    if !stored.is_empty() {
        writeln!(out, "With recordings:\n{}", table(&stored))?;
    }
    Ok(())
}

/// One row a device feature, one column a device.
fn table(devices: &[DeviceRecord]) -> Table {
    let names: BTreeSet<&String> = devices.iter().flat_map(|device| device.features.keys()).collect();
    let heading = std::iter::once("device feature").chain(devices.iter().map(|device| device.id.as_str()));
    let mut table = Table::new(heading);
    for name in names {
        let value = |device: &DeviceRecord| {
            device.features.get(name).map_or_else(String::new, |&value| number(value))
        };
        table.row(std::iter::once(name.clone()).chain(devices.iter().map(value)));
    }
    table
}

/// A number with as many digits as it deserves.
pub(super) fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value}") } else { format!("{value:.3}") }
}
