//! The selection of the configurations that are worth keeping of those that searches have found.

use std::collections::{BTreeMap, BTreeSet};

use nitro_learn::greedy::add_greedily;
use nitro_store::recordings::is_test;

use super::SearchResult;

/// Selects at most so many configurations, each a variant and a text.
///
/// Greedily takes those that add most to the mean, over the inputs, of the share of the best speed found there. A
/// configuration that was not evaluated on an input counts for nothing there. Test inputs have no say where there are
/// others: they judge what is learned of what was kept.
pub(crate) fn select_configurations(searched: &[SearchResult], most: usize) -> Vec<(String, String)> {
    let training: Vec<&SearchResult> = searched.iter().filter(|one| !is_test(&one.input)).collect();
    let searched = if training.is_empty() { searched.iter().collect() } else { training };
    let inputs: BTreeSet<&str> = searched.iter().map(|one| one.input.as_str()).collect();
    let mut shares: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for (at, input) in inputs.iter().enumerate() {
        let of_input: Vec<_> = searched.iter().filter(|one| one.input == *input).collect();
        let best_ns = of_input.iter().filter_map(|one| one.best_ns).fold(f64::INFINITY, f64::min);
        for one in of_input {
            for (configuration, time_ns) in &one.times_ns {
                let of_inputs =
                    shares.entry((&one.variant, configuration)).or_insert_with(|| vec![0.0; inputs.len()]);
                of_inputs[at] = best_ns / time_ns;
            }
        }
    }
    let shares: Vec<_> = shares.into_iter().collect();
    let mut selected = Vec::new();
    add_greedily(&mut selected, most, shares.len(), inputs.len(), |own, input| shares[own].1[input]);
    let names = selected.into_iter().map(|own| shares[own].0);
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
        let with_training = [&on_test[..], &on_training].concat();
        assert_eq!(select_configurations(&with_training, 1)[0].1, "a");
        let from_test = select_configurations(&on_test, 1);
        assert_eq!(from_test[0].1, "c", "where nothing is learned from, all have a say");
    }
}
