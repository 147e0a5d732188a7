//! The configurations of one variant, and what was measured of them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use nitro_search::{Evaluation, Failure, Sources, Space};
use nitro_store::recordings::{Measurement, Outcome, Recordings, assignments};

use super::ByInput;
use super::ConfigurationsError;
use super::space::space_of;

/// A variant's space as recordings know it. What exists is what is listed, or else what was measured; what no
/// device and input admits breaks a constraint, and is not part of it.
pub struct Measured<'r> {
    recordings: &'r Recordings,
    variant: usize,
    by_input: Arc<ByInput>,
    /// The configurations.
    pub space: Arc<Space>,
    /// The position of each configuration in the space.
    candidates: HashMap<&'r str, usize>,
}

impl<'r> Measured<'r> {
    /// The spaces of a function's variants, or of the one of this name.
    pub fn of(recordings: &'r Recordings, variant: Option<&str>) -> Result<Vec<Self>, ConfigurationsError> {
        let (generated, all): (Vec<usize>, Vec<usize>) = (0..recordings.variants.len())
            .filter(|&own| is_configured(recordings, own))
            .partition(|&own| recordings.is_generated(own));
        let is_named = |own: usize| variant.is_none_or(|name| recordings.variants[own] == name);
        let asks_for_all = variant.is_none() && !all.is_empty();
        if let Some(&own) = generated.iter().find(|&&own| is_named(own) && !asks_for_all) {
            return Err(ConfigurationsError::NothingToReplay { variant: recordings.variants[own].clone() });
        }
        let wanted: Vec<usize> = all.iter().copied().filter(|&own| is_named(own)).collect();
        let function = recordings.function.clone();
        match (variant, wanted.is_empty()) {
            (_, true) if all.is_empty() => Err(ConfigurationsError::NoSpace { function }),
            (Some(variant), true) => Err(ConfigurationsError::NoSuchVariant {
                function,
                variant: variant.to_owned(),
                known: all.iter().map(|&own| recordings.variants[own].clone()).collect(),
            }),
            _ => {
                let by_input = Arc::new(ByInput::new(recordings));
                let spaces = wanted.into_iter();
                spaces.map(|own| Self::of_variant(recordings, own, Arc::clone(&by_input))).collect()
            }
        }
    }

    fn of_variant(
        recordings: &'r Recordings,
        variant: usize,
        by_input: Arc<ByInput>,
    ) -> Result<Self, ConfigurationsError> {
        let mut listed = listed(recordings, variant)?;
        let mut admitted: HashMap<&str, bool> = HashMap::new();
        for one in configured(recordings, variant) {
            *admitted.entry(&one.configuration).or_default() |= one.outcome != Outcome::Inadmissible;
        }
        listed.configurations.retain(|(name, _)| admitted.get(name).copied().unwrap_or(true));
        let (space, names) = space_of(&listed.parameters, &listed.configurations).map_err(|source| {
            ConfigurationsError::Space { variant: recordings.variants[variant].clone(), source }
        })?;
        let candidates = names.into_iter().enumerate().map(|(at, name)| (name, at)).collect();
        Ok(Self { recordings, variant, by_input, space: Arc::new(space), candidates })
    }

