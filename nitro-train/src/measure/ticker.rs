//! A thread that does something periodically beside a recording.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Scope;
use std::time::Duration;

/// A thread that does something once a period, and ends with the value.
pub(super) struct Ticker {
    _alive: Sender<()>,
}

impl Ticker {
    /// Starts the thread; the action is first done after one period.
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        period: Duration,
        action: impl Fn() + Send + 'scope,
    ) -> Self {
        let (alive, ends) = channel();
        scope.spawn(move || {
            while ends.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                action();
            }
        });
        Self { _alive: alive }
    }
}
