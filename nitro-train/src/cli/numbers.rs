//! Numbers as tables show them.

/// With as many digits as it deserves.
pub(super) fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value}") } else { format!("{value:.3}") }
}
