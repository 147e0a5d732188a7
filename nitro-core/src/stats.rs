//! Counts of what calls ran, and why: written on every call, read on request.
//!
//! Each thread counts for itself, so a call writes memory that no other thread writes: no lock, no atomic
//! read-modify-write, no cache line that wanders. A reader adds the threads up. When a thread ends, the next one
//! that begins goes on with its counters: there are as many as threads were alive at once.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use once_cell::race::OnceBox;

use crate::chain::Chain;
use crate::function::choice_table::ChoiceTable;
use crate::reason::ReasonKind;
use crate::{Choice, Function, choice_text, circumstances};

/// Choice tables whose counters a thread finds without a search.
const NEAR: usize = 64;

/// The counters of one choice table on one thread: a line for each choice.
type Block = Box<[Line]>;

/// The counters of one choice, one a kind of reason, on cache lines of their own.
#[repr(align(128))]
struct Line([AtomicU64; ReasonKind::ALL.len()]);

/// The counters of one thread at a time.
struct Counters {
    taken: AtomicBool,
    /// The blocks by number of the choice table.
    near: [OnceBox<Block>; NEAR],
    /// The blocks of all further tables, with their numbers.
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
        if let Ok(Some(counters)) = MINE.try_with(Cell::take) {
            circumstances::set_counted(false);
            counters.taken.store(false, Ordering::Release);
        }
    }
}

/// Counts a call that ends in a choice of the table of this number, which has so many choices. Returns the thread's
/// counter; none where the thread is ending, whose calls are not counted any more.
pub(crate) fn count(
    table: usize,
    choices: usize,
    choice: usize,
    reason: ReasonKind,
) -> Option<&'static AtomicU64> {
    let counter = counter(table, choices, choice, reason)?;
    increment(counter);
    Some(counter)
}

/// The counter that [`count`] would return for a call that is still to come.
pub(crate) fn counter(
    table: usize,
    choices: usize,
    choice: usize,
    reason: ReasonKind,
) -> Option<&'static AtomicU64> {
    let counters = MINE.try_with(Cell::get).ok()?.or_else(take)?;
    Some(&counters.block(table, choices)[choice].0[reason as usize])
}

/// Counts a call by what [`count`] returned on this thread, which must not have given its counters back since then:
/// its [`circumstances`] tell.
#[inline]
pub(crate) fn increment(counter: &AtomicU64) {
    // No other thread writes it.
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// Counters for this thread, which has none yet. None when it is ending: calls that destructors of thread-locals
/// make after that are not counted.
fn take() -> Option<&'static Counters> {
    RETURN.try_with(|_| ()).ok()?;
    let free = ALL.iter().find(|counters| {
        counters.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    });
    let counters = free.unwrap_or_else(|| ALL.push(Counters::new()));
    MINE.try_with(|mine| mine.set(Some(counters))).ok()?;
    circumstances::set_counted(true);
    Some(counters)
}

impl Counters {
    fn new() -> Self {
        let near = [const { OnceBox::new() }; NEAR];
        Self { taken: AtomicBool::new(true), near, further: Chain::new() }
    }

    fn block(&self, table: usize, choices: usize) -> &Block {
        match self.near.get(table) {
            Some(near) => near.get_or_init(|| Box::new(block(choices))),
            None => {
                let make = || (table, block(choices));
                &self.further.find_or_insert(|(number, _)| *number == table, make).1
            }
        }
    }

    /// The counters of a table, if a call was counted there on the thread.
    fn known(&self, table: usize) -> Option<&Block> {
        match self.near.get(table) {
            Some(near) => near.get(),
            None => self.further.find(|(number, _)| *number == table).map(|(_, block)| block),
        }
    }
}

fn block(choices: usize) -> Block {
    (0..choices).map(|_| Line([const { AtomicU64::new(0) }; ReasonKind::ALL.len()])).collect()
}

