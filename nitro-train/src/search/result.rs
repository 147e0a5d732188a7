//! The result of a search on one input, and what it proved.

use std::collections::BTreeMap;
use std::fmt;

use nitro_core::DeviceEntry;
use nitro_search::{ClassCounts, Floor};
use serde::Serialize;

use super::{Certificate, SearchStrategy};

/// The result of the search of one variant on one device and input.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SearchResult {
    /// The function.
    pub function: String,
    /// The variant.
    pub variant: String,
    /// The device.
    pub device: String,
    /// The input.
    pub input: String,
    /// The strategy that proposed.
    pub strategy: String,
    /// The devices that the strategy was told of.
    pub sources: Vec<String>,
    /// Number of configurations that are admissible for the input; 0 of generated code, which nobody can list.
    pub configurations: usize,
    /// Number of evaluations, failed ones counted.
    pub evaluations: usize,
    /// Number of those that failed.
    pub failed: usize,
    /// The reason for which most of those failed, as far as that is known.
    pub reason: Option<String>,
    /// Number of paths of generated code that were not evaluated.
    ///
    /// By a [lower bound](crate::generate::Generator::path_bound) they are no faster than the best was then.
    pub skipped: usize,
    /// The fastest configuration; none while all failed.
    pub best: Option<String>,
    /// Its time in nanoseconds.
    pub best_ns: Option<f64>,
    /// The floor of the input: a time that nothing takes less than, with its reason; none where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<Floor>,
    /// The state of the proof of branch and bound, with fields beside the others; none of other strategies.
    #[serde(flatten)]
    pub proof: Option<Proof>,
    /// The certificate of the proof; none where nothing is proved.
    #[serde(skip)]
    pub certificate: Option<Box<Certificate>>,
    /// Configurations with their times.
    #[serde(skip)]
    pub times_ns: Vec<(String, f64)>,
}

impl SearchResult {
    /// Creates the result of a search that has not begun.
    pub(super) fn of(
        function: &str,
        variant: &str,
        device: &DeviceEntry,
        input: &str,
        strategy: SearchStrategy,
    ) -> Self {
        Self {
            function: function.to_owned(),
            variant: variant.to_owned(),
            device: device.id().to_owned(),
            input: input.to_owned(),
            strategy: strategy.to_string(),
            ..Self::default()
        }
    }

    /// Sorts the times by configuration, so that the order in which they were told makes no difference.
    pub(super) fn sorted(mut self) -> Self {
        self.times_ns.sort_by(|(a, _), (b, _)| a.cmp(b));
        self
    }

    /// Ends with the fastest of the times, of equals the first, after so many evaluations.
    pub(super) fn ended(self, evaluations: usize, reasons: Reasons) -> Self {
        let best = self.times_ns.iter().min_by(|(_, a), (_, b)| a.total_cmp(b)).cloned();
        let (best, best_ns) = best.unzip();
        let failed = evaluations - self.times_ns.len();
        Self { evaluations, failed, reason: reasons.most_frequent(), best, best_ns, ..self }
    }
}

/// The state of a proof that nothing is faster than the best.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Proof {
    /// A lower bound of the times in the space, in nanoseconds; none where nothing is proved.
    pub proved_ns: Option<f64>,
    /// The share of the best time by which something may still be faster: 0 where the best is the fastest.
    pub gap: Option<f64>,
    /// True if the search came to its end: everything was evaluated, or cannot be faster.
    pub is_complete: bool,
    /// The classes of points up to which it holds; none where each point stands for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<ClassCounts>,
    /// The reasons of a bound that something took less than: then nothing is proved.
    pub refuted: Option<String>,
}

impl fmt::Display for Proof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(proved_ns), Some(gap)) = (self.proved_ns, self.gap) else {
            let why = self.refuted.as_deref().unwrap_or("nothing ran, or nothing has a bound");
            return write!(formatter, "nothing is proved: {why}");
        };
        let (proved_ms, percent) = (proved_ns / 1e6, 100.0 * gap);
        match self.is_complete {
            true if gap == 0.0 => write!(formatter, "proved: the best is the fastest of its space"),
            true => write!(
                formatter,
                "proved: nothing takes less than {proved_ms:.4} ms, {percent:.1} % less than the best"
            ),
            false => write!(
                formatter,
                "not proved yet: something may take {proved_ms:.4} ms, {percent:.1} % less than the best; more \
                 --evaluations go on from here"
            ),
        }?;
        self.classes.iter().try_for_each(|classes| write!(formatter, ", {classes}"))
    }
}

/// The reasons for which candidates failed, each with the number of times that it was given.
#[derive(Default)]
pub(super) struct Reasons(BTreeMap<String, usize>);

impl Reasons {
    /// Notes a reason; it is empty where nobody gave one, or nothing failed.
    pub(super) fn note(&mut self, reason: &str) {
        if !reason.is_empty() {
            *self.0.entry(reason.to_owned()).or_default() += 1;
        }
    }

    /// Returns the most frequent reason; of equals the first in the alphabet, in whatever order they were told.
    pub(super) fn most_frequent(self) -> Option<String> {
        self.0.into_iter().rev().max_by_key(|(_, count)| *count).map(|(reason, _)| reason)
    }
}
