//! What running a path gave.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Part;
use crate::{Evaluation, Failure};

/// Metrics by name, each from 0 to 1, where 1 is the device's peak: occupancy, throughput, hit rates. More is better.
pub type Metrics = BTreeMap<String, f64>;

/// What running a path gave.
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
    /// What is known of single parts.
    #[serde(default)]
    pub parts: Vec<PartReport>,
    /// Metrics of all. Where there are none, they are those of the parts, weighted by their times.
    #[serde(default)]
    pub metrics: Metrics,
}

/// What is known of one part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartReport {
    /// Which one.
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
    /// It took so many nanoseconds.
    #[must_use]
    pub fn time_ns(time_ns: f64) -> Self {
        Evaluation::TimeNs(time_ns).into()
    }

    /// It failed.
    #[must_use]
    pub fn failed(failure: Failure) -> Self {
        Evaluation::Failed(failure).into()
    }

    pub(crate) fn of(&self, part: &Part) -> Option<&PartReport> {
        self.parts.iter().find(|report| report.part == *part)
    }

    /// What stands for a node of this part: the part's time where it is known, else that of all.
    pub(crate) fn cost_of(&self, part: Option<&Part>) -> f64 {
        let own = part.and_then(|part| self.of(part)).map(|report| report.time_ns);
        own.filter(|_| self.evaluation.time_ns().is_some()).unwrap_or(self.evaluation.cost())
    }

    /// The metrics that stand for a node of this part.
    pub(crate) fn metrics_of(&self, part: Option<&Part>) -> Metrics {
        match part.and_then(|part| self.of(part)) {
            Some(report) if !report.metrics.is_empty() => report.metrics.clone(),
            _ if !self.metrics.is_empty() => self.metrics.clone(),
            _ => self.weighted(),
        }
    }

    /// Each metric of the parts that have it, weighted by their times.
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

    /// The first number that is none, and its name.
    pub(crate) fn fault(&self) -> Option<(String, f64)> {
        let time = |report: &PartReport| {
            let wrong = !report.time_ns.is_finite() || report.time_ns < 0.0;
            wrong.then(|| (format!("time of {}", report.part), report.time_ns))
        };
        let metrics = self.parts.iter().flat_map(|report| &report.metrics).chain(&self.metrics);
        let mut infinite = metrics.filter(|(_, value)| !value.is_finite());
        let metric = |(name, value): (&String, &f64)| (format!("metric {name}"), *value);
        self.parts.iter().find_map(time).or_else(|| infinite.next().map(metric))
    }
}
