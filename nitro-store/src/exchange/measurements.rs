//! The table of measurements.

use std::collections::{HashMap, HashSet};

use nitro_core::MAX_VARIANTS;

use super::csv_table::{CsvTable, Record, above_zero, not_negative, share};
use super::error::{ImportError, Problem, check_name};
use super::parameters::ConfigurationTable;
use crate::printable::excerpt;
use crate::recordings::{Measurement, Outcome, Recordings};

pub(super) const REQUIRED: [&str; 4] = ["device", "input", "variant", "time_ns"];
pub(super) const OPTIONAL: [&str; 6] = ["outcome", "spread_ns", "repeats", "configuration", "reason", "load"];

/// Adds variants and measurements to recordings that have their inputs and devices.
pub(super) fn read(
    table: CsvTable<'_>,
    listed: Option<&ConfigurationTable>,
    into: &mut Recordings,
) -> Result<(), ImportError> {
    let columns = Columns::of(&table)?;
    let mut index = Index::of(into, listed);
    let mut measurements = Vec::new();
    table.for_each(|_, record| {
        measurements.push(index.measurement(&columns, &record)?);
        Ok(())
    })?;
    into.variants = index.variants.names;
    into.measurements = measurements;
    Ok(())
}

/// The positions of the columns.
struct Columns {
    required: [usize; 4],
    optional: [Option<usize>; 6],
}

impl Columns {
    fn of(table: &CsvTable<'_>) -> Result<Self, ImportError> {
        let known: Vec<&str> = REQUIRED.iter().chain(&OPTIONAL).copied().collect();
        if let Some(column) = table.header().iter().find(|column| !known.contains(&column.as_str())) {
            let known = known.join(", ");
            return Err(table.in_header(Problem::UnknownColumn { column: excerpt(column), known }));
        }
        let mut required = [0; 4];
        for (slot, name) in required.iter_mut().zip(REQUIRED) {
            *slot = table.column_of(name).ok_or_else(|| {
                let expected = REQUIRED.join(",");
                table.in_header(Problem::MissingColumn { column: name.to_owned(), expected })
            })?;
        }
        Ok(Self { required, optional: OPTIONAL.map(|name| table.column_of(name)) })
    }

    fn required<'r>(&self, record: &'r Record<'_>) -> [&'r str; 4] {
        self.required.map(|index| record.text(index))
    }

    /// Empty where the column is absent.
    fn optional<'r>(&self, record: &'r Record<'_>) -> [&'r str; 6] {
        self.optional.map(|index| index.map_or("", |index| record.text(index)))
    }
}

/// Names found so far.
struct Index<'l> {
    /// The configurations that exist, if that is known.
    listed: Option<&'l ConfigurationTable>,
    devices: HashMap<String, usize>,
    inputs: HashMap<String, usize>,
    variants: Variants,
    /// Keys found so far; the configurations of the few rows that have one.
    keys: HashSet<(usize, usize, usize, String)>,
}

#[derive(Default)]
struct Variants {
    names: Vec<String>,
    indices: HashMap<String, usize>,
}

impl Variants {
    fn index_of(&mut self, name: &str) -> Result<usize, Problem> {
        match self.indices.get(name) {
            Some(&index) => return Ok(index),
            None if name.is_empty() => return Err(Problem::MissingName { column: "variant" }),
            None if self.names.len() == MAX_VARIANTS => {
                return Err(Problem::TooManyVariants { variant: excerpt(name) });
            }
            None => check_name("variant", name)?,
        }
        self.indices.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        Ok(self.names.len() - 1)
    }
}

impl<'l> Index<'l> {
    fn of(recordings: &Recordings, listed: Option<&'l ConfigurationTable>) -> Self {
        let devices = recordings.devices.iter().enumerate();
        let inputs = recordings.inputs.iter().enumerate();
        Self {
            listed,
            devices: devices.map(|(index, device)| (device.id.clone(), index)).collect(),
            inputs: inputs.map(|(index, input)| (input.name.clone(), index)).collect(),
            variants: Variants::default(),
            keys: HashSet::new(),
        }
    }

    fn measurement(&mut self, columns: &Columns, record: &Record<'_>) -> Result<Measurement, Problem> {
        let [device_id, input_name, variant_name, time_ns] = columns.required(record);
        let [outcome, spread_ns, repeats, mut configuration, reason, load] = columns.optional(record);
        let device = index_of(&self.devices, "device", device_id)?;
        let input = index_of(&self.inputs, "input", input_name)?;
        let variant = self.variants.index_of(variant_name)?;
        if !configuration.is_empty() {
            check_name("configuration", configuration)?;
            if let Some(listed) = self.listed {
                let Some(name) = listed.name_of(configuration) else {
                    let name = excerpt(configuration);
                    return Err(Problem::UnknownName { column: "configuration", name });
                };
                configuration = name;
            }
        }
        if !self.keys.insert((device, input, variant, configuration.to_owned())) {
            let [variant, input, device] = [variant_name, input_name, device_id].map(excerpt);
            let key = format!("`{variant}` for input `{input}` on device `{device}`");
            return Err(Problem::Repeated { key });
        }
        Ok(Measurement {
            device,
            input,
            variant,
            configuration: configuration.to_owned(),
            outcome: self::outcome(outcome, time_ns)?,
            spread_ns: if spread_ns.is_empty() { 0.0 } else { not_negative("spread_ns", spread_ns)? },
            repeats: self::repeats(repeats)?,
            load: if load.is_empty() { None } else { Some(share("load", load)?) },
            reason: reason.to_owned(),
        })
    }
}

pub(super) fn index_of(
    names: &HashMap<String, usize>,
    column: &'static str,
    name: &str,
) -> Result<usize, Problem> {
    match names.get(name) {
        Some(&index) => Ok(index),
        None if name.is_empty() => Err(Problem::MissingName { column }),
        None => Err(Problem::UnknownName { column, name: excerpt(name) }),
    }
}

/// Without an outcome, a time is a time and none is a failure: from an admissible variant it cannot be told apart,
/// and either way the variant is never the right choice.
fn outcome(name: &str, time_ns: &str) -> Result<Outcome, Problem> {
    let time = if time_ns.is_empty() { None } else { Some(above_zero("time_ns", time_ns)?) };
    let name = match (name, time) {
        ("", Some(_)) => "time",
        ("", None) => "failed",
        (name, _) => name,
    };
    Outcome::from_name(name, time).ok_or_else(|| match (name, time) {
        ("time", _) => Problem::Contradiction {
            outcome: name.to_owned(),
            problem: "comes without a time; fill in time_ns or change the outcome",
        },
        ("failed" | "wrong" | "inadmissible", _) => Problem::Contradiction {
            outcome: name.to_owned(),
            problem: "comes with a time; empty time_ns or change the outcome",
        },
        _ => Problem::UnknownOutcome { found: excerpt(name) },
    })
}

fn repeats(field: &str) -> Result<u32, Problem> {
    match field.trim() {
        "" => Ok(0),
        text => text.parse().map_err(|_| Problem::NotACount { column: "repeats", found: excerpt(field) }),
    }
}
