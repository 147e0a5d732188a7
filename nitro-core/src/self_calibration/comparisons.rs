//! The choices of one function that are run in turn for inputs with the same features, and their times.

use crate::order;

/// The most inputs that are compared.
const MOST_INPUTS: usize = 300;
/// The number of times that are taken of a choice for an input; the median counts.
const RUNS: usize = 3;
/// The number of times after which a choice that is far behind is not run again.
const RUNS_OF_SLOW: usize = 2;
/// A choice is far behind when it takes so many times as long as another one.
const SLOW: f64 = 3.0;

/// The inputs whose choices are compared.
#[derive(Default)]
pub(super) struct Comparisons {
    inputs: Vec<Input>,
    /// The choices that failed or panicked when they were run for a comparison. They are left alone.
    failed: Vec<usize>,
    /// The input that makes room for a new one, where it is not compared yet.
    oldest: usize,
}

/// An input, by its features, and what may run for it.
struct Input {
    features: Vec<f64>,
    candidates: Vec<Candidate>,
}

/// A choice, by its index in the choice table, and its times.
struct Candidate {
    choice: usize,
    times_ns: Vec<f64>,
}

/// An input of which at least two choices were compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compared {
    pub(super) features: Vec<f64>,
    /// The choices, by index in the choice table, with their median times.
    pub(super) medians_ns: Vec<(usize, f64)>,
}

impl Comparisons {
    /// Returns the choice that is to run for an input with these features, by its index; none where nothing more is to
    /// be learned from it. `candidates` gives the choices that are worth comparing, and `may_run` tells which of
    /// them this call admits.
    pub(super) fn next(
        &mut self,
        features: &[f64],
        candidates: impl FnOnce() -> Vec<usize>,
        may_run: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let at = match self.inputs.iter().position(|input| is_same(&input.features, features)) {
            Some(known) => known,
            None => self.add(features, candidates())?,
        };
        let input = &self.inputs[at];
        let best_ns = input.best_ns();
        let open = input.candidates.iter().filter(|own| !own.is_done(best_ns));
        let runnable = open.filter(|own| !self.failed.contains(&own.choice) && may_run(own.choice));
        runnable.min_by_key(|own| own.times_ns.len()).map(|own| own.choice)
    }

    /// Adds an input, in the place of one that did not come again where there are many. Returns its position.
    fn add(&mut self, features: &[f64], candidates: Vec<usize>) -> Option<usize> {
        if candidates.len() < 2 {
            return None;
        }
        let candidates =
            candidates.into_iter().map(|choice| Candidate { choice, times_ns: Vec::new() }).collect();
        let input = Input { features: features.to_vec(), candidates };
        if self.inputs.len() < MOST_INPUTS {
            self.inputs.push(input);
            return Some(self.inputs.len() - 1);
        }
        let from_oldest = (0..MOST_INPUTS).map(|step| (self.oldest + step) % MOST_INPUTS);
        let at = from_oldest.into_iter().find(|&at| self.inputs[at].medians_ns().is_none())?;
        self.inputs[at] = input;
        self.oldest = at + 1;
        Some(at)
    }

    /// Notes the time of a choice for an input; none for a call that failed.
    pub(super) fn note(&mut self, features: &[f64], choice: usize, time_ns: Option<f64>) {
        let Some(time_ns) = time_ns else {
            self.failed.push(choice);
            return;
        };
        let input = self.inputs.iter_mut().find(|input| is_same(&input.features, features));
        let known = input.and_then(|input| input.candidates.iter_mut().find(|own| own.choice == choice));
        if let Some(known) = known {
            known.times_ns.push(time_ns);
        }
    }

    /// The inputs for which at least two choices were compared.
    pub(super) fn compared(&self) -> Vec<Compared> {
        let inputs = self.inputs.iter();
        inputs
            .filter_map(|input| {
                Some(Compared { medians_ns: input.medians_ns()?, features: input.features.clone() })
            })
            .collect()
    }
}

/// Returns true where features agree in every bit.
fn is_same(one: &[f64], other: &[f64]) -> bool {
    one.iter().map(|feature| feature.to_bits()).eq(other.iter().map(|feature| feature.to_bits()))
}

