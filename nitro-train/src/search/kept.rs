//! Which of the configurations that searches have found are worth keeping.

use std::collections::{BTreeMap, BTreeSet};

use nitro_learn::greedy::add_greedily;
use nitro_store::recordings::is_test;

use super::SearchResult;

/// At most so many configurations (variant and text), greedily those that add most to the mean share, over the
/// inputs, of the best speed found there. A configuration that was not evaluated on an input counts for nothing
/// there. Test inputs have no say where there are others: they judge what is learned of what was kept.
pub(crate) fn kept(searched: &[SearchResult], most: usize) -> Vec<(String, String)> {
    let training: Vec<&SearchResult> = searched.iter().filter(|one| !is_test(&one.input)).collect();
    let searched = if training.is_empty() { searched.iter().collect() } else { training };
    let best = |one: &SearchResult| {
        let of_input = searched.iter().filter(|other| other.input == one.input);
        of_input.filter_map(|other| other.best_ns).fold(f64::INFINITY, f64::min)
    };
    let shares: Vec<(&SearchResult, f64)> = searched.iter().map(|one| (*one, best(one))).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn searched(input: &str, times_ns: [f64; 3]) -> SearchResult {
        let times_ns: Vec<_> = ["a", "b", "c"].map(str::to_owned).into_iter().zip(times_ns).collect();
        let best_ns = times_ns.iter().map(|(_, time_ns)| *time_ns).min_by(f64::total_cmp);
        SearchResult {
            variant: "v".into(),
            input: input.into(),
            best_ns,
            times_ns,
            ..SearchResult::default()
        }
    }

    #[test]
    fn what_is_fast_on_test_inputs_alone_is_not_kept_first() {
        let on_test = ["test/1", "test/2", "test/3"].map(|input| searched(input, [3.0, 2.0, 1.0]));
        let on_training = [searched("train/1", [1.0, 2.0, 3.0])];
        let first = |all: &[SearchResult]| kept(all, 1)[0].1.clone();
        assert_eq!(first(&[&on_test[..], &on_training].concat()), "a");
        assert_eq!(first(&on_test), "c", "where nothing is learned from, all have a say");
    }
}
