//! Inputs that were left out, in words.

use std::collections::BTreeMap;

use nitro_store::printable::printable;

use crate::measure::FailedInputs;

/// The most inputs that a message names.
pub(super) const NAMED: usize = 5;

/// Returns each reason with the inputs that were left out for it.
pub(crate) fn by_reason(failed: &FailedInputs) -> BTreeMap<&str, Vec<&str>> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (input, why) in failed {
        by_reason.entry(why).or_default().push(input);
    }
    by_reason
}

/// Returns the inputs as a message names them, of many the first.
pub(crate) fn named(inputs: &[&str]) -> String {
    let (first, others) = inputs.split_at(inputs.len().min(NAMED));
    let first: Vec<String> = first.iter().map(|input| format!("`{}`", printable(input))).collect();
    let others = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    let noun = if inputs.len() == 1 { "input" } else { "inputs" };
    format!("{noun} {}{others}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_of_one_reason_are_named_together() {
        let failed: FailedInputs =
            (0..8).map(|n| (format!("i{n}"), if n == 3 { "odd" } else { "even" }.to_owned())).collect();
        let lines: Vec<String> =
            by_reason(&failed).iter().map(|(why, inputs)| format!("{} ({why})", named(inputs))).collect();
        assert_eq!(lines, ["inputs `i0`, `i1`, `i2`, `i4`, `i5` and 2 more (even)", "input `i3` (odd)"]);
    }
}