impl Input {
    /// The least time of any choice, infinite before the first.
    fn best_ns(&self) -> f64 {
        self.candidates.iter().flat_map(|own| &own.times_ns).copied().fold(f64::INFINITY, f64::min)
    }

    /// The median times of the choices of which all is known; none where these are fewer than two.
    fn medians_ns(&self) -> Option<Vec<(usize, f64)>> {
        let best_ns = self.best_ns();
        let done = self.candidates.iter().filter(|own| own.is_done(best_ns));
        let medians: Vec<_> = done.map(|own| (own.choice, own.median_ns())).collect();
        (medians.len() > 1).then_some(medians)
    }
}

impl Candidate {
    fn is_done(&self, best_ns: f64) -> bool {
        let least = self.times_ns.iter().copied().fold(f64::INFINITY, f64::min);
        self.times_ns.len() >= RUNS || self.times_ns.len() >= RUNS_OF_SLOW && least > SLOW * best_ns
    }

    /// The median of the times, of two the lesser.
    fn median_ns(&self) -> f64 {
        order::ascending(&self.times_ns)[(self.times_ns.len() - 1) / 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares choices 0 and 1 for these inputs in turn, `times_ns` telling their times, until nothing is left to do.
    /// Returns how often each ran.
    fn compare(comparisons: &mut Comparisons, inputs: &[f64], times_ns: [f64; 2]) -> [usize; 2] {
        let mut runs = [0; 2];
        loop {
            let before = runs;
            for &input in inputs {
                if let Some(choice) = comparisons.next(&[input], || vec![0, 1], |_| true) {
                    runs[choice] += 1;
                    comparisons.note(&[input], choice, Some(times_ns[choice]));
                }
            }
            if runs == before {
                return runs;
            }
        }
    }

    #[test]
    fn choices_run_in_turn_until_they_are_known() {
        let mut comparisons = Comparisons::default();
        assert_eq!(compare(&mut comparisons, &[7.0, 8.0], [10.0, 20.0]), [6, 6]);
        let compared = |input| Compared { features: vec![input], medians_ns: vec![(0, 10.0), (1, 20.0)] };
        assert_eq!(comparisons.compared(), [compared(7.0), compared(8.0)]);
    }

    #[test]
    fn what_is_far_behind_runs_no_more_than_twice() {
        assert_eq!(compare(&mut Comparisons::default(), &[7.0], [10.0, 31.0]), [3, 2]);
    }

    #[test]
    fn what_a_call_does_not_admit_and_what_failed_does_not_run() {
        let mut comparisons = Comparisons::default();
        let mut next = |may: usize| comparisons.next(&[7.0], || vec![0, 1], |choice| choice == may);
        assert_eq!((next(1), next(2)), (Some(1), None));
        comparisons.note(&[7.0], 1, None);
        let next = |comparisons: &mut Comparisons| comparisons.next(&[8.0], || vec![1, 0], |_| true);
        assert_eq!(next(&mut comparisons), Some(0), "1 failed");
    }

    #[test]
    fn one_choice_alone_is_not_compared() {
        assert_eq!(Comparisons::default().next(&[7.0], || vec![3], |_| true), None);
    }

    #[test]
    fn inputs_that_do_not_come_again_make_room_for_those_that_do() {
        let mut comparisons = Comparisons::default();
        let many: Vec<f64> = (0..5 * MOST_INPUTS).map(|n| n as f64).collect();
        for &input in &many {
            let choice = comparisons.next(&[input], || vec![0, 1], |_| true).expect("there is room");
            comparisons.note(&[input], choice, Some(10.0));
        }
        assert_eq!(comparisons.inputs.len(), MOST_INPUTS);
        assert_eq!(comparisons.compared().len(), 0);
        compare(&mut comparisons, &[-1.0, -2.0], [10.0, 20.0]);
        assert_eq!(comparisons.compared().len(), 2);
    }

    #[test]
    fn no_more_than_so_many_are_compared() {
        let mut comparisons = Comparisons::default();
        let many: Vec<f64> = (0..MOST_INPUTS).map(|n| n as f64).collect();
        assert_eq!(compare(&mut comparisons, &many, [10.0, 20.0]), [3 * MOST_INPUTS; 2]);
        assert_eq!(compare(&mut comparisons, &[-1.0], [10.0, 20.0]), [0; 2]);
    }
}
