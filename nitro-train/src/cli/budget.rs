//! `train record --budget`: the inputs that tell most, instead of all of them.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use nitro_core::provide::Workplace;

use super::record::{known, measure_on, tell_faults};
use crate::active::{FIRST_INPUTS, next_inputs};
use crate::measure::{Plan, run_on, survey_inputs};
use crate::recordings::{Input, Recordings};
use crate::store::Store;
use crate::trainer::Registered;

/// One selector is fitted for this share of what is measured.
const ROUNDS_SHARE: usize = 8;

/// Records inputs, the least certain next, until so many are in the store.
pub(super) fn function_within(
    registered: &Registered,
    name: &str,
    device: &dyn Workplace,
    plan: &Plan<'_>,
    store: &mut dyn Store,
    budget: usize,
) -> Result<()> {
    let function = registered.function.name();
    say!("{function} on {name}: looking at the features of all inputs");
    let surveyed =
        run_on(device, || survey_inputs(registered.function, &device, plan.inputs, &registered.record));
    let surveyed = surveyed
        .flatten()
        .map_err(known)
        .with_context(|| format!("the features of the inputs of {function} on {name}"))?;
    let variants: Vec<&str> = registered.function.variants().iter().map(|variant| variant.name).collect();
    let mut measured = store.recorded(function, device.entry().id(), &variants)?;
    while measured.len() < budget.min(surveyed.len()) {
        let left = budget.min(surveyed.len()) - measured.len();
        let count =
            left.min((measured.len() / ROUNDS_SHARE).max(1).max(FIRST_INPUTS.saturating_sub(measured.len())));
        let only = choose(store, function, device.entry().id(), &surveyed, &measured, count)?;
        let before = measured.len();
        measure_on(registered, name, device, &Plan { only: Some(only), ..plan.clone() }, store)?;
        measured = store.recorded(function, device.entry().id(), &variants)?;
        if measured.len() == before {
            break; // what was chosen was left out by the recording itself
        }
    }
    if measured.is_empty() { Ok(()) } else { tell_faults(registered, name, device, store) }
}

/// The names of the next inputs.
fn choose(
    store: &mut dyn Store,
    function: &str,
    device: &str,
    surveyed: &[Input],
    measured: &BTreeSet<String>,
    count: usize,
) -> Result<BTreeSet<String>> {
    let mut recordings = match measured.is_empty() {
        true => Recordings::default(),
        false => store.load(function)?,
    };
    let mut place = |input: &Input| {
        recordings.input_index(&input.name).unwrap_or_else(|| {
            recordings.inputs.push(input.clone());
            recordings.inputs.len() - 1
        })
    };
    let places: Vec<usize> = surveyed.iter().map(&mut place).collect();
    let is_measured = |place: &usize| measured.contains(&recordings.inputs[*place].name);
    let (measured, candidates): (Vec<usize>, Vec<usize>) =
        places.iter().partition(|place| is_measured(place));
    let device = recordings.device_index(device).unwrap_or(0);
    let next = next_inputs(&recordings, device, (&measured, &candidates), count, crate::DEFAULT_SEED)?;
    Ok(next.into_iter().map(|place| recordings.inputs[place].name.clone()).collect())
}
