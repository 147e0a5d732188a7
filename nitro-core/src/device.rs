//! Devices: where a call runs, described by numbers.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use once_cell::race::OnceBox;

use crate::measured::background::{self, Priority};
use crate::measured::{self, Benchmark, MeasuredFeature, Present};
use crate::replaceable::Replaceable;
use crate::{events, feature_cache};

/// Where a call runs. The option `device = EXPR` of `#[code_variant]` takes any value of a type that implements this.
///
/// ```
/// use nitro_core::{Benchmark, Device, DeviceEntry, DeviceFeature, Stopwatch, host};
///
/// /// A numbered accelerator whose work is timed by the host's clock.
/// struct Accelerator(u32);
///
/// impl Device for Accelerator {
///     fn entry(&self) -> &'static DeviceEntry {
///         let described = || vec![DeviceFeature { name: "lanes".into(), value: 64.0 }];
///         DeviceEntry::intern(&format!("acc:{}@lab", self.0), described, |_| Vec::<Benchmark>::new())
///     }
///
///     fn stopwatch(&self) -> Box<dyn Stopwatch> {
///         host::current().stopwatch()
///     }
/// }
///
/// assert_eq!(Accelerator(0).entry().feature("lanes"), Some(64.0));
/// assert_eq!(Accelerator(0).entry(), Accelerator(0).entry(), "one entry for the life of the process");
/// ```
pub trait Device {
    /// The device's description; the same entry for the same device, for the life of the process.
    fn entry(&self) -> &'static DeviceEntry;

    /// A stopwatch that times work on this device, e.g. by the clock or by events of a stream.
    fn stopwatch(&self) -> Box<dyn Stopwatch>;

    /// Whether the device can no longer be used by this process, as after an illegal memory access on a GPU. A fresh
    /// process can use it again.
    fn is_lost(&self) -> bool {
        false
    }
}

impl<D: Device + ?Sized> Device for &D {
    fn entry(&self) -> &'static DeviceEntry {
        (**self).entry()
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        (**self).stopwatch()
    }

    fn is_lost(&self) -> bool {
        (**self).is_lost()
    }
}

/// Times one piece of work on a device.
///
/// ```
/// use std::cell::Cell;
/// use nitro_core::Stopwatch;
///
/// thread_local! {
///     /// What a simulated device of 2 GHz has worked so far.
///     static CYCLES: Cell<u64> = const { Cell::new(0) };
/// }
///
/// struct SinceCycle(u64);
///
/// impl Stopwatch for SinceCycle {
///     fn start(&mut self) {
///         self.0 = CYCLES.get();
///     }
///
///     fn stop(&mut self) -> f64 {
///         (CYCLES.get() - self.0) as f64 / 2.0
///     }
/// }
///
/// let mut stopwatch = SinceCycle(0);
/// CYCLES.set(100);
/// stopwatch.start();
/// CYCLES.set(700);
/// assert_eq!(stopwatch.stop(), 300.0);
/// ```
pub trait Stopwatch {
    /// The work begins.
    fn start(&mut self);

    /// The work has ended: its duration in nanoseconds, or NaN when the work failed on the device after the call had
    /// returned (launches are asynchronous).
    fn stop(&mut self) -> f64;
}

/// A number that describes a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceFeature {
    /// The name, unit included, e.g. `copy_gbps`.
    pub name: String,
    /// The value.
    pub value: f64,
}

impl Lookup {
    /// The value, if it is known and finite.
    pub(crate) fn finite(&self) -> Option<f64> {
        match *self {
            Self::Value(value) if value.is_finite() => Some(value),
            _ => None,
        }
    }
}

