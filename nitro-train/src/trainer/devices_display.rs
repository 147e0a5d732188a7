//! The devices and their rankings, as a reader sees them.

use std::collections::BTreeSet;
use std::io::{self, Write};

use nitro_core::MeasuredFeature;
use nitro_learn::next_device::Worth;
use nitro_learn::plain_table::Table;
use nitro_store::printable::{number, printable};
use nitro_store::recordings::DeviceRecord;

use super::devices::{Devices, MeasuredDevice};
use super::next_device::{Candidates, DeviceRanking};

/// The most candidates that are shown.
const SHOWN: usize = 8;

impl Devices {
    /// Prints the devices for a reader, in tables of at most so many columns.
    pub(crate) fn print(&self, out: &mut dyn Write, now_unix_s: u64, columns: usize) -> io::Result<()> {
        writeln!(out, "This machine:\n{:columns$}", table(&self.here))?;
        self.measured.iter().try_for_each(|device| print_measured(out, device, now_unix_s, columns))?;
        match self.recorded.is_empty() {
            true => Ok(()),
            false => writeln!(out, "With recordings:\n{:columns$}", table(&self.recorded)),
        }
    }
}

impl DeviceRanking {
    /// Prints the ranking for a reader, in a table of at most so many columns.
    pub(crate) fn print(&self, out: &mut dyn Write, columns: usize) -> io::Result<()> {
        let what = match self.candidates {
            Candidates::Here => "devices of this machine",
            Candidates::Points => "kinds of devices between and beyond those with recordings",
        };
        let functions = self.functions.join(", ");
        writeln!(out, "\n{functions}: {what}, by what measuring one is expected to be worth")?;
        let Some(first) = self.ranked.first() else {
            return writeln!(
                out,
                "  the recorded devices know no device feature in common: nothing can be told"
            );
        };
        writeln!(out)?;
        let mut table = Table::new(["device", "less regret, %", "distance", "nearest source"]);
        for Worth { id, gain, distance, nearest, .. } in self.ranked.iter().take(SHOWN) {
            table.row([
                id.clone(),
                format!("{:.2}", 100.0 * gain),
                format!("{distance:.2}"),
                nearest.clone(),
            ]);
        }
        writeln!(out, "{table:columns$}")?;
        writeln!(out, "{}", reason(first, self.ranked.len()))?;
        match &self.first {
            Some(device) => {
                let features =
                    device.features.iter().map(|(name, &value)| format!("{name} {}", number(value)));
                writeln!(out, "Its device features: {}", features.collect::<Vec<_>>().join(", "))
            }
            None => Ok(()),
        }
    }
}

/// Returns the table of devices: a row for each device feature, a column for each device.
fn table(devices: &[DeviceRecord]) -> Table {
    let names: BTreeSet<&String> = devices.iter().flat_map(|device| device.features.keys()).collect();
    let heading = std::iter::once("device feature").chain(devices.iter().map(|device| device.id.as_str()));
    let mut table = Table::new(heading);
    for name in names {
        let mut row = vec![name.clone()];
        for device in devices {
            row.push(device.features.get(name).map_or_else(String::new, |&value| number(value)));
        }
        table.row(row);
    }
    table
}

/// Prints what benchmarks told of a device, how sure that is, and where it is kept.
fn print_measured(
    out: &mut dyn Write,
    device: &MeasuredDevice,
    now_unix_s: u64,
    columns: usize,
) -> io::Result<()> {
    if device.features.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(["device feature", "value", "spread, %", "age", "doubt"]);
    for MeasuredFeature { feature, spread, unix_s, doubt, .. } in &device.features {
        table.row([
            feature.name.clone(),
            number(feature.value),
            format!("{:.1}", 100.0 * spread),
            age(now_unix_s.saturating_sub(*unix_s)),
            doubt.map_or_else(String::new, |reason| reason.to_string()),
        ]);
    }
    writeln!(out, "Measured on {}:\n{table:columns$}", device.id)?;
    match &device.kept_in {
        Some(path) => writeln!(out, "kept in {}\n", printable(&path.to_string_lossy())),
        None => writeln!(out, "nowhere to keep them: neither XDG_CACHE_HOME nor HOME is set\n"),
    }
}

/// Returns a duration in its largest unit.
fn age(seconds: u64) -> String {
    let units = [("d", 86_400), ("h", 3600), ("min", 60)];
    let unit = units.into_iter().find(|(_, length)| seconds >= *length);
    unit.map_or_else(|| format!("{seconds} s"), |(name, length)| format!("{} {name}", seconds / length))
}

fn reason(first: &Worth, candidates: usize) -> String {
    let Worth { id, nearest, distance, functions, .. } = first;
    let position = format!("{id} lies {distance:.2} from the nearest recorded device, {nearest}");
    if functions.is_empty() {
        return format!(
            "No device that was left out did worse for being far from the others, so nothing is expected of \
             measuring one more. {position}: of all {candidates} it would tell most about devices that are different."
        );
    }
    let gains =
        functions.iter().map(|(name, gain)| format!("{name} {:.2}", 100.0 * gain)).collect::<Vec<_>>();
    format!(
        "{position}. By how regret grew with distance where devices were left out, measuring it takes away in \
         points of exhaustive search, mean over the {candidates}: {}.",
        gains.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_the_largest_unit_that_fits() {
        let ages = [0, 59, 60, 7199, 7200, 86_400, 30 * 86_400].map(age);
        assert_eq!(ages, ["0 s", "59 s", "1 min", "1 h", "2 h", "1 d", "30 d"]);
    }
}
