//! The last lines that a worker wrote to its standard error.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// The bytes that are kept.
const MOST_BYTES: usize = 4 << 10;

/// The end of what is written to it; clones have it in common.
#[derive(Clone, Default)]
pub(crate) struct Tail(Arc<Mutex<Vec<u8>>>);

impl Tail {
    /// Returns the last line with a word in it, empty where there is none.
    pub(crate) fn last_line(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
    }
}

impl Write for Tail {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(bytes);
        let surplus = kept.len().saturating_sub(MOST_BYTES);
        kept.drain(..surplus);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_kept_and_little_else() {
        let mut tail = Tail::default();
        (0..10_000).for_each(|number| writeln!(tail, "line {number} \n").unwrap());
        assert_eq!(tail.last_line(), "line 9999");
        assert!(tail.0.lock().unwrap().len() <= MOST_BYTES);
    }
}
