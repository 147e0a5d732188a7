//! Outcomes of running a variant, and their text.

/// The outcome of running one variant.
///
/// ```
/// use nitro_store::recordings::Outcome;
///
/// assert_eq!(Outcome::from_name("time", Some(1300.0)), Some(Outcome::Time(1300.0)));
/// assert_eq!(Outcome::from_name("failed", Some(1300.0)), None, "what failed has no time");
/// assert_eq!((Outcome::Wrong.name(), Outcome::Wrong.time_ns()), ("wrong", None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// It ran and answered; median time in nanoseconds.
    Time(f64),
    /// It returned an error, panicked or could not be run.
    Failed,
    /// It ran but its output differs from the default variant's.
    Wrong,
    /// Its constraint forbids it for this input, so it was not run.
    Inadmissible,
}

impl Outcome {
    /// The median time in nanoseconds, if the variant ran and answered.
    pub fn time_ns(self) -> Option<f64> {
        match self {
            Self::Time(ns) => Some(ns),
            Self::Failed | Self::Wrong | Self::Inadmissible => None,
        }
    }

    /// Returns the text of stores and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time(_) => "time",
            Self::Failed => "failed",
            Self::Wrong => "wrong",
            Self::Inadmissible => "inadmissible",
        }
    }

    /// Reads an outcome from its text and time. Returns `None` for another text, or when a time is there without need
    /// or missing.
    pub fn from_name(name: &str, time_ns: Option<f64>) -> Option<Self> {
        match (name, time_ns) {
            ("time", Some(ns)) => Some(Self::Time(ns)),
            ("failed", None) => Some(Self::Failed),
            ("wrong", None) => Some(Self::Wrong),
            ("inadmissible", None) => Some(Self::Inadmissible),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for outcome in [Outcome::Time(7.5), Outcome::Failed, Outcome::Wrong, Outcome::Inadmissible] {
            assert_eq!(Outcome::from_name(outcome.name(), outcome.time_ns()), Some(outcome));
        }
        assert_eq!(Outcome::from_name("time", None), None);
        assert_eq!(Outcome::from_name("failed", Some(1.0)), None);
        assert_eq!(Outcome::from_name("lost", None), None);
    }
}
