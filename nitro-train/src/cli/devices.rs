//! `train devices`: what the devices look like to a model, and which one to measure next.

use std::collections::BTreeSet;
use std::io::{self, Write};

use anyhow::Result;

use super::args::DevicesArgs;
use super::json;
use super::numbers::number;
use crate::learn::next_device::Worth;
use crate::plain_table::Table;
use crate::recordings::DeviceRecord;
use crate::trainer::{Candidates, DeviceRanking, Trainer};

/// How many candidates are shown.
const SHOWN: usize = 8;

pub(super) fn run(trainer: &Trainer, args: &DevicesArgs, out: &mut dyn Write) -> Result<()> {
    let data = args.data.request();
    let (is_json, columns) = (args.show.json.json, args.show.columns());
    if args.next {
        let rankings = trainer.next_devices(&data)?;
        if is_json {
            return json::print(out, &rankings);
        }
        rankings.iter().try_for_each(|ranking| print_ranking(out, ranking, columns))?;
        return Ok(());
    }
    let devices = trainer.describe(&args.devices, &data)?;
    if is_json {
        return json::print(out, &devices);
    }
    writeln!(out, "This machine:\n{:columns$}", table(&devices.here))?;
    if !devices.recorded.is_empty() {
        writeln!(out, "With recordings:\n{:columns$}", table(&devices.recorded))?;
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

fn print_ranking(out: &mut dyn Write, ranking: &DeviceRanking, columns: usize) -> io::Result<()> {
    let what = match ranking.candidates {
        Candidates::Here => "devices of this machine",
        Candidates::Points => "kinds of devices between and beyond those with recordings",
    };
    let functions = ranking.functions.join(", ");
    writeln!(out, "\n{functions}: {what}, by what measuring one is expected to be worth")?;
    let Some(first) = ranking.ranked.first() else {
        return writeln!(out, "  the recorded devices know no device feature in common: nothing can be told");
    };
    writeln!(out)?;
    let mut table = Table::new(["device", "less regret, %", "distance", "nearest source"]);
    for Worth { id, gain, distance, nearest, .. } in ranking.ranked.iter().take(SHOWN) {
        table.row([id.clone(), format!("{:.2}", 100.0 * gain), format!("{distance:.2}"), nearest.clone()]);
    }
    writeln!(out, "{table:columns$}")?;
    writeln!(out, "{}", reason(first, ranking.ranked.len()))?;
    match &ranking.first {
        Some(device) => {
            let features = device.features.iter().map(|(name, &value)| format!("{name} {}", number(value)));
            writeln!(out, "Its device features: {}", features.collect::<Vec<_>>().join(", "))
        }
        None => Ok(()),
    }
}

fn reason(first: &Worth, candidates: usize) -> String {
    let Worth { id, nearest, distance, functions, .. } = first;
    let position = format!("{id} lies {distance:.2} from the nearest recorded device, {nearest}");
    if functions.is_empty() {
        return format!(
            "No device that was left out did worse for being far from the others, so nothing is expected of measuring one more. {position}: of all \
             {candidates} it would tell most about devices that are different."
        );
    }
    let gains =
        functions.iter().map(|(name, gain)| format!("{name} {:.2}", 100.0 * gain)).collect::<Vec<_>>();
    format!(
        "{position}. By how regret grew with distance where devices were left out, measuring it takes away in points of exhaustive search, mean \
         over the {candidates}: {}.",
        gains.join(", ")
    )
}
