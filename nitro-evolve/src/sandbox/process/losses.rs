//! The limit to lost workers.

use std::collections::VecDeque;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

/// The moments at which workers were lost.
#[derive(Default)]
pub(in super::super) struct Losses {
    last_minute: VecDeque<Duration>,
    in_a_row: u32,
}

impl Losses {
    /// Notes that a worker was lost.
    pub(in super::super) fn add(&mut self, now: Duration) {
        self.in_a_row += 1;
        self.last_minute.push_back(now);
    }

    /// Notes that something ran.
    pub(in super::super) fn end_row(&mut self) {
        self.in_a_row = 0;
    }

    /// Checks that another worker may be started after so many losses at most.
    pub(in super::super) fn check(
        &mut self,
        most_in_a_row: u32,
        most_per_minute: u32,
        now: Duration,
    ) -> Result<(), String> {
        while self.last_minute.front().is_some_and(|&then| now.saturating_sub(then) > MINUTE) {
            self.last_minute.pop_front();
        }
        if self.in_a_row >= most_in_a_row.max(1) {
            return Err(format!("{} workers in a row were lost", self.in_a_row));
        }
        match self.last_minute.len() {
            lost if lost >= most_per_minute.max(1) as usize => {
                Err(format!("{lost} workers were lost within a minute"))
            }
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
        assert_eq!(losses.check(3, 5, SECOND), Err("3 workers in a row were lost".to_owned()));
        losses.end_row();
        assert_eq!(losses.check(3, 5, SECOND), Ok(()));
        (0..2).for_each(|_| losses.add(2 * SECOND));
        assert_eq!(losses.check(3, 5, 61 * SECOND), Err("5 workers were lost within a minute".to_owned()));
        assert_eq!(losses.check(3, 5, 62 * SECOND), Ok(()), "three of them are a minute ago");
    }
}
