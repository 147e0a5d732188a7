//! Measuring device features while calls go on. One thread of the process does it, of low priority unless somebody
//! waits for it, and with a deadline.
//!
//! No lock is held meanwhile. A process that was forked begins a thread of its own when a call asks.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::Present;
use crate::device::DeviceEntry;
use crate::device::feature::MeasuredFeature;
use crate::own_thread::OwnThread;
use crate::{epoch, events};

/// The time after which no further benchmark of a device begins.
pub(super) const DEADLINE: Duration = Duration::from_secs(60);
/// The time after which a benchmark that does not end is left alone.
const ABANDONED: Duration = Duration::from_secs(75);
/// The time that a thread waits for a device, which may be behind another one.
const LONGEST_WAIT: Duration = Duration::from_secs(150);

/// The thread that measures.
static MEASURER: OwnThread = OwnThread::new();

thread_local! {
    /// True on the thread that measures: what it runs must not wait for itself.
    static IS_MEASURING: Cell<bool> = const { Cell::new(false) };
}

/// The priority of the measuring thread.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Priority {
    /// Calls go on meanwhile.
    Low,
    /// Somebody waits.
    Normal,
}

/// Has the device's features measured, unless that goes on already.
pub(crate) fn begin(device: &'static DeviceEntry, priority: Priority) {
    device.is_wanted.store(true, Ordering::SeqCst);
    if let Err(error) = MEASURER.begin("nitro-measure", move || run(priority)) {
        give_up(device, &format!("no thread can be started: {error}"));
    }
}

/// Waits until the device is measured, or cannot be.
pub(crate) fn wait(device: &'static DeviceEntry) {
    let begun = Instant::now();
    let is_own = IS_MEASURING.try_with(Cell::get).unwrap_or(false);
    while !is_own && device.has_to_be_measured() && begun.elapsed() < LONGEST_WAIT {
        begin(device, Priority::Normal);
        thread::sleep(Duration::from_millis(2));
    }
}

/// Measures the wanted devices, one after the other.
fn run(priority: Priority) {
    if priority == Priority::Low {
        lower_priority();
    }
    loop {
        while let Some(device) = wanted() {
            measure(device);
            device.is_wanted.store(false, Ordering::SeqCst);
        }
        if !MEASURER.goes_on(|| wanted().is_some()) {
            return;
        }
    }
}

/// The next device that is to be measured.
fn wanted() -> Option<&'static DeviceEntry> {
    DeviceEntry::all().find(|device| device.is_wanted.load(Ordering::SeqCst))
}

/// Measures one device, on a thread that is left alone when it does not come back.
fn measure(device: &'static DeviceEntry) {
    let begun = Instant::now();
    let spawned = thread::Builder::new().name("nitro-benchmark".into()).spawn(move || {
        IS_MEASURING.set(true);
        let benchmarks = device.benchmarks();
        let file = device.kept_in();
        let features = super::kept_or_measured(file.as_deref(), &benchmarks, &Present::now());
        let missing = super::missing(&benchmarks, &features);
        (features, missing)
    });
    let benchmark = match spawned {
        Ok(benchmark) => benchmark,
        Err(error) => return give_up(device, &format!("no thread can be started: {error}")),
    };
    while !benchmark.is_finished() {
        if begun.elapsed() >= ABANDONED {
            return give_up(device, &format!("a benchmark did not end in {} s", ABANDONED.as_secs()));
        }
        thread::sleep(Duration::from_millis(2));
    }
    match benchmark.join() {
        Ok((features, missing)) => {
            publish(device, features);
            match missing.is_empty() {
                true => tracing::info!(device = device.id(), "device features are measured, models use them"),
                false => tell_missing(device, &format!("{missing} could not be measured")),
            }
        }
        Err(_) => give_up(device, "a benchmark panicked"),
    }
}

/// Goes on with what is kept of the device's features.
fn give_up(device: &'static DeviceEntry, why: &str) {
    publish(device, device.kept().to_vec());
    tell_missing(device, why);
}

/// Lets calls use the features; those that waited for them choose anew.
fn publish(device: &'static DeviceEntry, features: Vec<MeasuredFeature>) {
    device.measured.get_or_init(|| features); // a process goes on with what it has
    epoch::advance();
}

fn tell_missing(device: &'static DeviceEntry, why: &str) {
    let (id, why) = (device.id(), why.to_owned());
    events::tell(move || {
        tracing::warn!(
            device = id,
            why,
            "device features are not measured, functions whose models need them run their defaults"
        );
        events::line_where_nobody_listens(format_args!(
            "device features of {id} are not measured: {why}; functions whose models need them run their default \
             variants"
        ));
    });
}

/// Lets other threads go first. On other systems there is no way without a library to say so: `nice` is about the
/// whole process there.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    {
        unsafe extern "C" {
            /// POSIX; on Linux about the calling thread, and about those that it starts.
            safe fn nice(increment: std::ffi::c_int) -> std::ffi::c_int;
        }
        // A tenth of what another thread gets on the same processor: with less, a busy machine would hardly be
        // measured at all.
        nice(10);
    }
}
