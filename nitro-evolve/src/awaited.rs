//! A check that is made while a search goes on.

use std::sync::LazyLock;
use std::thread;

use crate::check::{Check, CheckOutcome, Depth, Objection};
use crate::deadline::Deadline;
use crate::emulated::EmulatorCheck;
use crate::exactness::Exactness;

type Made = Result<EmulatorCheck, String>;

/// A check on the emulator that another thread makes; who needs it waits for that.
///
/// It is asked about finished patches alone, and making it takes seconds.
pub(crate) struct AwaitedCheck(LazyLock<Made, Box<dyn FnOnce() -> Made + Send>>);

impl AwaitedCheck {
    /// Begins to make a check.
    pub(crate) fn new(make: impl FnOnce() -> Made + Send + 'static) -> Self {
        let making = thread::spawn(make);
        let made = move || making.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Self(LazyLock::new(Box::new(made)))
    }

    /// Returns the check once it is made; none where it cannot be.
    fn made(&self) -> Result<&EmulatorCheck, String> {
        self.0.as_ref().map_err(|why| format!("the emulator cannot look for races: {why}"))
    }
}

impl Check for AwaitedCheck {
    fn name(&self) -> String {
        self.made().map_or_else(|_| "the emulator".to_owned(), Check::name)
    }

    fn finds_races(&self) -> bool {
        self.made().is_ok_and(Check::finds_races)
    }

    fn check(&self, ptx: &str, depth: Depth, until: Deadline) -> CheckOutcome {
        self.made().map_or_else(CheckOutcome::NotRun, |check| check.check(ptx, depth, until))
    }

    fn check_on(&self, threads: usize, ptx: &str, depth: Depth, until: Deadline) -> CheckOutcome {
        self.made().map_or_else(CheckOutcome::NotRun, |check| check.check_on(threads, ptx, depth, until))
    }

    fn check_again(&self, ptx: &str, found: &Objection, until: Deadline) -> CheckOutcome {
        self.made().map_or_else(CheckOutcome::NotRun, |check| check.check_again(ptx, found, until))
    }

    fn prove(&self, ptx: &str, like: &str, until: Deadline) -> Option<Exactness> {
        self.made().ok().and_then(|check| check.prove(ptx, like, until))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_made_is_not_run_and_says_why() {
        let check = AwaitedCheck::new(|| Err("it is too large".to_owned()));
        let why = "the emulator cannot look for races: it is too large".to_owned();
        assert_eq!(check.check("", Depth::Thorough, Deadline::NEVER), CheckOutcome::NotRun(why));
        assert!(!check.finds_races() && check.prove("", "", Deadline::NEVER).is_none());
    }
}
