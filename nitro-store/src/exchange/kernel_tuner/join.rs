//! Several files become the recordings of one function.

use std::collections::{BTreeMap, HashMap};

use nitro_core::{MAX_VARIANTS, name};

use super::tuning::{Row, Tuning};
use super::wrong::Wrong;
use crate::exchange::error::{ImportError, Problem};
use crate::printable::{excerpt, list};
use crate::recordings::{DeviceRecord, Input, Measurement, Recordings, SpaceRecord};

/// The name of an input whose problem has no size.
const ONLY: &str = "only";

pub(super) fn join(function: &str, files: Vec<Tuning>) -> Result<Recordings, ImportError> {
    let mut joined = Joiner::of(function, &files);
    for file in files {
        let name = file.file.clone();
        joined.add(file).map_err(|(line, what)| ImportError::Row {
            file: name,
            line,
            problem: Problem::KernelTuner { what },
        })?;
    }
    joined.recordings.spaces.sort_by_key(|space| space.variant);
    Ok(joined.recordings)
}

struct Joiner {
    recordings: Recordings,
    /// The file in which each configuration of a device, input and variant was found.
    found_in: HashMap<(usize, usize, usize, String), String>,
}

impl Joiner {
    /// Features of the inputs are the extents of their problems, where all files say them as numbers.
    fn of(function: &str, files: &[Tuning]) -> Self {
        let sizes: Option<Vec<_>> =
            files.iter().map(|file| extents(file).filter(|size| !size.is_empty())).collect();
        let axes = sizes.map_or(0, |sizes| sizes.iter().map(Vec::len).max().unwrap_or(0));
        let features = (0..axes).map(|axis| match axis {
            0..3 => format!("problem_size_{}", ["x", "y", "z"][axis]),
            _ => format!("problem_size_{axis}"),
        });
        let recordings = Recordings {
            function: function.to_owned(),
            features: features.collect(),
            ..Recordings::default()
        };
        Self { recordings, found_in: HashMap::new() }
    }

    fn add(&mut self, file: Tuning) -> Result<(), Wrong> {
        // Names of the whole file are not far from its beginning.
        let (device, input, variant) = self.subject(&file).map_err(|what| (1, what))?;
        for row in file.rows {
            let configuration =
                self.listed(variant, &file.parameters, &row).map_err(|what| (row.line, what))?;
            let key = (device, input, variant, configuration.clone());
            if let Some(other) = self.found_in.insert(key, file.file.clone()) {
                let (configuration, device) = (excerpt(&configuration), excerpt(&file.device));
                let what = format!(
                    "configuration `{configuration}` on device `{device}` is in {other} already; leave out one of the \
                 two"
                );
                return Err((row.line, what));
            }
            let Row { outcome, spread_ns, repeats, reason, .. } = row;
            self.recordings.measurements.push(Measurement {
                device,
                input,
                variant,
                configuration,
                outcome,
                spread_ns,
                repeats,
                load: None,
                reason,
            });
        }
        Ok(())
    }

    /// The device, the input and the variant of a file.
    fn subject(&mut self, file: &Tuning) -> Result<(usize, usize, usize), String> {
        Ok((self.device(&file.device)?, self.input(file)?, self.variant(file)?))
    }

    fn device(&mut self, id: &str) -> Result<usize, String> {
        check("device", id)?;
        let devices = &mut self.recordings.devices;
        Ok(devices.iter().position(|known| known.id == id).unwrap_or_else(|| {
            devices.push(DeviceRecord { id: id.to_owned(), features: BTreeMap::new() });
            devices.len() - 1
        }))
    }

    fn input(&mut self, file: &Tuning) -> Result<usize, String> {
        let name = if file.size.is_empty() { ONLY.to_owned() } else { file.size.join("x") };
        check("input", &name)?;
        if let Some(known) = self.recordings.input_index(&name) {
            return Ok(known);
        }
        let mut features = extents(file).unwrap_or_default();
        features.resize(self.recordings.features.len(), 1.0);
        self.recordings.inputs.push(Input { name, features });
        Ok(self.recordings.inputs.len() - 1)
    }

    fn variant(&mut self, file: &Tuning) -> Result<usize, String> {
        check("variant", &file.kernel)?;
        file.parameters.iter().try_for_each(|name| check("parameter", name))?;
        if let Some(known) = self.recordings.variant_index(&file.kernel) {
            return Ok(known);
        }
        let variant = self.recordings.variants.len();
        if variant == MAX_VARIANTS {
            return Err(format!(
                "kernel `{}` is one too many: a function may have {MAX_VARIANTS}",
                excerpt(&file.kernel)
            ));
        }
        self.recordings.variants.push(file.kernel.clone());
        let configurations = BTreeMap::new();
        self.recordings.spaces.push(SpaceRecord {
            variant,
            parameters: file.parameters.clone(),
            configurations,
        });
        Ok(variant)
    }

    /// The configuration's text, with which it is listed.
    fn listed(&mut self, variant: usize, parameters: &[String], row: &Row) -> Result<String, String> {
        let space = &mut self.recordings.spaces[variant];
        let positions = space.parameters.iter().map(|name| parameters.iter().position(|own| own == name));
        let values: Option<Vec<String>> =
            positions.map(|position| position.map(|at| row.values[at].clone())).collect();
        let values = values.filter(|values| values.len() == parameters.len()).ok_or_else(|| {
            let (expected, found) = (list(&space.parameters), list(parameters));
            format!("its parameters are {found}, those of this kernel in the files before {expected}; import them as \
                     two functions")
        })?;
        values.iter().try_for_each(|value| check("value", value))?;
        let each = space.parameters.iter().zip(&values).map(|(name, value)| format!("{name}={value}"));
        let text = each.collect::<Vec<_>>().join(",");
        check("configuration", &text)?;
        space.configurations.insert(text.clone(), values);
        Ok(text)
    }
}

fn check(what: &str, name: &str) -> Result<(), String> {
    name::check(name).map_err(|problem| format!("{what} `{}` {problem}", excerpt(name)))
}

/// The extents of the problem as numbers.
fn extents(file: &Tuning) -> Option<Vec<f64>> {
    file.size.iter().map(|extent| extent.parse().ok().filter(|number: &f64| number.is_finite())).collect()
}
