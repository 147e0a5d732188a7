//! The host as a device, and parts of it.
//!
//! `host:THREADS` is the machine's processor used with that many threads. The speed of memory, caches and arithmetic
//! depends on how many threads take part, so each number of threads is a device of its own. The trainer measures it
//! in a rayon pool of so many threads.
//!
//! ```
//! use nitro_core::{Device, host};
//!
//! let here = host::current(); // the whole host, as long as no pool of threads says otherwise
//! assert_eq!(here.threads(), host::available_threads());
//! assert_eq!(here.entry().id(), format!("host:{}@{}", here.threads(), host::machine().id()));
//! ```

mod clock;
mod filler;
mod machine;
mod measure;

pub(crate) use clock::clock_ns;

use std::cell::Cell;

use once_cell::race::OnceBox;

use crate::{Device, DeviceEntry, Regime, Stopwatch, circumstances};
pub use machine::{Machine, available_threads};

/// The processor of this machine, used with a number of threads.
///
/// ```
/// use nitro_core::{Device, host::Host};
///
/// let two = Host::with_threads(2);
/// assert_eq!(two.entry().described("threads"), Some(2.0)); // a device feature that is known without measuring
/// assert_ne!(two.entry(), Host::with_threads(1).entry(), "another device");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Host {
    entry: &'static DeviceEntry,
    threads: usize,
}

impl Host {
    /// The host used with `threads` threads (at least one).
    #[must_use]
    pub fn with_threads(threads: usize) -> Self {
        let threads = threads.max(1);
        let machine = machine();
        let id = format!("host:{threads}@{}", machine.id());
        let entry = DeviceEntry::intern_with_momentary(
            &id,
            || machine.features(threads),
            |entry| measure::benchmarks(entry.described("threads").map_or(1, |threads| threads as usize)),
        );
        Self { entry, threads }
    }

    /// Number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }
}

impl Device for Host {
    fn entry(&self) -> &'static DeviceEntry {
        self.entry
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        Box::new(clock::Clock::new(Regime::of_thread()))
    }
}

thread_local! {
    static CURRENT: Cell<Option<Host>> = const { Cell::new(None) };
}

/// The host as this thread uses it: what [`enter`] set. Otherwise, with the Cargo feature `rayon`, it is the rayon
/// pool in which parallel work of this thread runs: its own pool, or the global one, which is started then. Without
/// the feature it is all threads that the process may use.
#[must_use]
#[inline]
pub fn current() -> Host {
    CURRENT.try_with(Cell::get).ok().flatten().unwrap_or_else(unentered)
}

/// The host of the rayon pool in which work of this thread runs.
#[cfg(feature = "rayon")]
fn unentered() -> Host {
    thread_local! {
        static LAST: Cell<Option<Host>> = const { Cell::new(None) };
    }
    let threads = rayon_core::current_num_threads();
    let last = LAST.try_with(Cell::get).ok().flatten();
    last.filter(|last| last.threads == threads).unwrap_or_else(|| {
        let host = Host::with_threads(threads);
        let _ = LAST.try_with(|last| last.set(Some(host))); // a thread without storage asks again
        host
    })
}

#[cfg(not(feature = "rayon"))]
use whole as unentered;

/// Makes later calls on this thread run on a part of the host with `threads` threads. This is for the start handler
/// of a thread pool: a pool's own threads are where its work runs. A rayon pool is found without it by the Cargo
/// feature `rayon`.
///
/// ```
/// # struct ThreadPoolBuilder; // as rayon's
/// # impl ThreadPoolBuilder { fn start_handler(self, start: impl Fn(usize)) { start(0) } }
/// ThreadPoolBuilder.start_handler(|_| nitro_core::host::enter(4));
/// assert_eq!(nitro_core::host::current().threads(), 4);
/// ```
pub fn enter(threads: usize) {
    let host = Host::with_threads(threads);
    let _ = CURRENT.try_with(|current| current.set(Some(host))); // a thread that has no storage left ends
    circumstances::set_threads(threads);
}

/// The host with all threads that the process may use.
#[cfg(not(feature = "rayon"))]
#[inline]
fn whole() -> Host {
    static WHOLE: OnceBox<Host> = OnceBox::new();
    *WHOLE.get_or_init(|| Box::new(Host::with_threads(available_threads())))
}

/// The machine that this process runs on.
pub fn machine() -> &'static Machine {
    static MACHINE: OnceBox<Machine> = OnceBox::new();
    MACHINE.get_or_init(|| Box::new(Machine::detect()))
}