    /// Returns the name of the variant.
    pub fn variant(&self) -> &'r str {
        &self.recordings.variants[self.variant]
    }

    /// Returns the evaluations of each candidate on this input, device by device.
    pub fn answers(&self, input: usize) -> BTreeMap<usize, Vec<Option<Evaluation>>> {
        let mut answers: BTreeMap<usize, Vec<Option<Evaluation>>> = BTreeMap::new();
        for (device, at, evaluation) in self.of_input(input) {
            answers.entry(device).or_insert_with(|| vec![None; self.space.len()])[at] = Some(evaluation);
        }
        answers
    }

    /// Returns the evaluations of each candidate on this device and input; none if nothing was measured.
    pub fn answers_on(&self, device: usize, input: usize) -> Option<Vec<Option<Evaluation>>> {
        let mut answers = None;
        for (_, at, evaluation) in self.of_input(input).filter(|(own, ..)| *own == device) {
            answers.get_or_insert_with(|| vec![None; self.space.len()])[at] = Some(evaluation);
        }
        answers
    }

    /// Device, candidate and outcome of what was measured on an input.
    fn of_input(&self, input: usize) -> impl Iterator<Item = (usize, usize, Evaluation)> {
        let measurements = self.by_input.of(self.recordings, input, self.variant);
        measurements.filter_map(|one| {
            let at = *self.candidates.get(one.configuration.as_str())?;
            Some((one.device, at, evaluation(one.outcome)))
        })
    }

    /// Returns the measurements of these devices, as a search on `target` is told them.
    pub fn sources(
        &self,
        answers: &BTreeMap<usize, Vec<Option<Evaluation>>>,
        target: usize,
        sources: &[usize],
    ) -> Sources {
        let devices = &self.recordings.devices;
        let measured = sources.iter().map(|source| (&devices[*source], answers[source].clone()));
        super::sources(&devices[target].features, measured.collect())
    }
}

/// Configurations with the value of each parameter.
struct ConfigurationList<'r> {
    parameters: Vec<&'r str>,
    configurations: Vec<(&'r str, Vec<&'r str>)>,
}

fn listed(recordings: &Recordings, variant: usize) -> Result<ConfigurationList<'_>, ConfigurationsError> {
    if let Some(space) = recordings.spaces.iter().find(|space| space.variant == variant) {
        return Ok(ConfigurationList {
            parameters: space.parameters.iter().map(String::as_str).collect(),
            configurations: space
                .configurations
                .iter()
                .map(|(name, values)| (name.as_str(), values.iter().map(String::as_str).collect()))
                .collect(),
        });
    }
    let mut texts: Vec<&str> =
        configured(recordings, variant).map(|one| one.configuration.as_str()).collect();
    texts.sort_unstable();
    texts.dedup();
    let mut parameters: Vec<&str> = Vec::new();
    let mut configurations = Vec::new();
    for text in texts {
        let entries: Vec<(&str, &str)> = assignments(text).collect();
        if parameters.is_empty() {
            parameters = entries.iter().map(|(name, _)| *name).collect();
        }
        let values: Option<Vec<&str>> = parameters
            .iter()
            .map(|name| entries.iter().find(|(own, _)| own == name).map(|(_, value)| *value))
            .collect();
        let is_named = entries.iter().all(|(name, _)| !name.is_empty());
        let values = values.filter(|values| is_named && !values.is_empty() && values.len() == entries.len());
        let Some(values) = values else {
            return Err(ConfigurationsError::Values {
                variant: recordings.variants[variant].clone(),
                configuration: text.to_owned(),
                parameters: parameters.iter().map(|&name| name.to_owned()).collect(),
            });
        };
        configurations.push((text, values));
    }
    Ok(ConfigurationList { parameters, configurations })
}

/// Returns what an outcome is to a search, which tells apart only what no input admits and what was not run.
pub fn evaluation(outcome: Outcome) -> Evaluation {
    Evaluation::Failed(match outcome {
        Outcome::Time(time_ns) => return Evaluation::TimeNs(time_ns),
        Outcome::Inadmissible => Failure::Invalid,
        Outcome::Wrong => Failure::Wrong,
        Outcome::Failed => Failure::Unknown,
    })
}

/// Returns true if a variant has a recorded space, or measurements of configurations.
fn is_configured(recordings: &Recordings, variant: usize) -> bool {
    recordings.spaces.iter().any(|space| space.variant == variant)
        || configured(recordings, variant).next().is_some()
}

/// The measurements of a variant that have a configuration.
fn configured(recordings: &Recordings, variant: usize) -> impl Iterator<Item = &Measurement> {
    let of_variant = recordings.measurements.iter().filter(move |one| one.variant == variant);
    of_variant.filter(|one| !one.configuration.is_empty())
}
