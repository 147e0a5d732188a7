//! What calls ran, and why: counted on every call, read on request.
//!
//! Each thread counts for itself, so a call writes memory that no other thread writes: no lock, no atomic read-modify-write, no
//! cache line that wanders. Who reads adds the threads up. When a thread ends, the next one that begins goes on with its counters:
//! there are as many as threads were alive at once.

use std::cell::Cell;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::device::Chain;
use crate::selection::ReasonKind;
use crate::state::called;

/// Functions whose counters a thread finds without a search.
const NEAR: usize = 64;

/// The counters of one function on one thread: a line for each variant.
type Block = Box<[Line]>;

/// The counters of one variant, one a kind of reason, on cache lines of their own.
#[repr(align(128))]
struct Line([AtomicU64; ReasonKind::ALL.len()]);

/// The counters of one thread at a time.
struct Counters {
    taken: AtomicBool,
    /// By number of the function.
    near: [OnceLock<Block>; NEAR],
    /// Of all further functions, with their numbers.
    further: Chain<(usize, Block)>,
}

/// The counters of all threads, alive and ended.
static ALL: Chain<Counters> = Chain::new();

thread_local! {
    /// The counters of this thread; absent before its first call, and while it ends.
    static MINE: Cell<Option<&'static Counters>> = const { Cell::new(None) };
    /// Gives the counters back when the thread ends. Apart from `MINE`, whose access is cheaper without a destructor.
    static RETURN: Return = const { Return };
}

struct Return;

impl Drop for Return {
    fn drop(&mut self) {
        if let Some(counters) = MINE.take() {
            counters.taken.store(false, Ordering::Release);
        }
    }
}

/// Counts a call of the function of this number, which has so many variants. Returns the counter of the thread, unless the thread is ending,
/// whose calls are not counted any more.
pub(crate) fn count(
    function: usize,
    variants: usize,
    variant: usize,
    reason: ReasonKind,
) -> Option<&'static AtomicU64> {
    let counters = MINE.get().or_else(take)?;
    let counter = &counters.block(function, variants)[variant].0[reason as usize];
    increment(counter);
    Some(counter)
}

/// Counts a call by what [`count`] returned on this thread; false when the thread is ending.
#[inline]
pub(crate) fn count_again(counter: &AtomicU64) -> bool {
    let is_mine = MINE.get().is_some(); // when the thread has given them back, another one counts there
    if is_mine {
        increment(counter);
    }
    is_mine
}

#[inline]
fn increment(counter: &AtomicU64) {
    // No other thread writes it.
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// Counters for this thread, which has none yet. None when it is ending: calls that destructors of thread-locals make after that are
/// not counted.
fn take() -> Option<&'static Counters> {
    RETURN.try_with(|_| ()).ok()?;
    let free = |counters: &&Counters| {
        let taken = counters.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
        taken.is_ok()
    };
    let counters = ALL.iter().find(free).unwrap_or_else(|| ALL.push(Counters::new()));
    MINE.set(Some(counters));
    Some(counters)
}

impl Counters {
    fn new() -> Self {
        let near = [const { OnceLock::new() }; NEAR];
        Self { taken: AtomicBool::new(true), near, further: Chain::new() }
    }

    fn block(&self, function: usize, variants: usize) -> &Block {
        match self.near.get(function) {
            Some(place) => place.get_or_init(|| block(variants)),
            None => {
                let make = || (function, block(variants));
                &self.further.find_or_insert(|(number, _)| *number == function, make).1
            }
        }
    }

    /// The counters of a function, if it was called on the thread.
    fn known(&self, function: usize) -> Option<&Block> {
        match self.near.get(function) {
            Some(place) => place.get(),
            None => self.further.find(|(number, _)| *number == function).map(|(_, block)| block),
        }
    }
}

fn block(variants: usize) -> Block {
    (0..variants).map(|_| Line([const { AtomicU64::new(0) }; ReasonKind::ALL.len()])).collect()
}

/// How often a function ran a variant for a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The key of the function, e.g. `spmv`.
    pub function: &'static str,
    /// The variant that ran.
    pub variant: &'static str,
    /// Why it ran.
    pub reason: ReasonKind,
    /// Number of calls, at least 1.
    pub calls: u64,
}

/// What the calls of this process ran so far, and why. `Display` is a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    counts: Vec<Count>,
}

/// What the calls of this process ran so far, and why, of all threads together, ended ones too.
///
/// Every call of a function counts, except those that a recording times. `FUNCTION::select` runs nothing and counts nothing. A call does
/// not ask how far its input is from those of the training, so the reason of a far one is [`ReasonKind::Predicted`] here; `train coverage`
/// tells it of captured calls.
///
/// Calls that run meanwhile on other threads may or may not be in. Reading costs a walk over the counters of every thread and takes
/// nothing from the calls; counters only grow, so the calls of a span of time are a difference.
///
/// ```
/// # use nitro_core as nitro;
/// for count in nitro::stats().counts() {
///     println!("{} {} {} {}", count.function, count.variant, count.reason, count.calls);
/// }
/// ```
#[must_use]
pub fn stats() -> Stats {
    let mut counts = Vec::new();
    for (number, function) in called().enumerate() {
        let blocks: Vec<&Block> = ALL.iter().filter_map(|counters| counters.known(number)).collect();
        for (index, variant) in function.variants().iter().enumerate() {
            for reason in ReasonKind::ALL {
                let counters = blocks.iter().map(|block| &block[index].0[reason as usize]);
                let calls = counters.map(|counter| counter.load(Ordering::Relaxed)).sum();
                if calls > 0 {
                    counts.push(Count { function: function.name(), variant: variant.name, reason, calls });
                }
            }
        }
    }
    counts.sort_by_key(|count| count.function); // stable: variants stay in the order of their declaration
    Stats { counts }
}

impl Stats {
    /// One entry for each function, variant and reason that a call ran for: by name of the function, then in the order of the variants'
    /// declaration.
    #[must_use]
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |heading: &str, text: fn(&Count) -> &str| {
            self.counts.iter().map(|count| text(count).len()).fold(heading.len(), usize::max)
        };
        let function = width("function", |count| count.function);
        let variant = width("variant", |count| count.variant);
        writeln!(formatter, "{:function$}  {:variant$}  {:>12}  reason", "function", "variant", "calls")?;
        for count in &self.counts {
            let Count { function: name, variant: own, calls, reason } = count;
            writeln!(formatter, "{name:function$}  {own:variant$}  {calls:>12}  {reason}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_beyond_the_near_ones_have_counters_of_their_own() {
        let counters = Counters::new();
        assert!(counters.known(NEAR + 1).is_none());
        for (calls, function) in [0, NEAR - 1, NEAR, NEAR + 1].into_iter().enumerate() {
            counters.block(function, 3)[2].0[1].store(calls as u64, Ordering::Relaxed);
        }
        for (calls, function) in [0, NEAR - 1, NEAR, NEAR + 1].into_iter().enumerate() {
            let block = counters.known(function).expect("it was counted");
            assert_eq!(block[2].0[1].load(Ordering::Relaxed), calls as u64);
        }
    }
}
