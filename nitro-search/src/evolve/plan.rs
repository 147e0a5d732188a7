//! Settings of an evolution, and its trials and reports.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Failure;

/// The rules by which an evolution chooses what to try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// Those of the paper: single draws, unions of three, crossover and mutation.
    Paper,
    /// Every suggestion once alone, and draws until a whole population lives. Then half of the children are made of
    /// what a model of all times believes to pay, with the uncertainty of that.
    #[default]
    Model,
}

/// The settings of an evolution; numbers are the paper's by default.
///
/// ```
/// use nitro_search::evolve::EvolvePlan;
///
/// let quick = EvolvePlan { population: 64, seed: 7, ..EvolvePlan::default() };
/// assert_eq!((quick.elites(), EvolvePlan { population: 1024, ..quick }.elites()), (4, 16));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EvolvePlan {
    /// Individuals a generation.
    pub population: usize,
    /// Generations after the first.
    pub generations: usize,
    /// The probability that two parents exchange edits.
    pub crossover: f64,
    /// The probability that a child gets another edit.
    pub mutation: f64,
    /// Share of a time within which two times are the same.
    pub margin: f64,
    /// The most error that an individual may have; more is a failure.
    pub max_error: f64,
    /// After so many generations the front is shown the inputs of the validation, and at the end.
    pub validate_every: usize,
    /// All chance comes from it.
    pub seed: u64,
    /// What is tried.
    pub rules: Rules,
}

impl Default for EvolvePlan {
    fn default() -> Self {
        Self {
            population: 256,
            generations: 50,
            crossover: 0.8,
            mutation: 0.3,
            margin: 0.01,
            max_error: 0.01,
            validate_every: 5,
            seed: 0,
            rules: Rules::default(),
        }
    }
}

impl EvolvePlan {
    /// Returns how many of the best go on unchanged and are measured again: one in 64, at least 4.
    #[must_use]
    pub fn elites(&self) -> usize {
        (self.population / 64).max(4)
    }

    /// Returns the most edits that are tried alone before anything is bred of them, with [`Rules::Model`].
    #[must_use]
    pub fn most_screened(&self) -> usize {
        self.population.saturating_mul(6)
    }
}

/// Time and error of an individual over all inputs of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitness {
    /// The mean over the inputs, in nanoseconds.
    pub time_ns: f64,
    /// The largest over the inputs, 0 where the results are the original's.
    pub error: f64,
}

/// The purpose of an evaluation, which says with which inputs it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// It is new: with the inputs of the search, unless its machine code is known.
    Search,
    /// One of the best: it is run again, with the inputs of the search.
    Again,
    /// It is on the front: with the inputs of the validation.
    Validation,
}

/// The number of a trial, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TrialId(pub(super) u64);

impl fmt::Display for TrialId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "trial {}", self.0)
    }
}

/// Something to evaluate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial<E> {
    /// Its number.
    pub id: TrialId,
    /// Its purpose.
    pub purpose: Purpose,
    /// The edits, ascending; none for the program as it is.
    pub edits: Vec<E>,
}

/// The result of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// It ran.
    Ran {
        /// Time and error with the inputs of the trial's purpose.
        fitness: Fitness,
        /// A digest of the machine code, if it is known: what has the same need not be run.
        code: Option<u64>,
    },
    /// It was not run, since [`Evolution::measured`](super::Evolution::measured) knows this machine code.
    Same(u64),
    /// It has no time.
    Failed(Failure),
    /// It has no time, for two of its edits, by their places, which may be one: nothing with both is right.
    Blamed([usize; 2]),
}

/// A patch that is on the front and has passed the validation. With the inputs of the test nobody has run it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finalist<E> {
    /// The edits.
    pub edits: Vec<E>,
    /// With the inputs of the search: the median of its times, and the largest error.
    pub search: Fitness,
    /// With those of the validation.
    pub validation: Fitness,
}
