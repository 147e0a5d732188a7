//! The text form of captured traffic.

use std::io::{self, Write};

use nitro_learn::plain_table::Table;
use nitro_store::printable::number;

use super::{DeviceTraffic, Suggestion, Traffic};

impl Traffic {
    /// Writes the traffic for a reader, in tables of at most so many columns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn print(&self, out: &mut dyn Write, columns: usize) -> io::Result<()> {
        let (devices, choices) = (devices(&self.devices), choices(&self.devices));
        writeln!(out, "{}\n\n{devices:columns$}\n{choices:columns$}", self.function)?;
        let far: u64 = self.devices.iter().filter_map(|device| device.far_calls).sum();
        match &self.unknown {
            Some(reason) => writeln!(out, "What is far cannot be told: {reason}\n"),
            None if far == 0 => {
                writeln!(out, "No call is far from the training inputs: nothing is to be recorded\n")
            }
            None => {
                let inputs = suggestions(&self.record_next, far);
                writeln!(out, "Record inputs like these next:\n\n{inputs:columns$}")
            }
        }
    }
}

fn devices(devices: &[DeviceTraffic]) -> Table {
    let mut table = Table::new(["device", "calls", "samples", "far, %"]);
    for DeviceTraffic { device, samples, calls, far_calls, .. } in devices {
        let far = far_calls.map_or_else(|| "not known".to_owned(), |far| percent(far, *calls));
        table.row([device.clone(), calls.to_string(), samples.to_string(), far]);
    }
    table
}

fn choices(devices: &[DeviceTraffic]) -> Table {
    let mut table = Table::new(["device", "variant", "of its calls, %", "mean time, us", "reason"]);
    for DeviceTraffic { device, calls, choices, .. } in devices {
        for choice in choices {
            let time =
                choice.mean_time_ns.map_or_else(String::new, |time_ns| format!("{:.3}", time_ns / 1e3));
            let share = percent(choice.calls, *calls);
            table.row([device.clone(), choice.variant.clone(), share, time, choice.reason.clone()]);
        }
    }
    table
}

fn suggestions(inputs: &[Suggestion], far: u64) -> Table {
    let names: Vec<&String> = inputs.first().map_or_else(Vec::new, |first| first.features.keys().collect());
    let mut table =
        Table::new(["like it, % of far calls"].into_iter().chain(names.iter().map(|name| name.as_str())));
    for Suggestion { features, calls } in inputs {
        let mut row = vec![percent(*calls, far)];
        for name in &names {
            row.push(features.get(*name).map_or_else(String::new, |&value| number(value)));
        }
        table.row(row);
    }
    table
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1}", 100.0 * part as f64 / whole.max(1) as f64)
}
