//! A filler of the last-level cache, for calls that are to find nothing of their data there.

use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use super::Machine;

/// The size that a last-level cache is taken for where the system tells none.
const USUAL_BYTES: u64 = 64 << 20;
/// The largest size that is believed.
const MOST_BYTES: u64 = 512 << 20;
/// Words of eight bytes in a line of a cache, at most.
const LINE_WORDS: usize = 8;

/// A buffer of twice the size of the last-level cache.
struct Filler(Vec<u64>);

impl Filler {
    fn new(machine: &Machine) -> Self {
        let last_level =
            [machine.l3_bytes, machine.l2_bytes, machine.l1_bytes].into_iter().find(|own| *own > 0);
        let bytes = 2 * last_level.unwrap_or(USUAL_BYTES).min(MOST_BYTES);
        Self(vec![0; bytes as usize / size_of::<u64>()])
    }

    /// Reads and writes every line. A plain fill may become stores that pass the caches by.
    fn fill(&mut self) {
        for line in self.0.chunks_mut(LINE_WORDS) {
            line[0] = line[0].wrapping_add(1);
        }
        black_box(&mut self.0);
    }
}

/// Fills the last-level cache of this thread's processor with something else. Other cores keep what they have in
/// caches of their own.
pub(super) fn fill_last_level_cache() {
    static FILLER: Mutex<Option<Filler>> = Mutex::new(None);
    let mut filler = FILLER.lock().unwrap_or_else(PoisonError::into_inner);
    filler.get_or_insert_with(|| Filler::new(super::machine())).fill();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_twice_the_last_level_cache_is_written() {
        let mut filler = Filler::new(&Machine { l2_bytes: 4096, l1_bytes: 1 << 20, ..Machine::default() });
        (0..3).for_each(|_| filler.fill());
        assert_eq!(filler.0.len() * 8, 2 * 4096, "the second level is the last one");
        assert!(filler.0.chunks(64 / 8).all(|line| line.contains(&3)));
    }

    #[test]
    fn what_the_system_says_of_the_cache_is_believed_within_bounds() {
        let bytes = |l3_bytes| Filler::new(&Machine { l3_bytes, ..Machine::default() }).0.len() as u64 * 8;
        assert_eq!(bytes(u64::MAX), 2 * MOST_BYTES);
        assert_eq!(bytes(0), 2 * USUAL_BYTES);
    }
}
