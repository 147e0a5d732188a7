//! Solutions, and their number: exact where they are few, else by sampling.

use nitro_stats::random::Random;

use super::ids::ChoiceId;
use super::state::Candidate;
use super::values::Values;

/// An estimate of the number of solutions, by sampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of the samples, whose expectation is the number.
    pub mean: f64,
    /// The standard error of that mean.
    pub standard_error: f64,
    /// The number of walks.
    pub walks: usize,
    /// The number of them that ended where nothing is left.
    pub dead_ends: usize,
    /// The number of states that a decision and its propagation made.
    pub nodes: u64,
}

impl Estimate {
    /// The interval that would hold the number in 95 of 100 cases if the mean were normally distributed: it is
    /// skewed where few walks see most of the space, so make many. Not below 0.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        let around = 1.96 * self.standard_error;
        ((self.mean - around).max(0.0), self.mean + around)
    }
}

impl Candidate {
    /// Every child of this state by one choice: what is left if it has this value, `None` where that is nothing.
    pub(crate) fn children(&self, choice: ChoiceId) -> impl Iterator<Item = (usize, Option<Self>)> + '_ {
        self.values(choice).iter().map(move |value| (value, self.part(choice, Values::of([value]))))
    }

    /// Returns the candidate with some values of a choice alone; none where nothing is left of it.
    pub(crate) fn part(&self, choice: ChoiceId, part: Values) -> Option<Self> {
        let mut own = self.clone();
        own.restrict(choice, part).ok().map(|()| own)
    }

    /// Everything inside that is decided, one after the other, in the order of choices and values from the last to
    /// the first.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use nitro_decide::{Candidate, Problem, Rule};
    ///
    /// let mut problem = Problem::default();
    /// let (one, other) = (problem.numbers("one", [1, 2])?, problem.numbers("other", [1, 2])?);
    /// problem.rule("alike", Rule::Equal(one, other))?;
    /// let all = Candidate::new(Arc::new(problem))?;
    /// let points: Vec<_> = all.points().filter_map(|point| point.solution()).collect();
    /// assert_eq!(points, [[1, 1], [0, 0]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn points(&self) -> impl Iterator<Item = Self> + use<> {
        let mut open = if self.is_dead() { vec![] } else { vec![self.clone()] };
        std::iter::from_fn(move || {
            while let Some(next) = open.pop() {
                let Some(choice) = next.first_open() else { return Some(next) };
                open.extend(next.children(choice).filter_map(|(_, child)| child));
            }
            None
        })
    }

    /// A decided state inside, by chance: each choice in turn gets one of the values that are open then, the one
    /// that `below` names of so many. None where that comes to a dead end, or the state is one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use nitro_decide::{Candidate, Problem};
    ///
    /// let mut problem = Problem::default();
    /// problem.numbers("one", [1, 2])?;
    /// problem.numbers("other", [1, 2, 4])?;
    /// let all = Candidate::new(Arc::new(problem))?;
    /// let last = all.draw(|count| count - 1); // here a number would be drawn
    /// assert_eq!(last.unwrap().solution(), Some(vec![1, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draw(&self, mut below: impl FnMut(usize) -> usize) -> Option<Self> {
        let mut drawn = self.clone();
        while let Some(choice) = drawn.first_open() {
            let open = drawn.values(choice);
            let value = open.iter().nth(below(open.len()));
            drawn.restrict(choice, Values::of(value)).ok()?;
        }
        (!drawn.is_dead()).then_some(drawn)
    }

    /// The exact number of solutions inside, by walking through all; `None` if there are more than `most`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use nitro_decide::{Factor, Candidate, Problem, Rule};
    ///
    /// let mut problem = Problem::default();
    /// let (a, b) = (problem.numbers("a", [1, 2, 4])?, problem.numbers("b", [1, 2, 4])?);
    /// let of = vec![Factor::choice(a), Factor::choice(b)];
    /// problem.rule("tiles", Rule::Product { of, at_least: 4, at_most: 4 })?;
    /// let all = Candidate::new(Arc::new(problem))?;
    /// assert_eq!(all.count(100), Some(3)); // 1 * 4, 2 * 2, 4 * 1
    /// assert_eq!(all.count(2), None);
    /// let estimate = all.estimate(50, 7);
    /// assert!(estimate.interval().0 <= 3.0 && estimate.interval().1 >= 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn count(&self, most: u64) -> Option<u64> {
        let found = (0..=most).zip(self.points()).count() as u64;
        (found <= most).then_some(found)
    }

    /// Knuth's estimate of the number of solutions: each walk chooses at random among the children that are left,
    /// and the product of their numbers has the number of solutions as its expectation (Knuth 1975, "Estimating the
    /// efficiency of backtrack programs").
    ///
    /// # Panics
    /// If no walk is to be made.
    #[must_use]
    pub fn estimate(&self, walks: usize, seed: u64) -> Estimate {
        self.estimate_where(walks, seed, |_| true)
    }

    /// As [`estimate`](Self::estimate), of the solutions all whose states on the way, and themselves, are kept:
    /// with a bound that keeps what may be faster than the best, of the points that a search by it has to evaluate.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use nitro_decide::{Candidate, Problem, Values};
    ///
    /// let mut problem = Problem::default();
    /// let one = problem.numbers("one", [1, 2, 4])?;
    /// problem.numbers("other", [1, 2])?;
    /// let all = Candidate::new(Arc::new(problem))?;
    /// let few = all.estimate_where(10, 7, |state| state.values(one) != Values::of([2])); // without 4
    /// assert_eq!((few.mean, few.standard_error), (4.0, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If no walk is to be made.
    #[must_use]
    pub fn estimate_where(&self, walks: usize, seed: u64, is_kept: impl Fn(&Self) -> bool) -> Estimate {
        assert!(walks > 0, "an estimate needs a walk");
        let mut random = Random::new(seed);
        let mut nodes = 0;
        let samples: Vec<f64> = (0..walks).map(|_| self.walk(&mut random, &mut nodes, &is_kept)).collect();
        let mean = samples.iter().sum::<f64>() / walks as f64;
        let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
        let standard_error = (squares / (walks.max(2) - 1) as f64 / walks as f64).sqrt();
        let dead_ends = samples.iter().filter(|&&sample| sample == 0.0).count();
        Estimate { mean, standard_error, walks, dead_ends, nodes }
    }

    fn walk(&self, random: &mut Random, nodes: &mut u64, is_kept: &impl Fn(&Self) -> bool) -> f64 {
        let is_left = !self.is_dead() && is_kept(self);
        let (mut at, mut weight) = (self.clone(), if is_left { 1.0 } else { 0.0 });
        while let Some(choice) = at.first_open().filter(|_| weight > 0.0) {
            *nodes += at.values(choice).len() as u64;
            let mut children: Vec<Self> =
                at.children(choice).filter_map(|(_, child)| child.filter(is_kept)).collect();
            if children.is_empty() {
                return 0.0;
            }
            weight *= children.len() as f64;
            at = children.swap_remove(random.below(children.len()));
        }
        weight
    }
}
