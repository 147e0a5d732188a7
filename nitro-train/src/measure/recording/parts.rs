//! The times of the parts of generated code.

use std::collections::BTreeMap;

use nitro_core::recording::{PartTime, record_parts};
use nitro_store::recordings::Input;
use nitro_store::store::check_parts;

use super::Recording;
use super::trial::{State, Trial};
use crate::measure::calls::Calls;
use crate::measure::candidate::{Candidate, is_generated};

impl Recording<'_> {
    /// Measures the parts of a candidate by one further run, whose time as a whole does not count.
    ///
    /// There are no parts where it is not generated, has no time itself, or tells of none that a store could keep.
    /// Returns none where that run failed: what the runs before gave stays, unless the process ended in it.
    pub(super) fn parts(
        &self,
        input: &Input,
        trial: &Trial,
        calls: &mut impl Calls,
    ) -> Option<Vec<PartTime>> {
        let Trial { candidate, state, .. } = trial;
        let function = self.subject.function;
        let is_generated = is_generated(&function.variants()[candidate.choice.variant]);
        if !matches!(state, State::Running { .. }) || !is_generated {
            return Some(Vec::new());
        }
        let call = calls.next();
        let ran = self.attempt(&input.name, Some(&input.features), candidate, || {
            record_parts(function, candidate.choice, call).map(|(_, observation)| observation)
        });
        match ran {
            Ok(observation) if observation.failures == 0 => Some(usable(input, candidate, observation.parts)),
            failed => {
                let panicked = failed.err().map(|panicked| panicked.to_string());
                if let Some(panicked) = &panicked {
                    self.note_panic(&input.name, candidate, panicked);
                }
                let choice = candidate.text();
                tracing::debug!(choice, ?panicked, "what its parts take is not known: that run failed");
                None
            }
        }
    }
}

/// Returns each part once, if a store takes them all.
fn usable(input: &Input, candidate: &Candidate, parts: Vec<PartTime>) -> Vec<PartTime> {
    let parts = joined(parts);
    match check_parts(|| format!("variant `{}` for input `{}`", candidate.variant, input.name), &parts) {
        Ok(()) => parts,
        Err(error) => {
            tracing::debug!(%error, "what its parts take is not kept");
            Vec::new()
        }
    }
}

/// Joins the parts of one name, which were noted in several calls.
fn joined(parts: Vec<PartTime>) -> Vec<PartTime> {
    let mut by_name: BTreeMap<String, Vec<PartTime>> = BTreeMap::new();
    for part in parts {
        by_name.entry(part.name.clone()).or_default().push(part);
    }
    by_name
        .into_values()
        .map(|mut calls| if calls.len() == 1 { calls.remove(0) } else { sum(calls) })
        .collect()
}

/// Sums the times of a part in several calls, and averages its metrics weighted by them.
fn sum(calls: Vec<PartTime>) -> PartTime {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for call in &calls {
        // A call that took no time tells as much of its metrics as any other that took none.
        let weight = call.time_ns.max(f64::MIN_POSITIVE);
        for (name, value) in &call.metrics {
            let sum = sums.entry(name.clone()).or_default();
            *sum = (sum.0 + weight * value, sum.1 + weight);
        }
    }
    let metrics = sums.into_iter().map(|(name, (sum, weight))| (name, sum / weight)).collect();
    let time_ns = calls.iter().map(|call| call.time_ns).sum();
    PartTime { name: calls.into_iter().next().map(|call| call.name).unwrap_or_default(), time_ns, metrics }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, time_ns: f64, metrics: &[(&str, f64)]) -> PartTime {
        let metrics = metrics.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        PartTime { name: name.to_owned(), time_ns, metrics }
    }

    #[test]
    fn calls_of_one_part_are_summed_and_their_metrics_weighted_by_their_times() {
        let noted = [
            part("b", 3.0, &[("occupancy", 0.5), ("hits", 0.25)]),
            part("a", 0.0, &[("occupancy", 0.5)]),
            part("b", 1.0, &[("occupancy", 1.0)]),
            part("a", 0.0, &[("occupancy", 0.5)]),
        ];
        let expected =
            [part("a", 0.0, &[("occupancy", 0.5)]), part("b", 4.0, &[("hits", 0.25), ("occupancy", 0.625)])];
        assert_eq!(joined(noted.to_vec()), expected);
    }
}
