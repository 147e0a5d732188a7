//! Floors: times that nothing takes less than, and searches that stop near them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A time that no code for a task takes less than on a device, with its reason.
///
/// ```
/// use nitro_search::Floor;
///
/// let floor = Floor { ns: 920.0, limit: "memory".into(), reason: "1.84e6 bytes, 2000 GB/s".into() };
/// assert_eq!(floor.of(1000.0), "92 % of what memory allows");
/// assert!(floor.check(900.0, || "of 7 runs".into()).unwrap_err().to_string().contains("1.84e6 bytes"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// The time in nanoseconds; 0 says nothing.
    pub ns: f64,
    /// What allows no less, in a word or two: "memory".
    pub limit: String,
    /// The amounts and rates that it follows from.
    pub reason: String,
}

impl Floor {
    /// Returns the larger of two floors of a task.
    #[must_use]
    pub fn larger(self, other: Self) -> Self {
        if other.ns > self.ns { other } else { self }
    }

    /// Returns the floor over a time: 1 where nothing can be faster.
    #[must_use]
    pub fn share(&self, time_ns: f64) -> f64 {
        self.ns / time_ns
    }

    /// Says how near a time is, as "92 % of what memory allows".
    #[must_use]
    pub fn of(&self, time_ns: f64) -> String {
        format!("{:.0} % of what {} allows", (100.0 * self.share(time_ns)).floor(), self.limit)
    }

    /// Refuses a time under the floor; `measured` says how it was measured.
    ///
    /// # Errors
    /// When the time is under the floor: one of both is wrong.
    pub fn check(&self, time_ns: f64, measured: impl FnOnce() -> String) -> Result<(), UnderFloor> {
        if time_ns >= self.ns {
            return Ok(());
        }
        Err(UnderFloor { time_ns, measured: measured(), floor: self.clone() })
    }
}

impl fmt::Display for Floor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "at least {:.1} ns by {}: {}", self.ns, self.limit, self.reason)
    }
}

/// A time under its floor, with the reasons of both.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{time_ns:.1} ns was measured ({measured}), and that cannot be: it takes {floor}; either the measurement or a rate \
     of the device is wrong"
)]
pub struct UnderFloor {
    /// The time.
    pub time_ns: f64,
    /// The way in which it was measured.
    pub measured: String,
    /// The floor.
    pub floor: Floor,
}

/// A rule by which a search stops: at this share of what its [`Floor`] allows, written as `95%-of-floor`.
///
/// ```
/// use nitro_search::{Budget, Floor, Until};
///
/// let floor = Floor { ns: 950.0, limit: "memory".into(), reason: String::new() };
/// let until: Until = "95%-of-floor".parse().unwrap();
/// let budget = Budget { target_ns: until.target_ns(&floor), ..Budget::evaluations(200) };
/// assert_eq!(budget.target_ns, Some(1000.0));
/// assert!("fast".parse::<Until>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Until {
    percent: f64,
}

/// The end of a rule's text.
const OF_FLOOR: &str = "%-of-floor";

impl Until {
    /// Returns the time at which a search is over; none where the floor says nothing.
    #[must_use]
    pub fn target_ns(self, floor: &Floor) -> Option<f64> {
        Some(100.0 * floor.ns / self.percent).filter(|target_ns| *target_ns > 0.0)
    }
}

impl FromStr for Until {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let percent = text.strip_suffix(OF_FLOOR).and_then(|percent| percent.parse::<f64>().ok());
        let percent =
            percent.filter(|percent| *percent > 0.0 && *percent <= 100.0).map(|percent| Self { percent });
        percent.ok_or_else(|| "write a percentage above 0 and up to 100, as 95%-of-floor".to_owned())
    }
}

impl fmt::Display for Until {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{OF_FLOOR}", self.percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_as_it_is_written_and_nothing_else_is_one() {
        for text in ["95%-of-floor", "99.5%-of-floor", "100%-of-floor"] {
            assert_eq!(text.parse::<Until>().unwrap().to_string(), text);
        }
        for text in
            ["", "95", "95%", "0%-of-floor", "101%-of-floor", "-1%-of-floor", "NaN%-of-floor", "%-of-floor"]
        {
            assert!(text.parse::<Until>().unwrap_err().contains("as 95%-of-floor"), "{text}");
        }
    }

    #[test]
    fn a_floor_that_says_nothing_stops_nothing_and_refuses_nothing() {
        let floor = Floor { ns: 0.0, limit: "memory".into(), reason: String::new() };
        assert_eq!("95%-of-floor".parse::<Until>().unwrap().target_ns(&floor), None);
        assert_eq!(floor.check(0.0, String::new), Ok(()));
    }

    #[test]
    fn a_share_is_never_rounded_up_to_all() {
        let floor = Floor { ns: 999.0, limit: "memory".into(), reason: String::new() };
        assert_eq!(floor.of(1000.0), "99 % of what memory allows");
    }
}
