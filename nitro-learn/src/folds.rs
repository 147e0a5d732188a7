//! Folds of cross-validation, and how many inputs it uses. Always whole inputs: what one device shows of an input
//! says too much about the same input on the next device.

use std::collections::BTreeMap;

use nitro_stats::random::Random;

/// With fewer groups than this a fold of whole groups would be a kind of input that the rest does not know at all.
const MIN_GROUPS: usize = 20;

/// Cuts the inputs with these names into at most `folds` parts, in seeded random order; each part holds sorted
/// positions.
///
/// Where names show groups (the part before the last `/`), and at least twenty of them, a group stays in one part,
/// for the reason that a split keeps it whole: its members are near-duplicates, and a machine that merely remembers
/// would look good.
pub fn folds(names: &[&str], folds: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut units = groups(names);
    if units.len() < MIN_GROUPS {
        units = (0..names.len()).map(|input| vec![input]).collect();
    }
    Random::new(seed).shuffle(&mut units);
    // Largest first onto the smallest part, so that parts differ as little as groups allow; the sort is stable.
    units.sort_by_key(|unit| std::cmp::Reverse(unit.len()));
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); folds.min(units.len())];
    for unit in units {
        let smallest = parts.iter_mut().min_by_key(|part| part.len()).expect("a unit makes a part");
        smallest.extend(unit);
    }
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

fn groups(names: &[&str]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (input, name) in names.iter().enumerate() {
        let group = name.rsplit_once('/').map_or(*name, |(group, _)| group);
        groups.entry(group).or_default().push(input);
    }
    groups.into_values().collect()
}

/// A seeded sample of at most `limit` items, in the order they came in.
pub fn sample(items: Vec<usize>, limit: usize, seed: u64) -> Vec<usize> {
    if items.len() <= limit {
        return items;
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    Random::new(seed ^ 0x5a4d_504c).shuffle(&mut order);
    order.truncate(limit);
    order.sort_unstable();
    order.into_iter().map(|at| items[at]).collect()
}

/// All but one part, sorted.
pub fn rest(parts: &[Vec<usize>], left_out: usize) -> Vec<usize> {
    let others = parts.iter().enumerate().filter(|(part, _)| *part != left_out);
    let mut rest: Vec<usize> = others.flat_map(|(_, items)| items.iter().copied()).collect();
    rest.sort_unstable();
    rest
}

/// Returns the most inputs of a search in which one machine costs no more than `effort`, the square of its number of
/// samples; `parts - 1` of `parts` inputs are trained on.
pub fn inputs_within(effort: f64, sources: usize, parts: usize) -> usize {
    let samples = effort.sqrt().clamp(MIN_SAMPLES, MAX_SAMPLES);
    let inputs = samples / sources.max(1) as f64 * parts as f64 / (parts - 1) as f64;
    (inputs as usize).max(4 * parts)
}

/// However many machines a search trains, each gets about this many samples.
const MIN_SAMPLES: f64 = 250.0;
/// More samples than this change an estimate little.
const MAX_SAMPLES: f64 = 1500.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn check_partition(names: &[String], count: usize) -> Vec<Vec<usize>> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let parts = folds(&names, count, 42);
        let mut all: Vec<usize> = parts.concat();
        all.sort_unstable();
        assert_eq!(all, (0..names.len()).collect::<Vec<_>>());
        assert!(parts.iter().all(|part| !part.is_empty()));
        for left_out in 0..parts.len() {
            assert!(rest(&parts, left_out).iter().all(|input| !parts[left_out].contains(input)));
            assert_eq!(rest(&parts, left_out).len() + parts[left_out].len(), names.len());
        }
        parts
    }

    #[test]
    fn every_input_is_in_exactly_one_fold() {
        for (inputs, count) in [(10, 3), (7, 5), (3, 5), (1, 2), (0, 4)] {
            let names: Vec<String> = (0..inputs).map(|input| format!("train/{input}")).collect();
            let parts = check_partition(&names, count);
            assert_eq!(parts.len(), count.min(inputs));
            let sizes = parts.iter().map(Vec::len);
            assert!(sizes.clone().max().unwrap_or(0) - sizes.min().unwrap_or(0) <= 1);
        }
    }

    #[test]
    fn a_group_stays_in_one_fold() {
        let names: Vec<String> = (0..90).map(|input| format!("group{}/{input}", input % 30)).collect();
        for part in check_partition(&names, 5) {
            for input in &part {
                assert!((0..90).filter(|other| other % 30 == input % 30).all(|other| part.contains(&other)));
            }
        }
    }

    #[test]
    fn a_sample_keeps_the_order_and_follows_the_seed() {
        let items: Vec<usize> = (100..200).collect();
        let drawn = sample(items.clone(), 10, 1);
        assert_eq!(drawn.len(), 10);
        assert!(drawn.is_sorted());
        assert_eq!(drawn, sample(items.clone(), 10, 1));
        assert_ne!(drawn, sample(items.clone(), 10, 2));
        assert_eq!(sample(items.clone(), 100, 1), items);
    }

    #[test]
    fn the_number_of_inputs_keeps_the_effort() {
        assert_eq!(inputs_within(1e6, 4, 2), 500);
        assert_eq!(inputs_within(1e12, 3, 2), 1000, "never more than enough");
        assert_eq!(inputs_within(0.0, 5, 2), 100, "never too few");
        assert_eq!(inputs_within(0.0, 1000, 2), 8);
    }
}
