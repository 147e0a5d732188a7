//! The result of a sample: which recorded variants take another time, or have none any more.

use std::collections::BTreeMap;
use std::fmt;

use nitro_stats::statistics::median_low;
use serde::Serialize;

use crate::measure::FailedInputs;

/// Times that differ by less, as a factor, are taken for the same: processes differ by layout, clock and temperature.
const LEAST_FACTOR: f64 = 1.25;
/// Times differ by so many of their spreads together, or they are taken for the same.
const LEAST_SPREADS: f64 = 3.0;
/// The least difference of two times that counts: a clock is read in some tens of nanoseconds.
const LEAST_NS: f64 = 50.0;
/// Variants of which this share shifts by a like factor have not changed each by itself.
const NEARLY_ALL: f64 = 0.8;

/// The recordings of one device, compared with a sample that was measured again.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DeviceSample {
    /// The device as the request names it.
    pub device: String,
    /// Number of recorded times that were measured again.
    pub measurements: usize,
    /// The change that nearly all variants share, if there is one.
    pub shift: Option<Shift>,
    /// The variants that have changed each by itself.
    pub changed: Vec<ChangedVariant>,
    /// The recorded inputs, by function, that cannot be measured any more or are other inputs now, with the reason.
    pub failed_inputs: BTreeMap<String, FailedInputs>,
}

/// A like change of nearly all variants on a device: not their bodies have changed, but what runs them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Shift {
    /// The time now as a share of what was recorded, the median over the variants.
    pub ratio: f64,
    /// Number of variants that have changed so.
    pub variants: usize,
    /// Number of variants that were measured again.
    pub of: usize,
}

/// A variant of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct VariantName {
    /// The function.
    pub function: String,
    /// The variant.
    pub variant: String,
}

/// A variant that does not do any more what is recorded of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedVariant {
    /// The variant.
    #[serde(flatten)]
    pub name: VariantName,
    /// The time now over the recorded one, median over the inputs; none where it has no time any more.
    pub ratio: Option<f64>,
    /// The inputs on which it differs.
    pub inputs: Vec<String>,
    /// Number of inputs on which it was measured again.
    pub measured_inputs: usize,
    /// The reason on the first of the inputs, where it has no time any more.
    pub reason: Option<String>,
}

/// A time that was measured again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) recorded_ns: f64,
    pub(super) now_ns: f64,
    /// The spreads of both together.
    pub(super) spread_ns: f64,
}

impl Change {
    fn ratio(&self) -> f64 {
        self.now_ns / self.recorded_ns
    }

    /// Returns whether the times differ beyond what measuring again in another process brings.
    fn is_beyond_noise(&self) -> bool {
        let difference_ns = (self.now_ns - self.recorded_ns).abs();
        !is_like(self.now_ns, self.recorded_ns)
            && difference_ns > LEAST_SPREADS * self.spread_ns
            && difference_ns > LEAST_NS
    }
}

/// Returns whether two factors or times are taken for the same.
fn is_like(a: f64, b: f64) -> bool {
    a.max(b) <= LEAST_FACTOR * a.min(b)
}

/// The new result of a variant on an input with a recorded time.
pub(super) struct Remeasured {
    pub(super) name: VariantName,
    pub(super) input: String,
    /// The time, or why there is none.
    pub(super) now: Result<Change, String>,
}

impl DeviceSample {
    /// Tells what has changed, of everything that was measured again on a device.
    pub(super) fn new(
        device: &str,
        remeasured: &[Remeasured],
        failed_inputs: BTreeMap<String, FailedInputs>,
    ) -> Self {
        let mut by_variant: BTreeMap<&VariantName, Vec<&Remeasured>> = BTreeMap::new();
        remeasured.iter().for_each(|one| by_variant.entry(&one.name).or_default().push(one));
        let mut changed: Vec<ChangedVariant> = by_variant.values().filter_map(|own| change_of(own)).collect();
        let timed = by_variant.values().filter(|own| own.iter().any(|one| one.now.is_ok())).count();
        let shift = shift_of(&changed, timed);
        if let Some(shift) = shift {
            changed.retain(|one| !one.ratio.is_some_and(|ratio| is_like(ratio, shift.ratio)));
        }
        Self { device: device.to_owned(), measurements: remeasured.len(), shift, changed, failed_inputs }
    }
}

