//! Which of the configurations that searches have found are worth keeping.

use std::collections::BTreeSet;

use super::Searched;

/// A further configuration is worth keeping when the mean share of the best speed grows by this much.
const LEAST_GAIN: f64 = 0.002;

/// At most so many configurations (variant and text), greedily those that add most to the mean share, over the inputs, of the best speed found there. A
/// configuration that was not evaluated on an input counts for nothing there.
pub(crate) fn kept(searched: &[Searched], most: usize) -> Vec<(String, String)> {
    let best = |one: &Searched| {
        let of_input = searched.iter().filter(|other| other.input == one.input);
        of_input.filter_map(|other| other.best_ns).fold(f64::INFINITY, f64::min)
    };
    let shares: Vec<(&Searched, f64)> = searched.iter().map(|one| (one, best(one))).collect();
    let inputs: BTreeSet<&str> = searched.iter().map(|one| one.input.as_str()).collect();
    let inputs: Vec<&str> = inputs.into_iter().collect();
    let mut candidates: std::collections::BTreeMap<(&str, &str), Vec<f64>> = Default::default();
    for (one, best_ns) in &shares {
        let at = inputs.partition_point(|input| *input < one.input.as_str());
        for (configuration, time_ns) in &one.times_ns {
            let of_inputs =
                candidates.entry((&one.variant, configuration)).or_insert_with(|| vec![0.0; inputs.len()]);
            of_inputs[at] = best_ns / time_ns;
        }
    }
    let (mut kept, mut reached): (Vec<(&str, &str)>, Vec<f64>) = (Vec::new(), vec![0.0; inputs.len()]);
    while kept.len() < most {
        let gain = |shares: &[f64]| -> f64 {
            shares.iter().zip(&reached).map(|(share, reached)| (share - reached).max(0.0)).sum()
        };
        // Of equals the first by name.
        let next = candidates
            .iter()
            .rev()
            .map(|(name, shares)| (gain(shares), name, shares))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, name, shares)) = next.filter(|(gain, ..)| *gain >= LEAST_GAIN * inputs.len() as f64)
        else {
            break;
        };
        kept.push(*name);
        reached = reached.iter().zip(shares).map(|(reached, share)| reached.max(*share)).collect();
    }
    kept.into_iter().map(|(variant, configuration)| (variant.to_owned(), configuration.to_owned())).collect()
}
