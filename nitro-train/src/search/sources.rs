//! The sources of a search: what other devices know of its configurations now.

use std::collections::HashMap;

use nitro_learn::configurations::{ByInput, evaluation, sources};
use nitro_search::{Evaluation, Sources};
use nitro_store::recordings::DeviceRecord;
use nitro_store::store::{Store, StoreError};

use super::SearchPlan;
use super::listed::InputSpace;
use crate::measure::Candidate;

/// The most configurations that the store is asked of at once.
const MOST_ASKED: usize = 4096;

/// Collects what other devices know of these candidates on the same input.
///
/// That is what was measured of them, and what searches there have evaluated.
pub(super) fn known_sources(
    plan: &SearchPlan<'_>,
    of_input: &InputSpace<'_>,
    store: &mut dyn Store,
) -> Result<Sources, StoreError> {
    let InputSpace { function, device, input, candidates, .. } = of_input;
    let others = &plan.others;
    let by_input = plan.by_input.get_or_init(|| ByInput::new(others));
    let (Some(variant), Some(at)) = (others.variant_index(of_input.variant()), others.input_index(input))
    else {
        return Ok(Sources::default());
    };
    let position: HashMap<&str, usize> =
        candidates.iter().enumerate().map(|(at, own)| (own.configuration.as_str(), at)).collect();
    let names: Vec<_> = candidates.iter().map(Candidate::name).collect();
    let mut found: Vec<(&DeviceRecord, Vec<Option<Evaluation>>)> = Vec::new();
    for (index, other) in others.devices.iter().enumerate() {
        let is_asked_for = plan.sources.as_ref().is_none_or(|names| names.contains(&other.id));
        if other.id == device.id() || !is_asked_for {
            continue;
        }
        let mut evaluations = Vec::new();
        for names in names.chunks(MOST_ASKED) {
            for known in store.evaluations(function, &other.id, input, names)? {
                evaluations.push(known.map(|one| evaluation(one.outcome)));
            }
        }
        // Where both are known, what was measured counts.
        for one in by_input.of(others, at, variant).filter(|one| one.device == index) {
            if let Some(&at) = position.get(one.configuration.as_str()) {
                evaluations[at] = Some(evaluation(one.outcome));
            }
        }
        if evaluations.iter().any(Option::is_some) {
            found.push((other, evaluations));
        }
    }
    let here = device.features().map(|feature| (feature.name.clone(), feature.value)).collect();
    Ok(sources(&here, found))
}