/// Returns the change of one variant. A failure counts on one input; times have to differ on most inputs, and the same
/// way: one that does by itself was disturbed.
fn change_of(own: &[&Remeasured]) -> Option<ChangedVariant> {
    let name = own.first()?.name.clone();
    let named = |differing: Vec<&str>, ratio, reason| {
        let inputs: Vec<String> = differing.into_iter().map(str::to_owned).collect();
        Some(ChangedVariant { name, ratio, inputs, measured_inputs: own.len(), reason })
    };
    // One failure is enough: the variant had a time there.
    let ended = own.iter().filter_map(|one| Some((&*one.input, one.now.as_ref().err()?)));
    let (ended, reasons): (Vec<&str>, Vec<&String>) = ended.unzip();
    if let Some(reason) = reasons.first() {
        return named(ended, None, Some((*reason).clone()));
    }
    // A change of code shows on most inputs, and in one direction; noise does not.
    let changes = own.iter().filter_map(|one| Some((&*one.input, one.now.as_ref().ok()?)));
    let beyond: Vec<(&str, f64)> = changes
        .filter(|(_, change)| change.is_beyond_noise())
        .map(|(input, one)| (input, one.ratio()))
        .collect();
    let (slower, faster): (Vec<_>, Vec<_>) = beyond.into_iter().partition(|(_, ratio)| *ratio > 1.0);
    let most = if slower.len() > faster.len() { slower } else { faster };
    if most.is_empty() || 3 * most.len() < 2 * own.len() {
        return None;
    }
    let (inputs, mut ratios): (Vec<&str>, Vec<f64>) = most.into_iter().unzip();
    named(inputs, median_low(&mut ratios), None)
}

/// Returns the like change of nearly all variants with times, of which there are several.
fn shift_of(changed: &[ChangedVariant], timed: usize) -> Option<Shift> {
    let mut ratios: Vec<f64> = changed.iter().filter_map(|one| one.ratio).collect();
    if ratios.len() < 2 {
        return None;
    }
    // The machine has changed if nearly all variants changed by about the same factor.
    let middle = median_low(&mut ratios)?;
    ratios.retain(|&ratio| is_like(ratio, middle));
    let variants = ratios.len();
    let is_nearly_all = variants >= 2 && variants as f64 >= NEARLY_ALL * timed as f64;
    let ratio = median_low(&mut ratios)?;
    is_nearly_all.then_some(Shift { ratio, variants, of: timed })
}

impl fmt::Display for Shift {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = if self.variants == self.of { "all" } else { "nearly all" };
        write!(formatter, "{whole} variants take {} of what was recorded", factor(self.ratio))
    }
}

impl fmt::Display for ChangedVariant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, ratio, inputs, measured_inputs, reason } = self;
        let (variant, count) = (&name.variant, inputs.len());
        match ratio {
            Some(ratio) => {
                let ratio = factor(*ratio);
                write!(
                    formatter,
                    "`{variant}` takes {ratio} of what was recorded, on {count} of {measured_inputs} inputs"
                )
            }
            None => {
                let (example, reason) = (&inputs[0], reason.as_deref().unwrap_or("failed"));
                write!(
                    formatter,
                    "`{variant}` has no time any more on {count} of {measured_inputs} inputs where one is recorded; on \
                     `{example}` it {reason}"
                )
            }
        }
    }
}