/// One device: its identity and its device features.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # // SAFETY: no other thread runs.
/// # unsafe { std::env::set_var("XDG_CACHE_HOME", folder.path()) };
/// use nitro_core::{Benchmark, DeviceEntry, DeviceFeature};
///
/// let described = || vec![DeviceFeature { name: "lanes".into(), value: 64.0 }];
/// let benchmarks = |_: &DeviceEntry| vec![Benchmark::new("copy_gbps", || Ok(vec![12.0]))];
/// let entry = DeviceEntry::intern("acc:0@lab", described, benchmarks);
/// assert_eq!((entry.described("lanes"), entry.described("copy_gbps")), (Some(64.0), None));
/// assert_eq!(entry.feature("copy_gbps"), Some(12.0)); // runs the benchmark, once, and waits
/// assert!(entry.kept_in().is_some_and(|file| file.exists()), "for other processes");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct DeviceEntry {
    id: String,
    described: Vec<DeviceFeature>,
    momentary: Vec<DeviceFeature>,
    benchmarks: fn(&DeviceEntry) -> Vec<Benchmark>,
    /// What this process uses.
    pub(crate) measured: Replaceable<Vec<MeasuredFeature>>,
    /// What other processes kept, read when it is first asked for.
    kept: OnceBox<Vec<MeasuredFeature>>,
    /// Whether it is to be measured in the background.
    pub(crate) is_wanted: AtomicBool,
    /// Whether it was told that calls wait for it.
    is_told: AtomicBool,
}

/// What is known of a device feature at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lookup {
    Value(f64),
    /// It takes a measurement first.
    Pending,
    Absent,
}

