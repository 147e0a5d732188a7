//! The parent as its worker sees it.

use std::io::{self, Read};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde::de::DeserializeOwned;

use crate::frame::{FrameError, pass_on};

/// Calls a function once the parent has ended, which holds the other end of standard input and writes nothing.
pub fn when_parent_ends(then: impl FnOnce() + Send + 'static) {
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        then();
    });
}

/// The requests of a parent, one after the other. Who takes the next one has done the one before.
///
/// Once no more can come, nobody waits for what is under way, which may never end. So the process is aborted, unless
/// nothing is. Preparations before the first request count too.
pub struct Requests<T> {
    received: Receiver<Result<T, FrameError>>,
    under_way: Arc<AtomicUsize>,
}

impl<T: DeserializeOwned + Send + 'static> Requests<T> {
    /// Listens from now on, in a thread of its own.
    pub fn listen(input: impl Read + Send + 'static) -> Self {
        let (requests, received) = channel();
        let under_way = Arc::new(AtomicUsize::new(1));
        let counted = Arc::clone(&under_way);
        thread::spawn(move || {
            let is_over = pass_on(input, &requests, || {
                counted.fetch_add(1, Ordering::SeqCst);
            });
            if is_over && counted.load(Ordering::SeqCst) > 0 {
                // Not `exit`, which may wait for the device.
                process::abort();
            }
        });
        Self { received, under_way }
    }
}

impl<T> Iterator for Requests<T> {
    type Item = Result<T, FrameError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        self.received.recv().ok()
    }
}
