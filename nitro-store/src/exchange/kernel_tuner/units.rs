//! Units of time as files of tuners have them.

use crate::printable::excerpt;

/// Nanoseconds in one of the unit; none where no unit is said.
pub(super) fn ns_per(unit: &str) -> Result<Option<f64>, String> {
    Ok(Some(match unit.trim().to_lowercase().as_str() {
        "" => return Ok(None),
        "s" | "sec" | "second" | "seconds" => 1e9,
        "ms" | "millisecond" | "milliseconds" | "milisecond" | "miliseconds" => 1e6,
        "us" | "µs" | "μs" | "microsecond" | "microseconds" => 1e3,
        "ns" | "nanosecond" | "nanoseconds" => 1.0,
        _ => return Err(format!("`{}` is no unit of time; write s, ms, us or ns", excerpt(unit))),
    }))
}
