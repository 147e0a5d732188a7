//! What an entry of either kind becomes.

use super::Row;
use super::field::{Field, Fields};
use crate::evaluate::quantile;
use crate::printable::{excerpt, printable};
use crate::recordings::Outcome;

/// The values of the parameters, in this order.
pub(super) fn values(parameters: &[String], fields: &Fields) -> Result<Vec<String>, String> {
    let value = |name: &String| {
        let field = fields.get(name).ok_or_else(|| format!("lacks parameter `{}`; add it", excerpt(name)))?;
        field.text().ok_or_else(|| {
            format!("has a value of `{}` that is neither a number, a text nor true or false", excerpt(name))
        })
    };
    parameters.iter().map(value).collect()
}

/// A time as a file has it.
pub(super) struct Timed<'a> {
    pub(super) time: f64,
    pub(super) repeats: Option<&'a Field>,
    /// Nanoseconds in the unit of both.
    pub(super) ns_per: f64,
}

impl Timed<'_> {
    pub(super) fn row(self, values: Vec<String>) -> Result<Row, String> {
        let time_ns = self.time * self.ns_per;
        if !(time_ns.is_finite() && time_ns > 0.0) {
            return Err(format!("has time {}; a time has to be a number above 0", self.time));
        }
        let mut repeats = match self.repeats {
            Some(Field::Numbers(repeats)) => repeats.clone(),
            _ => Vec::new(),
        };
        repeats.sort_by(f64::total_cmp);
        let spread_ns = match repeats.len() {
            0 | 1 => 0.0,
            _ => (quantile(&repeats, 0.75) - quantile(&repeats, 0.25)) * self.ns_per,
        };
        let spread_ns = if spread_ns.is_finite() { spread_ns } else { 0.0 };
        let repeats = u32::try_from(repeats.len()).unwrap_or(u32::MAX);
        Ok(Row { values, outcome: Outcome::Time(time_ns), spread_ns, repeats, reason: String::new() })
    }
}

/// A configuration without a time. What Kernel Tuner calls invalid is part of its space, and cannot run on this device: nothing is said of others.
pub(super) fn failed(values: Vec<String>, reason: &str) -> Row {
    let outcome = match reason {
        "correctness" => Outcome::Wrong,
        _ => Outcome::Failed,
    };
    const MAX_CHARS: usize = 300;
    let reason = printable(reason).chars().take(MAX_CHARS).collect();
    Row { values, outcome, spread_ns: 0.0, repeats: 0, reason }
}