impl DeviceEntry {
    /// The entry of the device `id`; the first call for an `id` makes it.
    ///
    /// `described` gives the features that can be looked up at once and are the same on every device of the kind.
    /// `benchmarks` are for the others: they run when the first of those is asked for and no process has measured
    /// it before.
    pub fn intern(
        id: &str,
        described: impl FnOnce() -> Vec<DeviceFeature>,
        benchmarks: fn(&DeviceEntry) -> Vec<Benchmark>,
    ) -> &'static Self {
        Self::intern_with_momentary(id, || (described(), Vec::new()), benchmarks)
    }

    /// As [`intern`](Self::intern); `described` gives besides those features that are known at once and are the
    /// same on every device of the kind those that are known at once and are not.
    pub(crate) fn intern_with_momentary(
        id: &str,
        described: impl FnOnce() -> (Vec<DeviceFeature>, Vec<DeviceFeature>),
        benchmarks: fn(&DeviceEntry) -> Vec<Benchmark>,
    ) -> &'static Self {
        let make = || {
            let (described, momentary) = described();
            Self {
                id: id.to_owned(),
                described,
                momentary,
                benchmarks,
                measured: Replaceable::new(),
                kept: OnceBox::new(),
                is_wanted: AtomicBool::new(false),
                is_told: AtomicBool::new(false),
            }
        };
        REGISTRY.find_or_insert(|entry| entry.id == id, make)
    }

    /// The identity in stores and tables, e.g. `host:4@MACHINE`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// All devices so far.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        REGISTRY.iter()
    }

    /// The device feature of this name. Asking for a measured one runs the measurements, once, and waits for them.
    pub fn feature(&self, name: &str) -> Option<f64> {
        self.described(name).or_else(|| value(self.measured().iter().map(|own| &own.feature), name))
    }

    /// The device feature of this name among those that are known without measuring.
    pub fn described(&self, name: &str) -> Option<f64> {
        self.of_kind(name).or_else(|| value(&self.momentary, name))
    }

    /// The device feature of this name among those that are the same on every device of the kind, in every process:
    /// what the system tells of the hardware, without what it tells of the moment.
    pub fn of_kind(&self, name: &str) -> Option<f64> {
        value(&self.described, name)
    }

    /// All device features, the measured ones last.
    pub fn features(&self) -> impl Iterator<Item = &DeviceFeature> {
        let measured = self.measured().iter().map(|own| &own.feature);
        self.described.iter().chain(&self.momentary).chain(measured)
    }

    /// The device features that take a benchmark, with what is known of their measurement. Those that are not kept,
    /// or are noisy and old, are measured when this process asks first; the caller waits for that, a minute or two
    /// at most.
    pub fn measured(&self) -> &[MeasuredFeature] {
        if self.has_to_be_measured()
            && let Some(own) = Self::all().find(|own| *own == self)
        {
            match measured::is_settled(&self.benchmarks(), self.kept()) {
                true => drop(self.look_up_measured()),
                false => background::wait(own),
            }
        }
        self.measured.get().map_or_else(|| self.kept(), Vec::as_slice)
    }

    /// Measures now, and keeps what is measured in the place of what is kept. A process that has asked for measured
    /// features before goes on with those.
    pub fn measure_again(&self) -> Vec<MeasuredFeature> {
        let benchmarks = self.benchmarks();
        let measured = measured::measure(self.kept_in().as_deref(), benchmarks.iter(), &Present::now());
        self.measured.get_or_init(|| measured.clone()); // what the process has is not replaced
        measured
    }

    /// What is known of a device feature without measuring or waiting.
    pub(crate) fn look_up(&self, name: &str) -> Lookup {
        if let Some(value) = self.described(name) {
            return Lookup::Value(value);
        }
        let known = self.look_up_measured();
        let is_complete = known.is_some();
        let known = known.map_or_else(|| self.kept(), Vec::as_slice);
        match value(known.iter().map(|own| &own.feature), name) {
            Some(value) => Lookup::Value(value),
            None if !is_complete && self.benchmarks().iter().any(|own| own.name() == name) => Lookup::Pending,
            None => Lookup::Absent,
        }
    }

    /// What the process uses; where nothing was measured here yet, all of what is kept, if that is all there is to
    /// know.
    fn look_up_measured(&self) -> Option<&Vec<MeasuredFeature>> {
        self.measured.get().or_else(|| {
            let benchmarks = self.benchmarks();
            let kept = self.kept();
            let all = || {
                let of = |own: &Benchmark| kept.iter().find(|kept| kept.feature.name == own.name()).cloned();
                benchmarks.iter().filter_map(of).collect()
            };
            measured::missing(&benchmarks, kept).is_empty().then(|| self.measured.get_or_init(all))
        })
    }

    /// Has the device measured while calls go on, where features that a model needs are pending or noisy. Told once.
    pub(crate) fn measure_in_background(&'static self) {
        let is_pending = self.has_to_be_measured();
        if is_pending || !measured::is_settled(&self.benchmarks(), self.kept()) {
            background::begin(self, Priority::Low);
        }
        if is_pending && !self.is_told.swap(true, Ordering::Relaxed) {
            let device = self.id();
            events::tell(move || {
                tracing::info!(
                    device,
                    "device features are measured in the background; until then functions whose models need them run their defaults \
                     (`prepare` waits for it)"
                );
            });
        }
    }

    /// Whether there is nothing measured that the process could use.
    pub(crate) fn has_to_be_measured(&self) -> bool {
        self.measured.get().is_none()
    }

    /// How it is measured.
    pub(crate) fn benchmarks(&self) -> Vec<Benchmark> {
        (self.benchmarks)(self)
    }

    /// What other processes kept.
    pub(crate) fn kept(&self) -> &[MeasuredFeature] {
        let load = || self.kept_in().as_deref().and_then(feature_cache::load).unwrap_or_default();
        self.kept.get_or_init(|| Box::new(load()))
    }

    /// The file in which measured features are kept; none when the user has no folder for such files.
    #[must_use]
    pub fn kept_in(&self) -> Option<PathBuf> {
        feature_cache::file(&self.id)
    }
}

fn value<'a>(features: impl IntoIterator<Item = &'a DeviceFeature>, name: &str) -> Option<f64> {
    features.into_iter().find(|feature| feature.name == name).map(|feature| feature.value)
}

impl PartialEq for DeviceEntry {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl fmt::Debug for DeviceEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("DeviceEntry").field("id", &self.id).finish_non_exhaustive()
    }
}

