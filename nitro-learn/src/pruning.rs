//! Pruning of candidates: the choices that a model may make.
//!
//! A variant may have thousands of configurations, of which few are enough: one that is second best by little
//! everywhere need not be told apart from the best.

use nitro_core::MAX_CHOICES;

use super::performance::PerformanceTable;
use crate::greedy::add_greedily;

/// Returns the classes that a model of these sources may pick, in order. Of every variant that is the one that is best
/// on average, then greedily whatever adds most to the mean share that the best of them reaches, while that is worth
/// it. All are kept where no variant has several.
pub fn prune(performance: &PerformanceTable, sources: &[usize], inputs: &[usize]) -> Vec<usize> {
    let variants = performance.classes().variants();
    let count = performance.classes().count();
    if performance.classes().are_variants() {
        return (0..count).collect();
    }
    let places = sources.iter().flat_map(|&device| inputs.iter().map(move |&input| (device, input)));
    let samples: Vec<&[Option<f64>]> =
        places.filter_map(|(device, input)| performance.shares(device, input)).collect();
    let mut chosen = best_of_each_variant(variants, &samples);
    add_greedily(&mut chosen, MAX_CHOICES, count, samples.len(), |class, at| share(samples[at], class));
    chosen.sort_unstable();
    chosen
}

/// The share of a class; none where it did not succeed.
pub fn share(shares: &[Option<f64>], class: usize) -> f64 {
    shares[class].unwrap_or(0.0)
}

/// The class of each variant with the largest sum of shares; of equals the first.
fn best_of_each_variant(variants: &[usize], samples: &[&[Option<f64>]]) -> Vec<usize> {
    let sums: Vec<f64> =
        (0..variants.len()).map(|class| samples.iter().map(|shares| share(shares, class)).sum()).collect();
    let mut best: Vec<usize> = Vec::new();
    for class in 0..variants.len() {
        match best.last_mut() {
            Some(last) if variants[*last] == variants[class] => {
                if sums[class] > sums[*last] {
                    *last = class;
                }
            }
            _ => best.push(class),
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

    use super::*;

    /// One device, inputs as rows, times of `a{x=0}`, `a{x=1}`, …, and of `b`.
    fn table(times_ns: &[&[f64]]) -> PerformanceTable {
        let row = |input: usize, class: usize, time_ns: f64, last: usize| Measurement {
            device: 0,
            input,
            variant: usize::from(class == last),
            configuration: if class == last { String::new() } else { format!("x={class}") },
            outcome: Outcome::Time(time_ns),
            spread_ns: 0.0,
            repeats: 1,
            load: None,
            reason: String::new(),
        };
        let rows = times_ns.iter().enumerate().flat_map(|(input, times)| {
            times.iter().enumerate().map(move |(class, &time_ns)| row(input, class, time_ns, times.len() - 1))
        });
        PerformanceTable::new(&Recordings {
            variants: vec!["a".into(), "b".into()],
            inputs: (0..times_ns.len()).map(|i| Input { name: i.to_string(), features: vec![] }).collect(),
            devices: vec![DeviceRecord { id: "d".into(), features: Default::default() }],
            measurements: rows.collect(),
            ..Recordings::default()
        })
        .unwrap()
    }

    fn names(times_ns: &[&[f64]], inputs: &[usize]) -> Vec<String> {
        let table = table(times_ns);
        prune(&table, &[0], inputs).into_iter().map(|class| table.classes().names()[class].clone()).collect()
    }

    #[test]
    fn what_is_best_somewhere_by_much_is_emitted_and_what_is_by_little_is_not() {
        let times: &[&[f64]] = &[&[10.0, 30.0, 10.01, 50.0], &[40.0, 10.0, 40.0, 50.0]];
        assert_eq!(names(times, &[0, 1]), ["a{x=0}", "a{x=1}", "b"]);
        assert_eq!(names(times, &[0]), ["a{x=0}", "b"], "on the training inputs alone");
    }

    #[test]
    fn every_variant_is_known_to_the_model_and_no_more_choices_than_it_may_have() {
        let many: Vec<Vec<f64>> = (0..100)
            .map(|input| (0..101).map(|class| if class == input { 1.0 } else { 100.0 }).collect())
            .collect();
        let rows: Vec<&[f64]> = many.iter().map(Vec::as_slice).collect();
        let names = names(&rows, &(0..100).collect::<Vec<_>>());
        assert_eq!(names.len(), MAX_CHOICES);
        assert!(names.contains(&"b".to_owned()));
    }
}
