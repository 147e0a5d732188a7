//! The row that an entry of either kind becomes.

use nitro_stats::statistics::interquartile_range;

use super::field::Fields;
use super::tuning::Row;
use crate::printable::{excerpt, printable};
use crate::recordings::Outcome;

/// The values of the parameters, in this order.
pub(super) fn values(parameters: &[String], fields: &Fields) -> Result<Vec<String>, String> {
    let mut values = Vec::with_capacity(parameters.len());
    for name in parameters {
        let field = fields.get(name).ok_or_else(|| format!("lacks parameter `{}`; add it", excerpt(name)))?;
        values.push(field.text().ok_or_else(|| {
            format!(
                "has a value of `{}` that is neither a number, a text, true, false nor null",
                excerpt(name)
            )
        })?);
    }
    Ok(values)
}

/// A time as a file has it.
pub(super) struct Timing {
    /// In the unit of the file, which messages quote.
    pub(super) time: f64,
    pub(super) unit_ns: f64,
    pub(super) repeats_ns: Vec<f64>,
}

impl Timing {
    pub(super) fn row(self, values: Vec<String>) -> Result<Row, String> {
        let Self { time, unit_ns, mut repeats_ns } = self;
        let time_ns = time * unit_ns;
        if !(time_ns.is_finite() && time_ns > 0.0) {
            return Err(format!("has time {time}; a time has to be a number above 0"));
        }
        repeats_ns.sort_by(f64::total_cmp);
        let spread_ns = match repeats_ns.len() {
            0 | 1 => 0.0,
            _ => interquartile_range(&repeats_ns),
        };
        let spread_ns = if spread_ns.is_finite() { spread_ns } else { 0.0 };
        let repeats = u32::try_from(repeats_ns.len()).unwrap_or(u32::MAX);
        let outcome = Outcome::Time(time_ns);
        Ok(Row { line: 0, values, outcome, spread_ns, repeats, reason: String::new() })
    }
}

/// A configuration without a time. What Kernel Tuner calls invalid is part of its space, and cannot run on this
/// device: nothing is said of others.
pub(super) fn failed(values: Vec<String>, reason: &str) -> Row {
    let outcome = match reason {
        "correctness" => Outcome::Wrong,
        _ => Outcome::Failed,
    };
    const MAX_CHARS: usize = 300;
    let reason = printable(reason).chars().take(MAX_CHARS).collect();
    Row { line: 0, values, outcome, spread_ns: 0.0, repeats: 0, reason }
}