static REGISTRY: Chain<DeviceEntry> = Chain::new();

/// A list that only grows: it has no lock, and what it holds never moves. The few devices of a process are found by
/// walking it.
///
/// Threads that ask for a value at once may each make one, of which one prevails. So nobody waits for a thread that
/// another process has, after a `fork`, and what makes a value may ask for it.
///
/// ```
/// use nitro_core::provide::Chain;
///
/// static OPENED: Chain<String> = Chain::new();
///
/// let first = OPENED.find_or_insert(|name| name == "cuda:0", || "cuda:0".to_owned());
/// OPENED.push("cuda:1".to_owned());
/// let again = OPENED.find_or_insert(|name| name == "cuda:0", || unreachable!("it is there"));
/// assert!(std::ptr::eq(first, again), "what is in it stays where it is");
/// assert_eq!(OPENED.iter().count(), 2);
/// ```
pub struct Chain<T> {
    head: OnceBox<Node<T>>,
}

struct Node<T> {
    value: T,
    next: Chain<T>,
}

impl<T> Default for Chain<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Chain<T> {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { head: OnceBox::new() }
    }

    /// The values so far, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let nodes = std::iter::successors(self.head.get(), |node| node.next.head.get());
        nodes.map(|node| &node.value)
    }

    /// The first value that `wanted` accepts.
    #[inline]
    pub fn find(&self, wanted: impl Fn(&T) -> bool) -> Option<&T> {
        self.iter().find(|value| wanted(value))
    }

    /// Appends a value.
    pub fn push(&self, value: T) -> &T {
        let never = |_: &T| false;
        match self.insert(never, || value) {
            Ok(new) => new,
            Err(_) => unreachable!("no value is wanted"),
        }
    }

    /// The first value that `wanted` accepts; when there is none, `make` appends one.
    ///
    /// # Panics
    /// When `make` does.
    pub fn find_or_insert(&self, wanted: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> &T {
        match self.insert(wanted, make) {
            Ok(value) | Err(value) => value,
        }
    }

    /// Appends what `make` gives, unless there is a value that `wanted` accepts: that one is the error.
    pub(crate) fn insert(&self, wanted: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> Result<&T, &T> {
        let mut make = Some(make);
        let mut made = None;
        let mut chain = self;
        loop {
            // What is there already, also what another thread appended while this one made its own.
            while let Some(node) = chain.head.get() {
                if wanted(&node.value) {
                    return Err(&node.value);
                }
                chain = &node.next;
            }
            let new =
                made.take().or_else(|| Some(Box::new(Node { value: make.take()?(), next: Self::new() })));
            let Err(rejected) = chain.head.set(new.expect("it is made once, and comes back until it is in"))
            else {
                return Ok(&chain.head.get().expect("it has just been set").value);
            };
            made = Some(rejected);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_race_for_one_entry_get_the_same() {
        static CHAIN: Chain<usize> = Chain::new();
        let find = |n| std::ptr::from_ref(CHAIN.find_or_insert(|&own| own == n, || n)).addr();
        let find_all = || (0..50).map(find).collect::<Vec<_>>();
        let found: Vec<Vec<usize>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(find_all)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(found.iter().all(|addresses| *addresses == found[0]));
    }

    #[test]
    fn what_makes_a_value_may_ask_for_it() {
        let chain: Chain<u32> = Chain::new();
        let outer = *chain.find_or_insert(|&own| own > 0, || *chain.find_or_insert(|&own| own > 0, || 1) + 1);
        assert_eq!((outer, chain.iter().count()), (1, 1), "the inner one was there first");
    }

    #[test]
    fn every_value_that_threads_append_at_once_is_there() {
        let chain = Chain::new();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let chain = &chain;
                scope.spawn(move || {
                    (0..50).for_each(|n| assert_eq!(*chain.push(50 * thread + n), 50 * thread + n))
                });
            }
        });
        let mut all: Vec<i32> = chain.iter().copied().collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..200));
    }
}
