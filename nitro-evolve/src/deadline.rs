//! The moment at which work has to end.

use std::time::{Duration, Instant};

/// The moment at which work has to end, if there is one.
///
/// ```
/// use std::time::Duration;
///
/// use nitro_evolve::Deadline;
///
/// assert!(!Deadline::NEVER.is_over());
/// assert!(Deadline::after(Duration::ZERO).is_over());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// The deadline of work that may take as long as it does.
    pub const NEVER: Self = Self(None);

    /// Returns the moment after so much time from now.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    /// Returns true if the moment has come.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// Returns the time that is left; none where it has no end.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Returns the moment, if there is one.
    pub(crate) fn moment(self) -> Option<Instant> {
        self.0
    }

    /// Returns the earlier of this and the moment after so much time from now.
    pub(crate) fn within(self, most: Duration) -> Self {
        let other = Self::after(most);
        match (self.0, other.0) {
            (Some(one), Some(other)) => Self(Some(one.min(other))),
            (one, other) => Self(one.or(other)),
        }
    }

    /// Returns the end of the first of so many equal shares of the time that is left.
    pub(crate) fn share(self, of: usize) -> Self {
        let of = u32::try_from(of).unwrap_or(u32::MAX).max(1);
        let now = Instant::now();
        Self(self.0.map(|end| now.min(end) + end.saturating_duration_since(now) / of))
    }
}

impl Deadline {
    /// Returns the beginning of the last of so many equal shares of the time that is left.
    pub(crate) fn but_last(self, of: usize) -> Self {
        let reserved = self.left().map(|left| left / u32::try_from(of).unwrap_or(u32::MAX).max(1));
        Self(self.0.map(|end| reserved.and_then(|reserved| end.checked_sub(reserved)).unwrap_or(end)))
    }
}

impl From<Option<Instant>> for Deadline {
    fn from(end: Option<Instant>) -> Self {
        Self(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_share_ends_no_later_than_the_whole_and_what_has_no_end_has_none_in_parts() {
        let whole = Deadline::after(HOUR);
        assert!(whole.share(1).moment() <= whole.moment() && whole.share(4).left() <= Some(HOUR / 4));
        assert_eq!(
            (Deadline::NEVER.share(3), Deadline::after(Duration::MAX)),
            (Deadline::NEVER, Deadline::NEVER)
        );
        assert!(Deadline::NEVER.within(HOUR).left() <= Some(HOUR));
        assert!(Deadline::after(Duration::ZERO).within(HOUR).is_over());
    }
}
