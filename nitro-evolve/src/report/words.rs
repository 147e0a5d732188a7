//! The words for numbers.

use std::cmp::Ordering;

use maud::{Markup, html};
use nitro_page::{Nanoseconds, number};
use nitro_search::evolve::Fitness;

use crate::finding::{Contract, Finding, Verdict};

/// Writes how many times as fast something is; a dash for what is not a number.
pub(super) fn times(ratio: f64) -> String {
    match ratio.is_finite() {
        true if ratio >= 100.0 => number(ratio),
        true => format!("{ratio:.2}"),
        false => "–".to_owned(),
    }
}

/// Writes a time, or the count of an emulator.
pub(super) fn time(time_ns: f64, is_counted: bool) -> Markup {
    match is_counted {
        true => html! { (number(time_ns)) " " span.unit { "counted" } },
        false => html! { (Nanoseconds(time_ns)) },
    }
}

/// Writes an error.
pub(super) fn error(error: f64) -> String {
    match error {
        0.0 => "exact".to_owned(),
        error if error.is_finite() => number(error),
        _ => "no number".to_owned(),
    }
}

/// Writes the allowed error.
pub(super) fn allowed(max_error: f64) -> String {
    match max_error {
        0.0 => "no error".to_owned(),
        f64::INFINITY => "any error".to_owned(),
        _ => format!("error up to {}", number(max_error)),
    }
}

/// Writes a difference with its sign.
pub(super) fn change(before: usize, after: usize) -> String {
    match after.cmp(&before) {
        Ordering::Less => format!("−{}", before - after),
        Ordering::Equal => "0".to_owned(),
        Ordering::Greater => format!("+{}", after - before),
    }
}

/// Writes seconds in the unit that people would use.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        seconds if !seconds.is_finite() || seconds < 0.0 => "–".to_owned(),
        ..10.0 => format!("{seconds:.1} s"),
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

/// Writes time and error of something beside the original.
pub(super) fn fitness(fitness: &Fitness, original_ns: f64) -> String {
    let off = match fitness.error {
        0.0 => "exact".to_owned(),
        _ => format!("error {}", error(fitness.error)),
    };
    format!("{} times as fast, {off}", times(original_ns / fitness.time_ns))
}

/// Describes a finding in short: its speedup, and its promise.
pub(super) fn finding(finding: &Finding) -> String {
    let faster = finding.speedup().map(|speedup| format!("{} times as fast", times(speedup)));
    let verdict = match &finding.verdict {
        Verdict::Accepted(Contract::Exact) => "exact".to_owned(),
        Verdict::Accepted(Contract::Approx { max_error, .. }) => {
            format!("off by up to {}", error(*max_error))
        }
        Verdict::Refused(_) => "refused".to_owned(),
    };
    faster.map_or(verdict.clone(), |faster| format!("{faster}, {verdict}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_as_people_say_them() {
        assert_eq!([times(1.304), times(f64::NAN), times(1234.5)], ["1.30", "–", "1234"]);
        assert_eq!([error(0.0), error(0.01), error(f64::INFINITY)], ["exact", "0.01", "no number"]);
        assert_eq!([change(3, 2), change(2, 2), change(0, 12)], ["−1", "0", "+12"]);
        let durations = [3.0, 90.0, 600.0, 9000.0, f64::NAN].map(duration);
        assert_eq!(durations, ["3.0 s", "90 s", "10 min", "2.5 h", "–"]);
    }
}
