//! The limit to lost workers.

use std::collections::VecDeque;
use std::time::Duration;

use thiserror::Error;

const MINUTE: Duration = Duration::from_secs(60);

/// The moments at which workers were lost.
#[derive(Debug, Default)]
pub struct Losses {
    last_minute: VecDeque<Duration>,
    in_a_row: u32,
}

/// The reason for which no other worker is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TooManyLosses {
    /// So many workers were lost one after the other.
    #[error("{0} workers in a row were lost")]
    InARow(u32),
    /// So many workers were lost at about the same time.
    #[error("{0} workers were lost within a minute")]
    InAMinute(usize),
}

impl Losses {
    /// Notes that a worker was lost.
    pub fn add(&mut self, now: Duration) {
        self.in_a_row += 1;
        self.last_minute.push_back(now);
    }

    /// Notes that something ran.
    pub fn end_row(&mut self) {
        self.in_a_row = 0;
    }

    /// Checks that another worker may be started after so many losses at most.
    ///
    /// # Errors
    /// When there were as many.
    pub fn check(
        &mut self,
        most_in_a_row: u32,
        most_per_minute: u32,
        now: Duration,
    ) -> Result<(), TooManyLosses> {
        while self.last_minute.front().is_some_and(|&then| now.saturating_sub(then) > MINUTE) {
            self.last_minute.pop_front();
        }
        if self.in_a_row >= most_in_a_row.max(1) {
            return Err(TooManyLosses::InARow(self.in_a_row));
        }
        match self.last_minute.len() {
            lost if lost >= most_per_minute.max(1) as usize => Err(TooManyLosses::InAMinute(lost)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn too_many_losses_in_a_row_or_a_minute_are_the_end() {
        let mut losses = Losses::default();
        (0..2).for_each(|_| losses.add(SECOND));
        assert_eq!(losses.check(3, 5, SECOND), Ok(()));
        losses.add(SECOND);
        assert_eq!(losses.check(3, 5, SECOND), Err(TooManyLosses::InARow(3)));
        losses.end_row();
        assert_eq!(losses.check(3, 5, SECOND), Ok(()));
        (0..2).for_each(|_| losses.add(2 * SECOND));
        assert_eq!(losses.check(3, 5, 61 * SECOND), Err(TooManyLosses::InAMinute(5)));
        assert_eq!(losses.check(3, 5, 62 * SECOND), Ok(()), "three of them are a minute ago");
    }
}
