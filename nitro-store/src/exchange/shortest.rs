//! Numbers as text.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns the shortest text that reads back as the same number.
pub fn number(value: f64) -> Cow<'static, str> {
    let (mut plain, mut exponent) = (String::new(), String::new());
    // Writing to a string cannot fail.
    let _ = (write!(plain, "{value}"), write!(exponent, "{value:e}"));
    Cow::Owned(if exponent.len() < plain.len() { exponent } else { plain })
}
