//! Devices: where a call runs, described by numbers.

pub(crate) mod feature;
pub(crate) mod feature_cache;
pub(crate) mod measured;

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use once_cell::race::OnceBox;

use self::feature::{DeviceFeature, MeasuredFeature};
use self::measured::background::{self, Priority};
use self::measured::{Benchmark, Present};
use crate::chain::Chain;
use crate::events;
use crate::replaceable::Replaceable;
use crate::{DeviceId, Regime, unstated_feature};

/// A place where calls run. The option `device = EXPR` of `#[code_variant]` takes any value of a type that
/// implements this.
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

    /// A stopwatch that times work on this device, e.g. by the clock or by events of a stream. It times in the regime
    /// of the thread ([`Regime::of_thread`]), where the device has it.
    fn stopwatch(&self) -> Box<dyn Stopwatch>;

    /// The regime of a call that begins now, as far as the device can tell. What the program says of a thread
    /// ([`in_regime`](crate::in_regime())) goes before it.
    fn regime(&self) -> Regime {
        Regime::Eager
    }

    /// Returns true where this process can no longer use the device, as after an illegal memory access on a GPU. A
    /// fresh process can use it again.
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

    fn regime(&self) -> Regime {
        (**self).regime()
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
    /// Begins to time.
    fn start(&mut self);

    /// Ends timing: returns the duration in nanoseconds. It is NaN when the work failed on the device after the call
    /// had returned (launches are asynchronous).
    fn stop(&mut self) -> f64;

    /// The reason for which the last [`stop`](Self::stop) had no time, where it is known better than that the work
    /// failed on the device. It goes on a sentence about the variant.
    fn failure(&self) -> Option<&str> {
        None
    }
}

/// One device: its identity and its device features. A device in a regime is a device of its own.
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
    regime: Regime,
    /// The same device in the eager regime, whose features it has too; none where it is that itself.
    eager: Option<&'static DeviceEntry>,
    /// The same device in the other regimes, each made when it is first asked for.
    in_regimes: [OnceBox<DeviceEntry>; Regime::ALL.len()],
    described: Vec<DeviceFeature>,
    momentary: Vec<DeviceFeature>,
    benchmarks: fn(&DeviceEntry) -> Vec<Benchmark>,
    /// The measured features that this process uses.
    pub(crate) measured: Replaceable<Vec<MeasuredFeature>>,
    /// The measured features that other processes kept, read when they are first asked for.
    kept: OnceBox<Vec<MeasuredFeature>>,
    /// True where the device is to be measured in the background.
    pub(crate) is_wanted: AtomicBool,
    /// True once it was told that calls wait for the device.
    is_told: AtomicBool,
}

