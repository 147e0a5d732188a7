//! Records of every individual there was.

use std::collections::{BTreeMap, HashMap};

use super::{Fitness, Report};

/// Individuals by their edits, and what was measured of their machine code.
pub(super) struct Records<E> {
    known: Vec<Individual<E>>,
    by_edits: BTreeMap<Vec<E>, usize>,
    measured: Vec<CodeMeasurement>,
    by_code: HashMap<u64, usize>,
    /// Edits, or pairs of them, with which nothing is right.
    refused: Vec<[E; 2]>,
}

struct Individual<E> {
    edits: Vec<E>,
    is_refused: bool,
    /// Position among what was measured; none as long as it was not, or when it failed.
    measured: Option<usize>,
}

/// Measurements of a machine code.
#[derive(Default)]
pub(super) struct CodeMeasurement {
    /// Ascending.
    times_ns: Vec<f64>,
    error: f64,
    /// It failed once, which is once too often.
    is_out: bool,
    pub(super) validation: Option<Fitness>,
}

impl CodeMeasurement {
    fn add(&mut self, fitness: Fitness) {
        let at = self.times_ns.partition_point(|time| *time < fitness.time_ns);
        self.times_ns.insert(at, fitness.time_ns);
        self.error = self.error.max(fitness.error);
    }

    pub(super) fn runs(&self) -> usize {
        self.times_ns.len()
    }

    /// Adds to a sum of squares what the logarithms of its times differ from their mean, and to its degrees of
    /// freedom.
    fn add_squares(&self, (sum, degrees): (f64, usize)) -> (f64, usize) {
        let count = self.times_ns.len() as f64;
        let mean = self.times_ns.iter().map(|time| time.ln()).sum::<f64>() / count;
        let squares: f64 = self.times_ns.iter().map(|time| (time.ln() - mean).powi(2)).sum();
        (sum + squares, degrees + self.times_ns.len() - 1)
    }

    fn fitness(&self) -> Fitness {
        let times = &self.times_ns;
        let time_ns = (times[(times.len() - 1) / 2] + times[times.len() / 2]) / 2.0;
        Fitness { time_ns, error: self.error }
    }
}

impl<E: Clone + Ord> Records<E> {
    pub(super) fn new() -> Self {
        Self {
            known: Vec::new(),
            by_edits: BTreeMap::new(),
            measured: Vec::new(),
            by_code: HashMap::new(),
            refused: Vec::new(),
        }
    }

    /// Returns the number of an individual, and if it is new. The edits are ascending.
    pub(super) fn number(&mut self, edits: Vec<E>) -> (usize, bool) {
        if let Some(&number) = self.by_edits.get(&edits) {
            return (number, false);
        }
        self.by_edits.insert(edits.clone(), self.known.len());
        let is_refused = self.is_refused(&edits);
        self.known.push(Individual { edits, is_refused, measured: None });
        (self.known.len() - 1, true)
    }

    /// Refuses all individuals with both of these edits, which may be one, for good.
    pub(super) fn refuse(&mut self, pair: [E; 2]) {
        for individual in &mut self.known {
            individual.is_refused |= has_both(&individual.edits, &pair);
        }
        self.refused.push(pair);
    }

    /// Tells whether nothing with these edits, which are ascending, is right.
    fn is_refused(&self, edits: &[E]) -> bool {
        self.refused.iter().any(|pair| has_both(edits, pair))
    }

    /// Returns true if there was no individual of these edits, which are ascending, and it may be right.
    pub(super) fn is_open(&self, edits: &[E]) -> bool {
        !self.contains(edits) && !self.is_refused(edits)
    }

    /// Returns true if there was an individual of these edits, which are ascending.
    pub(super) fn contains(&self, edits: &[E]) -> bool {
        self.by_edits.contains_key(edits)
    }

    pub(super) fn edits(&self, number: usize) -> &[E] {
        &self.known[number].edits
    }

    /// Returns time and error of a machine code, if it was measured.
    pub(super) fn of_code(&self, code: u64) -> Option<Fitness> {
        let measured = &self.measured[*self.by_code.get(&code)?];
        Some(measured.fitness())
    }

    /// Returns time and error of an individual that may live.
    pub(super) fn fitness(&self, number: usize) -> Option<Fitness> {
        let measured = self.measured(number).filter(|_| !self.known[number].is_refused);
        measured.filter(|measured| !measured.is_out).map(CodeMeasurement::fitness)
    }

    pub(super) fn measured(&self, number: usize) -> Option<&CodeMeasurement> {
        self.known[number].measured.map(|at| &self.measured[at])
    }

    /// Returns the number of machine codes that may live.
    pub(super) fn living_codes(&self) -> usize {
        self.measured.iter().filter(|measured| !measured.is_out).count()
    }

    /// Returns a number of an individual's machine code; none where it was not measured.
    pub(super) fn code(&self, number: usize) -> Option<usize> {
        self.known[number].measured
    }

    /// Returns the variance of logarithms of times from run to run; none before something ran twice.
    pub(super) fn noise_variance(&self) -> Option<f64> {
        let (sum, degrees) = self.measured.iter().fold((0.0, 0), |sums, measured| measured.add_squares(sums));
        (degrees > 0).then(|| sum / degrees as f64)
    }

    pub(super) fn numbers(&self) -> std::ops::Range<usize> {
        0..self.known.len()
    }

    /// Takes what a first run gave, or that the machine code is known.
    pub(super) fn search(&mut self, number: usize, report: Report, max_error: f64) {
        let (code, fitness) = match report {
            Report::Ran { fitness, code } => (code, Some(fitness)),
            Report::Same(code) => (Some(code), None),
            Report::Failed(_) | Report::Blamed(_) => return,
        };
        let known = code.and_then(|code| self.by_code.get(&code).copied());
        let at = known.unwrap_or(self.measured.len());
        match fitness {
            Some(fitness) => {
                if known.is_none() {
                    self.measured.push(CodeMeasurement::default());
                }
                self.measured[at].add(fitness);
                self.measured[at].is_out |= fitness.error > max_error;
            }
            None if known.is_none() => return,
            None => {}
        }
        if let Some(code) = code {
            self.by_code.insert(code, at);
        }
        self.known[number].measured = Some(at);
    }

    /// Takes another run, of what ran before.
    pub(super) fn again(&mut self, number: usize, report: Report, max_error: f64) {
        let Some(measured) = self.known[number].measured.map(|at| &mut self.measured[at]) else { return };
        match report {
            Report::Ran { fitness, .. } => measured.add(fitness),
            Report::Same(_) => {}
            Report::Failed(_) => measured.is_out = true,
            // Other edits of the same machine code may be right.
            Report::Blamed(_) => {}
        }
        measured.is_out |= measured.error > max_error;
    }

    /// Takes what the inputs of the validation gave.
    pub(super) fn validation(&mut self, number: usize, report: Report, max_error: f64) {
        let Some(measured) = self.known[number].measured.map(|at| &mut self.measured[at]) else { return };
        match report {
            Report::Ran { fitness, .. } => {
                measured.validation = Some(fitness);
                measured.error = measured.error.max(fitness.error);
                measured.is_out |= fitness.error > max_error;
            }
            Report::Same(_) => {}
            Report::Failed(_) => measured.is_out = true,
            // Other edits of the same machine code may be right.
            Report::Blamed(_) => {}
        }
    }
}

/// Tells whether two edits are among these, which are ascending.
fn has_both<E: Ord>(edits: &[E], pair: &[E; 2]) -> bool {
    pair.iter().all(|edit| edits.binary_search(edit).is_ok())
}
