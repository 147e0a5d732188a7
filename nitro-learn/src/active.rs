//! Active learning: which inputs to measure first, where measuring all of them takes too long.
//!
//! "Best versus second best": the input is next at which a selector trained on what is measured so far is least
//! certain which of two variants is faster (Joshi, Porikli and Papanikolopoulos, "Multi-class active learning for
//! image classification", 2009, section 3.2; used by Muralidharan et al. for what they call incremental tuning,
//! "Nitro", 2014).

use nitro_core::model::Model;
use nitro_stats::random::Random;
use nitro_stats::statistics::mean;
use nitro_store::recordings::Recordings;

use crate::evaluate::{Chooser, Split, shares_of_model};
use crate::performance::PerformanceTable;
use crate::{FitOptions, LearnError, Strategy, fit};

/// The first inputs are drawn, because nothing is known yet.
pub const FIRST_INPUTS: usize = 8;

/// The order in which inputs are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Inputs first about which the selector is least certain.
    Uncertainty,
    /// A random order.
    Random,
}

/// The next inputs to measure on a device, at most `count` of the `candidates`. Positions refer to the recordings,
/// which hold the measurements of `measured` and at least the features of the candidates.
///
/// The same recordings and seed give the same inputs.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::active::next_inputs;
///
/// // Ten inputs are measured on the first device; of the others, these lie where the choice turns, at 15 keys.
/// let (measured, candidates): (Vec<usize>, Vec<usize>) = (0..30).partition(|input| input % 3 == 0);
/// let next = next_inputs(&recordings, 0, (&measured, &candidates), 2, 0)?;
/// assert!(next.iter().all(|&input| (11.0..20.0).contains(&recordings.inputs[input].features[0])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When no variant succeeded on what is measured.
pub fn next_inputs(
    recordings: &Recordings,
    device: usize,
    (measured, candidates): (&[usize], &[usize]),
    count: usize,
    seed: u64,
) -> Result<Vec<usize>, LearnError> {
    if measured.len() < FIRST_INPUTS {
        return Ok(drawn(candidates, count, seed));
    }
    let model = model(recordings, device, measured, seed)?;
    let chooser = Chooser::new(recordings, &model, device).expect("the model was fitted on these recordings");
    let mut margins: Vec<(f64, usize)> =
        candidates.iter().map(|&input| (chooser.margin(input), input)).collect();
    margins.sort_by(|a, b| a.0.total_cmp(&b.0)); // stable
    Ok(margins.into_iter().take(count).map(|(_, input)| input).collect())
}

/// Returns what a selector achieves on the split's test inputs of a device, after so many of its training inputs were
/// measured, in ascending numbers: mean share of exhaustive search.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::active::{Order, learning_curve};
/// use nitro_learn::evaluate::Split;
///
/// let curve = learning_curve(&recordings, 0, &Split::by_name(&recordings), &[8, 14], (Order::Uncertainty, 0))?;
/// assert!(curve[1] > 0.95, "fourteen of the twenty inputs do");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When no variant succeeded on the first inputs.
pub fn learning_curve(
    recordings: &Recordings,
    device: usize,
    split: &Split,
    sizes: &[usize],
    (order, seed): (Order, u64),
) -> Result<Vec<f64>, LearnError> {
    let performance = PerformanceTable::new(recordings)?;
    let mut candidates = split.train.clone();
    candidates.retain(|&input| performance.shares(device, input).is_some());
    let mut measured: Vec<usize> = Vec::new();
    let mut curve = Vec::new();
    for &size in sizes {
        let count = size.saturating_sub(measured.len());
        let chosen = match order {
            Order::Uncertainty => next_inputs(recordings, device, (&measured, &candidates), count, seed)?,
            Order::Random => drawn(&candidates, count, seed),
        };
        candidates.retain(|input| !chosen.contains(input));
        measured.extend(chosen);
        let model = model(recordings, device, &measured, seed)?;
        let shares = shares_of_model(recordings, &performance, &model, device, &split.test)
            .expect("the model was fitted on these recordings");
        curve.push(mean(shares).unwrap_or(0.0));
    }
    Ok(curve)
}

/// A selector of what is measured on one device.
fn model(recordings: &Recordings, device: usize, measured: &[usize], seed: u64) -> Result<Model, LearnError> {
    let options = FitOptions {
        sources: vec![recordings.devices[device].id.clone()],
        inputs: Some(measured.to_vec()),
        strategies: vec![Strategy::incremental()],
        seed,
        ..FitOptions::default()
    };
    // Where the selector is unsure is what is asked, also where a gate would spare it the question.
    Ok(Model { gate: None, caution: None, is_distilled: false, ..fit(recordings, &options)?.model })
}

fn drawn(candidates: &[usize], count: usize, seed: u64) -> Vec<usize> {
    let mut drawn = candidates.to_vec();
    Random::new(seed).shuffle(&mut drawn);
    drawn.truncate(count);
    drawn
}

#[cfg(test)]
mod tests {
    use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome};

    use super::*;

    /// Variant 0 is faster up to 500, variant 1 above.
    fn recordings() -> Recordings {
        let row = |input: usize, variant: usize| {
            let slow = (input < 50) == (variant == 1);
            Measurement {
                device: 0,
                input,
                variant,
                configuration: String::new(),
                outcome: Outcome::Time(if slow { 10.0 } else { 5.0 }),
                spread_ns: 0.0,
                repeats: 1,
                load: None,
                reason: String::new(),
            }
        };
        Recordings {
            function: "f".into(),
            variants: vec!["a".into(), "b".into()],
            features: vec!["size".into()],
            inputs: (0..100)
                .map(|n| Input { name: format!("i{n}"), features: vec![10.0 * f64::from(n)] })
                .collect(),
            devices: vec![DeviceRecord { id: "d".into(), features: Default::default() }],
            measurements: (0..100).flat_map(|input| [row(input, 0), row(input, 1)]).collect(),
            ..Recordings::default()
        }
    }

    #[test]
    fn the_next_inputs_lie_where_the_choice_turns() {
        let measured: Vec<usize> = (0..100).step_by(10).collect();
        let candidates: Vec<usize> = (0..100).filter(|input| !measured.contains(input)).collect();
        let next = next_inputs(&recordings(), 0, (&measured, &candidates), 5, 1).unwrap();
        assert!(next.iter().all(|&input| (40..60).contains(&input)), "{next:?}");
    }

    #[test]
    fn the_first_inputs_are_drawn_and_the_same_each_time() {
        let candidates: Vec<usize> = (0..100).collect();
        let first = next_inputs(&recordings(), 0, (&[], &candidates), 8, 1).unwrap();
        assert_eq!(first.len(), 8);
        assert_eq!(first, next_inputs(&recordings(), 0, (&[], &candidates), 8, 1).unwrap());
        assert_ne!(first, next_inputs(&recordings(), 0, (&[], &candidates), 8, 2).unwrap());
    }

    #[test]
    fn a_curve_ends_where_everything_is_known() {
        let split = Split { train: (0..100).step_by(2).collect(), test: (1..100).step_by(2).collect() };
        let recordings = recordings();
        for order in [Order::Uncertainty, Order::Random] {
            let curve = learning_curve(&recordings, 0, &split, &[8, 16, 50], (order, 1)).unwrap();
            assert_eq!(curve.len(), 3);
            assert!(curve[2] > 0.98, "{order:?}: {curve:?}");
        }
    }
}
