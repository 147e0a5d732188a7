//! The load: what others took of the processors while an input was measured.
//!
//! What counts is what the measured function lacked, and not what others did elsewhere: one of 64 processors that
//! is busy for others hardly disturbs. The function needs as many processors as its device has threads (one for
//! other devices than the host); what others leave of those that this process may use is compared with that. To it
//! comes the share of busy time that a hypervisor took away (steal time).
//!
//! The system counts in ticks of 10 ms. A shorter look says nothing, so where an input took less than
//! [`LEAST_TICKS`] the look goes back to an earlier reading, and tells of the time before the input too.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt::Debug;

use nitro_core::{Device, ProcessorTime};

/// The source of what a recording knows of the processors, which tests replace.
///
/// ```
#[doc = include_str!("example_desk.md")]
/// use nitro_train::ProcessorTime;
/// use nitro_train::measure::{Inputs, Plan, Processors, Repeats, Share, Silent, record_inputs};
///
/// /// A system that does not tell.
/// #[derive(Debug)]
/// struct Hidden;
///
/// impl Processors for Hidden {
///     fn time(&self) -> Option<ProcessorTime> {
///         None
///     }
/// }
///
/// let names = ["10".to_owned()];
/// let repeats = Repeats { most: 10, ..Repeats::default() };
/// let plan = Plan { processors: &Hidden, ..Plan::new(Inputs::Generated(&names), repeats, Share::default()) };
/// let mut store = nitro_train::store::memory()?;
/// record_inputs(sort::function(), &Desk, &plan, &mut *store, &Silent, keys)?;
/// assert!(store.load("sort")?.measurements.iter().all(|one| one.load.is_none())); // unknown, not zero
/// # Ok::<(), BoxError>(())
/// ```
pub trait Processors: Debug + Sync {
    /// Returns the time of the processors so far; none where that is not known.
    fn time(&self) -> Option<ProcessorTime>;
}

/// The processors of this machine, as Linux tells of them; of other systems nothing is known.
#[derive(Clone, Copy, Debug)]
pub struct SystemProcessors;

impl Processors for SystemProcessors {
    fn time(&self) -> Option<ProcessorTime> {
        ProcessorTime::now()
    }
}

/// Ticks of the wall's clock below which a share is not told: 0.2 s.
const LEAST_TICKS: u64 = 20;

/// Looks at the load while inputs of one function are measured on one device.
pub(super) struct LoadWatch<'a> {
    processors: &'a dyn Processors,
    /// Number of processors that the device needs.
    threads: u64,
    /// Readings in the order of time. A look from the first tells a share; one from the second may be too short.
    readings: RefCell<VecDeque<ProcessorTime>>,
}

/// The moment from which the load is looked at.
#[derive(Clone, Copy)]
pub(super) struct LoadStart(Option<ProcessorTime>);

impl<'a> LoadWatch<'a> {
    /// Creates a watch for the work of one device.
    pub(super) fn new(processors: &'a dyn Processors, device: &dyn Device) -> Self {
        // The host says how many threads it is used with; code for other devices waits on one thread.
        let threads = device.entry().described("threads").map_or(1, |threads| threads as u64).max(1);
        let watch = Self { processors, threads, readings: RefCell::default() };
        watch.begin();
        watch
    }

    /// Begins a look.
    pub(super) fn begin(&self) -> LoadStart {
        let now = self.processors.time();
        if let Some(now) = now {
            let mut readings = self.readings.borrow_mut();
            readings.push_back(now);
            while readings.get(1).is_some_and(|next| now.wall_since(next) >= LEAST_TICKS) {
                readings.pop_front();
            }
        }
        LoadStart(now)
    }

    /// Returns the load since a look began, from 0 to 1; none where it is not known.
    pub(super) fn end(&self, LoadStart(begin): LoadStart) -> Option<f64> {
        let (begin, LoadStart(now)) = (begin?, self.begin());
        let now = now?;
        let is_long = now.wall_since(&begin) >= LEAST_TICKS;
        let begin = if is_long { begin } else { *self.readings.borrow().front()? };
        load(&begin, &now, self.threads)
    }
}

/// Returns the share that others took of what so many threads need.
fn load(begin: &ProcessorTime, end: &ProcessorTime, threads: u64) -> Option<f64> {
    let wall = end.wall_since(begin);
    if wall < LEAST_TICKS {
        return None;
    }
    let all = end.total.saturating_sub(begin.total);
    let left = all.saturating_sub(end.others_since(begin));
    let needed = (threads.min(end.processors) * wall).min(all);
    let lacking = needed.saturating_sub(left) as f64 / needed as f64;
    // A hypervisor takes from whoever runs, and so from the function as from others.
    let busy = end.busy.saturating_sub(begin.busy);
    let stolen = end.stolen.saturating_sub(begin.stolen).min(busy) as f64 / busy.max(1) as f64;
    Some((lacking + stolen).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: ProcessorTime = ProcessorTime { processors: 4, total: 0, busy: 0, stolen: 0, own: 0 };

    /// The load on a device of so many threads while others and this process used so much in 100 ticks of four
    /// processors.
    fn load_of(threads: u64, others: u64, own: u64, stolen: u64) -> f64 {
        let busy = others + own + stolen;
        load(&NOTHING, &ProcessorTime { processors: 4, total: 400, busy, stolen, own }, threads).unwrap()
    }

    #[test]
    fn what_others_do_on_free_processors_is_no_load() {
        assert_eq!(load_of(1, 0, 100, 0), 0.0);
        assert_eq!(load_of(1, 300, 100, 0), 0.0, "one is left, and one is needed");
        assert_eq!(load_of(2, 200, 200, 0), 0.0);
        assert_eq!(load_of(1, 350, 50, 0), 0.5);
        assert_eq!(load_of(4, 100, 300, 0), 0.25);
        assert_eq!(load_of(4, 200, 200, 0), 0.5, "half of all is taken");
        assert_eq!(load_of(4, 40, 10, 0), 0.1, "the function used less, and could not have had more");
        assert_eq!(load_of(64, 200, 200, 0), 0.5, "more threads than processors need them all");
    }

    #[test]
    fn stolen_time_is_taken_from_whoever_runs() {
        assert_eq!(load_of(1, 0, 75, 25), 0.25);
        assert_eq!(load_of(1, 100, 100, 50), 0.2);
        assert_eq!(load_of(1, 350, 0, 50), 0.625, "others and the hypervisor add up");
        assert_eq!(load_of(4, 390, 0, 10), 1.0);
    }

    #[test]
    fn too_short_a_look_and_a_clock_that_stands_tell_nothing() {
        let short = ProcessorTime { total: 4 * LEAST_TICKS - 1, busy: 70, ..NOTHING };
        assert_eq!(load(&NOTHING, &short, 1), None);
        assert_eq!(load(&NOTHING, &NOTHING, 1), None);
        let back = ProcessorTime { total: 400, busy: 400, stolen: 9, own: 400, ..NOTHING };
        assert_eq!(load(&back, &NOTHING, 1), None);
    }
}
