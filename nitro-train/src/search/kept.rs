//! Which of the configurations that searches have found are worth keeping.

use std::collections::{BTreeMap, BTreeSet};

use super::Searched;
use crate::greedy::add_greedily;

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
    let mut candidates: BTreeMap<(&str, &str), Vec<f64>> = Default::default();
    for (one, best_ns) in &shares {
        let at = inputs.partition_point(|input| *input < one.input.as_str());
        for (configuration, time_ns) in &one.times_ns {
            let of_inputs =
                candidates.entry((&one.variant, configuration)).or_insert_with(|| vec![0.0; inputs.len()]);
            of_inputs[at] = best_ns / time_ns;
        }
    }
    let candidates: Vec<_> = candidates.into_iter().collect();
    let mut kept = Vec::new();
    add_greedily(&mut kept, most, candidates.len(), inputs.len(), |own, input| candidates[own].1[input]);
    let names = kept.into_iter().map(|own| candidates[own].0);
    names.map(|(variant, configuration)| (variant.to_owned(), configuration.to_owned())).collect()
}