/// The calls in which a function ran a choice for a reason.
///
/// ```
#[doc = include_str!("example_sort.md")]
/// sort(&mut [3, 1, 2]);
/// let of_radix = |count: &nitro::Count| count.function == "sort" && count.choice() == "radix";
/// assert!(!nitro::stats().counts().iter().any(of_radix), "three keys are few");
/// sort(&mut [0; 4096]);
/// assert!(nitro::stats().counts().iter().any(of_radix));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The key of the function, e.g. `spmv`.
    pub function: &'static str,
    /// The variant that ran.
    pub variant: &'static str,
    /// The values of its parameters, such as `block=256,unroll=4`; empty without any.
    pub configuration: String,
    /// True where its results are [approximate](crate::Contract::Approx).
    pub is_approximate: bool,
    /// The reason why it ran.
    pub reason: ReasonKind,
    /// Number of calls, at least 1.
    pub calls: u64,
}

/// Counts of what the calls of this process ran so far, and why. `Display` is a table.
///
/// ```
#[doc = include_str!("example_sort.md")]
/// for length in [3, 4096, 8192] {
///     sort(&mut vec![0; length]);
/// }
/// let stats = nitro::stats();
/// let counts: Vec<_> = stats.counts().iter().map(|count| (count.variant, count.calls)).collect();
/// assert_eq!(counts, [("merge", 1), ("radix", 2)]);
/// println!("{stats}"); // a line for each of them
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    counts: Vec<Count>,
}

/// Reads what the calls of this process ran so far, and why: of all threads together, ended ones too.
///
/// Every call of a function counts, except those that a recording times. `FUNCTION::select` runs nothing and counts
/// nothing. A call does not ask how far its input is from those of the training, so the reason of a far one is
/// [`ReasonKind::Predicted`] here; `train coverage` tells it of captured calls.
///
/// Calls that run meanwhile on other threads may or may not be in. Reading costs a walk over the counters of every
/// thread and takes nothing from the calls; counters only grow, so the calls of a span of time are a difference.
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
    for function in ChoiceTable::functions() {
        let calls = calls(function);
        counts.extend(calls.into_iter().map(|((choice, reason), calls)| Count {
            function: function.name(),
            variant: function.variants()[choice.variant].name(),
            configuration: function.variants()[choice.variant].parameters().text(choice.configuration),
            is_approximate: function.contract(choice).is_approximate(),
            reason,
            calls,
        }));
    }
    counts.sort_by_key(|count| count.function); // stable: choices stay in order
    Stats { counts }
}

/// The calls of a function by choice and reason, over all of its choice tables.
fn calls(function: &'static Function) -> BTreeMap<(Choice, ReasonKind), u64> {
    let mut calls = BTreeMap::new();
    let tables = ChoiceTable::all().enumerate().filter(|(_, table)| std::ptr::eq(table.function, function));
    for (number, table) in tables {
        for block in ALL.iter().filter_map(|counters| counters.known(number)) {
            for (line, &choice) in block.iter().zip(table.choices()) {
                for reason in ReasonKind::ALL {
                    let counted = line.0[reason as usize].load(Ordering::Relaxed);
                    if counted > 0 {
                        *calls.entry((choice, reason)).or_default() += counted;
                    }
                }
            }
        }
    }
    calls
}

impl Stats {
    /// One entry for each function, choice and reason that a call ran for. The order is by name of the function,
    /// then by the variants' declaration, then by configuration.
    #[must_use]
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }
}

impl Count {
    /// The variant with its configuration, as `tiled{block=256,unroll=4}`.
    #[must_use]
    pub fn choice(&self) -> String {
        choice_text(self.variant, &self.configuration)
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choices: Vec<_> = self.counts.iter().map(Count::choice).collect();
        let functions = self.counts.iter().map(|count| count.function.len());
        let function = functions.fold("function".len(), usize::max);
        let choice = choices.iter().map(String::len).fold("choice".len(), usize::max);
        writeln!(formatter, "{:function$}  {:choice$}  {:>12}  reason", "function", "choice", "calls")?;
        for (count, own) in self.counts.iter().zip(&choices) {
            let Count { function: name, calls, reason, is_approximate, .. } = count;
            let approximate = if *is_approximate { ", approximate" } else { "" };
            writeln!(formatter, "{name:function$}  {own:choice$}  {calls:>12}  {reason}{approximate}")?;
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
