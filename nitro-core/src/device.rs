//! Devices: where a call runs, described by numbers.

use std::cell::Cell;
use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::measured::{self, Benchmark, MeasuredFeature, Present};
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
/// assert_eq!(entry.feature("copy_gbps"), Some(12.0)); // runs the benchmark, once
/// assert!(entry.kept_in().is_some_and(|file| file.exists()), "for other processes");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct DeviceEntry {
    id: String,
    described: Vec<DeviceFeature>,
    momentary: Vec<DeviceFeature>,
    benchmarks: fn(&DeviceEntry) -> Vec<Benchmark>,
    measured: OnceLock<Vec<MeasuredFeature>>,
}

impl DeviceEntry {
    /// The entry of the device `id`; the first call for an `id` makes it.
    ///
    /// `described` gives the features that can be looked up at once and are the same on every device of the kind. `benchmarks` are for
    /// the others: they run when the first of those is asked for and no process has measured it before.
    pub fn intern(
        id: &str,
        described: impl FnOnce() -> Vec<DeviceFeature>,
        benchmarks: fn(&DeviceEntry) -> Vec<Benchmark>,
    ) -> &'static Self {
        Self::intern_with_momentary(id, || (described(), Vec::new()), benchmarks)
    }

    /// As [`intern`](Self::intern); `described` gives besides those features that are known at once and are the same on every device of the
    /// kind those that are known at once and are not.
    pub(crate) fn intern_with_momentary(
        id: &str,
        described: impl FnOnce() -> (Vec<DeviceFeature>, Vec<DeviceFeature>),
        benchmarks: fn(&DeviceEntry) -> Vec<Benchmark>,
    ) -> &'static Self {
        let make = || {
            let (described, momentary) = described();
            Self { id: id.to_owned(), described, momentary, benchmarks, measured: OnceLock::new() }
        };
        REGISTRY.find_or_insert(|entry| entry.id == id, make)
    }

    /// The identity in stores and tables, e.g. `host:4@MACHINE`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The device feature of this name. Asking for a measured one runs the measurements, once.
    pub fn feature(&self, name: &str) -> Option<f64> {
        self.described(name).or_else(|| value(self.measured().iter().map(|own| &own.feature), name))
    }

    /// The device feature of this name among those that are known without measuring.
    pub fn described(&self, name: &str) -> Option<f64> {
        self.of_kind(name).or_else(|| value(&self.momentary, name))
    }

    /// The device feature of this name among those that are the same on every device of the kind, in every process: what the
    /// system tells of the hardware, without what it tells of the moment.
    pub fn of_kind(&self, name: &str) -> Option<f64> {
        value(&self.described, name)
    }

    /// All device features, the measured ones last.
    pub fn features(&self) -> impl Iterator<Item = &DeviceFeature> {
        let measured = self.measured().iter().map(|own| &own.feature);
        self.described.iter().chain(&self.momentary).chain(measured)
    }

    /// The device features that take a benchmark, with what is known of their measurement. Those that are not kept are measured when this
    /// process asks first.
    pub fn measured(&self) -> &[MeasuredFeature] {
        if let Some(measured) = self.measured.get() {
            return measured;
        }
        let kept_or_measured =
            || measured::kept_or_measured(self.kept_in().as_deref(), &(self.benchmarks)(self), &Present);
        let (measured, events) = events::hold(|| self.measured.get_or_init(kept_or_measured));
        events.tell();
        measured
    }

    /// Measures now, and keeps what is not noisy in the place of what is kept. A process that has asked for measured features before
    /// goes on with those.
    pub fn measure_again(&self) -> Vec<MeasuredFeature> {
        let benchmarks = (self.benchmarks)(self);
        let measured = measured::measure(self.kept_in().as_deref(), benchmarks.iter(), &Present);
        let _ = self.measured.set(measured.clone()); // what the process has is not replaced
        measured
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

/// A list that only grows: reading takes no lock, and what it holds never moves. The few devices of a process are
/// found by walking it.
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
    head: OnceLock<Box<Node<T>>>,
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
        Self { head: OnceLock::new() }
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
        let mut node = Box::new(Node { value, next: Self::new() });
        let mut chain = self;
        // Another thread may fill the end first: the value goes behind.
        while let Err(rejected) = chain.head.set(node) {
            node = rejected;
            chain = &chain.head.get().expect("it has just been filled").next;
        }
        &chain.head.get().expect("it has just been set").value
    }

    /// The first value that `wanted` accepts; when there is none, `make` appends one.
    ///
    /// # Panics
    /// When `make` does.
    pub fn find_or_insert(&self, wanted: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> &T {
        let make = Cell::new(Some(make));
        let mut chain = self;
        loop {
            // Two threads may race for the end. The loser finds a value it may not want, and walks on.
            let node = chain.head.get_or_init(|| {
                let make = make.take().expect("only the end is ever filled, and only once");
                Box::new(Node { value: make(), next: Self::new() })
            });
            if wanted(&node.value) {
                return &node.value;
            }
            chain = &node.next;
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
}
