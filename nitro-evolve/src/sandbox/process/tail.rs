//! The last lines that a child wrote to its standard error.

use std::io::Read;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The bytes that are kept.
const MOST_BYTES: usize = 4 << 10;

/// The end of a stream; the rest is not kept.
pub(super) struct Tail {
    kept: Kept,
    /// A channel that is closed when nothing comes any more.
    ends: Receiver<()>,
}

/// The bytes so far.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Tail {
    /// Follows a stream in a thread that ends with it.
    pub(super) fn of(mut from: impl Read + Send + 'static) -> Self {
        let kept = Kept::default();
        let (ended, ends) = channel();
        let writer = kept.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 1024];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                writer.push(&bytes[..count]);
            }
            drop(ended);
        });
        Self { kept, ends }
    }

    /// Returns the last line with a word in it, empty where there is none.
    ///
    /// Waits with so much patience until all has come.
    pub(super) fn finish(&self, patience: Duration) -> String {
        let _ = self.ends.recv_timeout(patience);
        self.kept.last_line()
    }
}

impl Kept {
    /// Adds bytes.
    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(bytes);
        let surplus = kept.len().saturating_sub(MOST_BYTES);
        kept.drain(..surplus);
    }

    /// Returns the last line with a word in it.
    fn last_line(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_kept_and_little_else() {
        let kept = Kept::default();
        (0..10_000).for_each(|number| kept.push(format!("line {number}\n\n").as_bytes()));
        assert_eq!(kept.last_line(), "line 9999");
        assert!(kept.0.lock().unwrap().len() <= MOST_BYTES);
        assert_eq!(Tail::of(&b"first\nlast \n\n"[..]).finish(Duration::from_secs(60)), "last");
    }
}
