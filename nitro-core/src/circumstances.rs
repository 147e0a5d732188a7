//! What the calls of a thread depend on beside their arguments, in one word. A call compares it with that of last time.

use std::cell::Cell;

use crate::Regime;

/// The threads of the part of the host that the thread uses; 0 where nothing was said.
const THREADS: u64 = u32::MAX as u64;
/// The regime that the program has said, counted from 1; 0 where it has said none.
const REGIME: u64 = 0xff << REGIME_AT;
const REGIME_AT: u32 = 32;
/// Set while the thread has counters for its calls.
const COUNTED: u64 = 1 << 63;

thread_local! {
    static WORD: Cell<u64> = const { Cell::new(0) };
}

/// Returns the word of this thread. Two calls of a thread with the same word are on the same part of the host, in the
/// same regime if one was said, and both are counted or both are not.
#[inline]
pub(crate) fn of_thread() -> u64 {
    WORD.try_with(Cell::get).unwrap_or_default()
}

/// Returns the word of a call that has been counted since it began, unless the thread is ending.
pub(crate) fn counted(begun: u64) -> u64 {
    begun | of_thread() & COUNTED
}

/// Changes some bits of the word, unless the thread has no storage left.
fn set(bits: u64, to: u64) {
    let _ = WORD.try_with(|word| word.set(word.get() & !bits | to));
}

/// Says whether the thread has counters for its calls.
pub(crate) fn set_counted(is_counted: bool) {
    set(COUNTED, if is_counted { COUNTED } else { 0 });
}

/// Says how many threads of the host the thread uses.
pub(crate) fn set_threads(threads: usize) {
    set(THREADS, (threads as u64).min(THREADS));
}

/// Says the regime of the thread's calls.
pub(crate) fn say(regime: Option<Regime>) {
    set(REGIME, regime.map_or(0, |regime| (regime as u64 + 1) << REGIME_AT));
}

/// Returns the regime that the program has said of this thread's calls, if it has said one.
pub(crate) fn said() -> Option<Regime> {
    let number = (of_thread() & REGIME) >> REGIME_AT;
    Regime::ALL.into_iter().find(|&regime| regime as u64 + 1 == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_circumstance_is_told_apart_and_goes_back_alone() {
        std::thread::spawn(|| {
            let begun = of_thread();
            set_threads(3);
            let three = of_thread();
            say(Some(Regime::Cold));
            assert!(of_thread() != three && said() == Some(Regime::Cold));
            set_counted(true);
            assert!(of_thread() != three && said() == Some(Regime::Cold));
            set_counted(false);
            say(None);
            assert!(of_thread() == three && three != begun && said().is_none());
            for regime in Regime::ALL {
                say(Some(regime));
                assert_eq!(said(), Some(regime));
            }
        })
        .join()
        .unwrap();
    }
}