/// Returns a factor of two digits.
fn factor(ratio: f64) -> String {
    let decimals = (1.0 - ratio.log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{ratio:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of variants, each recorded and now, on inputs in turn.
    fn sample(variants: &[(&str, &[(f64, f64)])], spread_ns: f64) -> DeviceSample {
        let mut all = Vec::new();
        for (variant, times) in variants {
            for (nth, &(recorded_ns, now_ns)) in times.iter().enumerate() {
                let name = VariantName { function: "f".into(), variant: (*variant).into() };
                let now = Ok(Change { recorded_ns, now_ns, spread_ns });
                all.push(Remeasured { name, input: nth.to_string(), now });
            }
        }
        DeviceSample::new("d", &all, BTreeMap::new())
    }

    fn lines(sample: &DeviceSample) -> Vec<String> {
        let shift = sample.shift.iter().map(ToString::to_string);
        shift.chain(sample.changed.iter().map(ToString::to_string)).collect()
    }

    #[test]
    fn one_variant_that_differs_on_most_inputs_is_named() {
        let same = &[(1e6, 1.1e6), (2e6, 1.9e6), (3e6, 3e6)];
        let faster = &[(1e6, 0.4e6), (2e6, 0.8e6), (3e6, 1.3e6)];
        let named = sample(&[("array", same), ("bitmap", faster), ("hash", same)], 1e3);
        assert_eq!(lines(&named), ["`bitmap` takes 0.4 of what was recorded, on 3 of 3 inputs"]);
        let once = &[(1e6, 4e6), (2e6, 2e6), (3e6, 3e6)];
        let either_way = &[(1e6, 4e6), (2e6, 1e6), (3e6, 3e6)];
        assert_eq!(lines(&sample(&[("once", once), ("either", either_way), ("same", same)], 1e3)), [""; 0]);
        let only = sample(&[("only", &[(1e6, 7e6)]), ("a", same), ("b", same)], 1e3);
        assert_eq!(lines(&only), ["`only` takes 7 of what was recorded, on 1 of 1 inputs"]);
    }

    #[test]
    fn noise_and_the_ticks_of_a_clock_are_no_change() {
        let twice = &[(1e6, 2e6), (1e6, 2e6), (1e6, 2e6)];
        assert_eq!(lines(&sample(&[("noisy", twice)], 4e5)), [""; 0]);
        assert_eq!(lines(&sample(&[("noisy", twice)], 3e5)).len(), 1);
        assert_eq!(lines(&sample(&[("short", &[(20.0, 60.0), (20.0, 60.0), (30.0, 70.0)])], 0.0)), [""; 0]);
        assert_eq!(
            lines(&sample(&[("a fifth", &[(1e6, 1.2e6), (1e6, 0.85e6), (1e6, 1.2e6)])], 0.0)),
            [""; 0]
        );
    }

    #[test]
    fn what_shifts_all_variants_is_one_line_beside_those_that_differ_otherwise() {
        let slower = &[(1e6, 1.8e6), (2e6, 3.5e6), (3e6, 5.6e6)];
        assert_eq!(
            lines(&sample(&[("a", slower), ("b", slower)], 0.0)),
            ["all variants take 1.8 of what was recorded"]
        );
        let (faster, same) = (&[(1e6, 0.25e6); 3], &[(1e6, 1e6); 3]);
        let mut all: Vec<(&str, &[(f64, f64)])> =
            ["a", "b", "c", "d"].map(|name| (name, slower.as_slice())).into();
        all.push(("e", faster));
        let expected = [
            "nearly all variants take 1.8 of what was recorded",
            "`e` takes 0.25 of what was recorded, on 3 of 3 inputs",
        ];
        assert_eq!(lines(&sample(&all, 0.0)), expected);
        // Half of them, or each by another factor, is no shift.
        assert_eq!(lines(&sample(&[("a", slower), ("b", same)], 0.0)).len(), 1);
        assert!(sample(&[("a", slower), ("b", faster)], 0.0).shift.is_none());
    }

    #[test]
    fn factors_have_two_digits() {
        let texts = [0.0041, 0.4, 0.43, 0.999, 1.0, 1.84, 2.0, 12.4, 100.0].map(factor);
        assert_eq!(texts, ["0.0041", "0.4", "0.43", "1", "1", "1.8", "2", "12", "100"]);
    }
}
