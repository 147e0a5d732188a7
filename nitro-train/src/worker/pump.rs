//! The outputs of a worker, passed on by its supervisor: so nothing that becomes of the supervisor's own outputs
//! reaches a variant.

use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The time that the last of a worker's output may take after its end. A process that it has left behind may hold its
/// outputs open for ever.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Passes on what one output of a worker gets.
pub(super) struct Pump(Receiver<()>);

impl Pump {
    pub(super) fn start(mut from: impl Read + Send + 'static, mut to: impl Write + Send + 'static) -> Self {
        let (ended, ends) = channel::<()>();
        std::thread::spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            drop(ended);
        });
        Self(ends)
    }

    /// Waits until all has been passed on that a worker wrote which has ended.
    pub(super) fn finish(self) {
        let _ = self.0.recv_timeout(LAST_WORDS);
    }
}
