//! The results of running paths.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::key::Part;
use crate::{Evaluation, Failure};

/// Metrics by name, each from 0 to 1, where 1 is the device's peak: occupancy, throughput, hit rates. More is better.
pub type Metrics = BTreeMap<String, f64>;

/// The result of running a path.
///
/// ```
/// use nitro_search::{PartReport, Report};
///
/// let mut report = Report::time_ns(1200.0);
/// let occupancy = [("occupancy".to_owned(), 0.75)].into();
/// report.parts.push(PartReport { part: "kernel 0".into(), time_ns: 900.0, metrics: occupancy });
/// assert_eq!(report.evaluation.time_ns(), Some(1200.0));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The time of all, or why there is none.
    pub evaluation: Evaluation,
    /// The results of single parts.
    #[serde(default)]
    pub parts: Vec<PartReport>,
    /// Metrics of all. Where there are none, they are those of the parts, weighted by their times.
    #[serde(default)]
    pub metrics: Metrics,
}

/// The result of one part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartReport {
    /// Its name.
    pub part: Part,
    /// Its time in nanoseconds.
    pub time_ns: f64,
    /// Its metrics.
    #[serde(default)]
    pub metrics: Metrics,
}

impl From<Evaluation> for Report {
    fn from(evaluation: Evaluation) -> Self {
        Self { evaluation, parts: Vec::new(), metrics: Metrics::new() }
    }
}

impl Report {
    /// Creates the report of something that took so many nanoseconds.
    #[must_use]
    pub fn time_ns(time_ns: f64) -> Self {
        Evaluation::TimeNs(time_ns).into()
    }

    /// Creates the report of something that failed.
    #[must_use]
    pub fn failed(failure: Failure) -> Self {
        Evaluation::Failed(failure).into()
    }

    pub(crate) fn of(&self, part: &Part) -> Option<&PartReport> {
        self.parts.iter().find(|report| report.part == *part)
    }

    /// Returns the cost for a node of this part: the part's time where it is known, else that of all.
    pub(crate) fn cost_of(&self, part: Option<&Part>) -> f64 {
        let own = part.and_then(|part| self.of(part)).map(|report| report.time_ns);
        own.filter(|_| self.evaluation.time_ns().is_some()).unwrap_or(self.evaluation.cost())
    }

    /// Returns the metrics for a node of this part.
    pub(crate) fn metrics_of(&self, part: Option<&Part>) -> Metrics {
        match part.and_then(|part| self.of(part)) {
            Some(report) if !report.metrics.is_empty() => report.metrics.clone(),
            _ if !self.metrics.is_empty() => self.metrics.clone(),
            _ => self.weighted(),
        }
    }

    /// Averages each metric over the parts that have it, weighted by their times.
    fn weighted(&self) -> Metrics {
        let mut sums: BTreeMap<&String, (f64, f64)> = BTreeMap::new();
        for report in &self.parts {
            for (name, value) in &report.metrics {
                let sum = sums.entry(name).or_default();
                *sum = (sum.0 + report.time_ns * value, sum.1 + report.time_ns);
            }
        }
        let positive = sums.into_iter().filter(|(_, (_, weight))| *weight > 0.0);
        positive.map(|(name, (sum, weight))| (name.clone(), sum / weight)).collect()
    }
}