/// The answer to a look for a device feature that measures nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lookup {
    Value(f64),
    /// It takes a measurement first.
    Pending,
    Absent,
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

    /// The entry as [`intern`](Self::intern) makes it. `described` also gives, second, the features that are known
    /// at once and differ between devices of the kind.
    pub(crate) fn intern_with_momentary(
        id: &str,
        described: impl FnOnce() -> (Vec<DeviceFeature>, Vec<DeviceFeature>),
        benchmarks: fn(&DeviceEntry) -> Vec<Benchmark>,
    ) -> &'static Self {
        REGISTRY.find_or_insert(
            |entry| entry.id == id,
            || {
                let (described, momentary) = described();
                Self { momentary, ..Self::new(id.to_owned(), described, benchmarks) }
            },
        )
    }

    /// An entry in the eager regime.
    fn new(
        id: String,
        described: Vec<DeviceFeature>,
        benchmarks: fn(&DeviceEntry) -> Vec<Benchmark>,
    ) -> Self {
        Self {
            id,
            regime: Regime::Eager,
            eager: None,
            in_regimes: [const { OnceBox::new() }; Regime::ALL.len()],
            described,
            momentary: Vec::new(),
            benchmarks,
            measured: Replaceable::new(),
            kept: OnceBox::new(),
            is_wanted: AtomicBool::new(false),
            is_told: AtomicBool::new(false),
        }
    }

    /// The same device in a regime. It has a device feature more ([`Regime::feature`]); what is measured of it is
    /// measured once for all regimes.
    ///
    /// ```
    /// use nitro_core::{Device, Regime, host::Host};
    ///
    /// let host = Host::with_threads(2);
    /// let cold = host.entry().in_regime(Regime::Cold);
    /// assert!(cold.id().starts_with("host:2+cold@"));
    /// assert_eq!((cold.feature("threads"), cold.feature("regime_cold")), (Some(2.0), Some(1.0)));
    /// assert_eq!(host.entry().feature("regime_cold"), Some(0.0));
    /// assert_eq!(cold.in_regime(Regime::Eager), host.entry());
    /// ```
    pub fn in_regime(&'static self, regime: Regime) -> &'static Self {
        let eager = self.eager();
        let Some(feature) = regime.feature() else { return eager };
        eager.in_regimes[regime as usize].get_or_init(|| {
            let described = vec![DeviceFeature { name: feature.to_owned(), value: 1.0 }];
            let id = DeviceId::new(&eager.id).in_regime(regime);
            Box::new(Self { regime, eager: Some(eager), ..Self::new(id, described, |_| Vec::new()) })
        })
    }

    /// The regime.
    #[must_use]
    pub fn regime(&self) -> Regime {
        self.regime
    }

    /// The same device in the eager regime. What is measured and kept is there.
    fn eager(&self) -> &Self {
        self.eager.unwrap_or(self)
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

    /// The device feature of this name; that of a regime in which the device is not is 0. Asking for a measured one
    /// runs the measurements, once, and waits for them.
    pub fn feature(&self, name: &str) -> Option<f64> {
        self.described(name).or_else(|| value(self.measured().iter().map(|own| &own.feature), name))
    }

    /// The device feature of this name among those that are known without measuring.
    pub fn described(&self, name: &str) -> Option<f64> {
        self.of_kind(name).or_else(|| value(&self.eager().momentary, name))
    }

    /// The device feature of this name, if it is the same on every device of the kind, in every process. That is
    /// what the system tells of the hardware, without what it tells of the moment.
    pub fn of_kind(&self, name: &str) -> Option<f64> {
        let own = value(&self.described, name);
        own.or_else(|| value(&self.eager().described, name)).or_else(|| unstated_feature(name))
    }

    /// All device features, the measured ones last; without those that are 0 of regimes.
    pub fn features(&self) -> impl Iterator<Item = &DeviceFeature> {
        let measured = self.measured().iter().map(|own| &own.feature);
        let of_eager = self.eager.iter().flat_map(|eager| eager.described.iter().chain(&eager.momentary));
        self.described.iter().chain(&self.momentary).chain(of_eager).chain(measured)
    }

    /// The device features that take a benchmark, with what is known of their measurement. Those that are not kept,
    /// or are noisy and old, are measured when this process asks first. The caller waits for that, a minute or two
    /// at most.
    pub fn measured(&self) -> &[MeasuredFeature] {
        if let Some(eager) = self.eager {
            return eager.measured();
        }
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
        if let Some(eager) = self.eager {
            return eager.measure_again();
        }
        let benchmarks = self.benchmarks();
        let measured = measured::measure(self.kept_in().as_deref(), benchmarks.iter(), &Present::now());
        self.measured.get_or_init(|| measured.clone()); // what the process has is not replaced
        measured
    }

    /// Looks a device feature up, without measuring or waiting.
    pub(crate) fn look_up(&self, name: &str) -> Lookup {
        if let Some(value) = self.described(name) {
            return Lookup::Value(value);
        }
        if let Some(eager) = self.eager {
            return eager.look_up(name);
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

    /// The measured features that the process uses. Where nothing was measured here yet, these are all kept ones, if
    /// they are all there is to know.
    fn look_up_measured(&self) -> Option<&Vec<MeasuredFeature>> {
        self.measured.get().or_else(|| {
            let (benchmarks, kept) = (self.benchmarks(), self.kept());
            measured::missing(&benchmarks, kept).is_empty().then(|| {
                self.measured.get_or_init(|| {
                    benchmarks.iter().filter_map(|own| measured::find(kept, own)).cloned().collect()
                })
            })
        })
    }

    /// Has the device measured while calls go on, where features that a model needs are pending or noisy. Told once.
    pub(crate) fn measure_in_background(&'static self) {
        if let Some(eager) = self.eager {
            return eager.measure_in_background();
        }
        let is_pending = self.has_to_be_measured();
        if is_pending || !measured::is_settled(&self.benchmarks(), self.kept()) {
            background::begin(self, Priority::Low);
        }
        if is_pending && !self.is_told.swap(true, Ordering::Relaxed) {
            let device = self.id();
            events::tell(move || {
                tracing::info!(
                    device,
                    "device features are measured in the background; until then functions whose models need \
                     them run their defaults (`prepare` waits for it)"
                );
            });
        }
    }

    /// Returns true where the process has no measured features that it could use.
    pub(crate) fn has_to_be_measured(&self) -> bool {
        self.eager().measured.get().is_none()
    }

    /// The benchmarks that measure it.
    pub(crate) fn benchmarks(&self) -> Vec<Benchmark> {
        (self.benchmarks)(self)
    }

    /// The measured features that other processes kept.
    pub(crate) fn kept(&self) -> &[MeasuredFeature] {
        self.kept.get_or_init(|| {
            Box::new(self.kept_in().as_deref().and_then(feature_cache::load).unwrap_or_default())
        })
    }

    /// The file in which measured features are kept; none when the user has no folder for such files.
    #[must_use]
    pub fn kept_in(&self) -> Option<PathBuf> {
        feature_cache::file(&self.eager().id)
    }
}

/// Finds the value of a feature by its name.
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
