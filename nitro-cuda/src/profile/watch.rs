//! Which launches a profiler sees. It is told to look (`--profile-from-start off`) for single launches by the driver's profiler
//! control, which does nothing where no profiler is attached.

use std::cell::RefCell;

use nitro_core::Stopwatch;

use crate::driver::driver;
use crate::{Cuda, CudaError, Stream};

thread_local! {
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

/// The launches that this thread makes.
struct Watch {
    /// Whether a timed call is running: only its launches count.
    in_call: bool,
    /// Launches so far.
    launches: usize,
    /// Positions of those that the profiler sees, ascending.
    shown: Vec<usize>,
}

impl Watch {
    /// Counts one more launch; whether the profiler sees it.
    fn launch(&mut self) -> bool {
        if !self.in_call {
            return false;
        }
        self.launches += 1;
        self.shown.binary_search(&(self.launches - 1)).is_ok()
    }
}

/// Runs `work` and shows the profiler those launches of its timed calls; the number of all of them. Also after a panic the
/// thread is watched no longer.
pub(super) fn during(shown: &[usize], work: &mut dyn FnMut()) -> usize {
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            WATCH.take();
        }
    }
    WATCH.replace(Some(Watch { in_call: false, launches: 0, shown: shown.to_vec() }));
    let _end = End;
    work();
    WATCH.with_borrow(|watch| watch.as_ref().map_or(0, |watch| watch.launches))
}

/// Makes a launch, and shows it to the profiler if the thread's watch wants it. A context is current.
pub(crate) fn around(launch: impl FnOnce() -> Result<(), CudaError>) -> Result<(), CudaError> {
    let show = WATCH.with_borrow_mut(|watch| watch.as_mut().is_some_and(Watch::launch));
    if show { shown(launch) } else { launch() }
}

/// Makes a launch on the device that the profiler sees.
pub(super) fn show(device: Cuda, launch: impl FnOnce() -> Result<(), CudaError>) -> Result<(), CudaError> {
    let _active = device.activate()?;
    shown(launch)
}

/// Makes a launch that the profiler sees. A context is current.
fn shown(launch: impl FnOnce() -> Result<(), CudaError>) -> Result<(), CudaError> {
    // SAFETY: the call has no arguments.
    unsafe { driver!(cuProfilerStart()) }?;
    let launched = launch();
    // SAFETY: as above.
    unsafe { driver!(cuProfilerStop()) }?;
    launched
}

/// While the thread is watched, what takes the place of a call's stopwatch: it tells where the call begins and ends.
pub(crate) fn stopwatch(stream: Stream) -> Option<Box<dyn Stopwatch>> {
    let watched = WATCH.with_borrow(Option::is_some);
    watched.then(|| Box::new(Gate { stream }) as Box<dyn Stopwatch>)
}

struct Gate {
    stream: Stream,
}

impl Gate {
    fn set(in_call: bool) {
        WATCH.with_borrow_mut(|watch| {
            if let Some(watch) = watch {
                watch.in_call = in_call;
            }
        });
    }
}

impl Stopwatch for Gate {
    fn start(&mut self) {
        Self::set(true);
    }

    /// No time: a watched call is slowed down by the profiler.
    fn stop(&mut self) -> f64 {
        Self::set(false);
        if self.stream.synchronize().is_ok() { 0.0 } else { f64::NAN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_launches_of_timed_calls_count() {
        let launch = || around(|| Ok(())).unwrap();
        let launches = during(&[], &mut || {
            launch();
            Gate::set(true);
            (0..3).for_each(|_| launch());
            Gate::set(false);
            launch();
        });
        assert_eq!(launches, 3);
    }

    #[test]
    fn a_watch_ends_with_its_work_also_when_that_panics() {
        let panicked = std::panic::catch_unwind(|| during(&[], &mut || panic!("as a variant may")));
        assert!(panicked.is_err());
        assert!(WATCH.with_borrow(Option::is_none));
    }

    #[test]
    fn the_chosen_launches_are_shown() {
        let mut watch = Watch { in_call: true, launches: 0, shown: vec![0, 3] };
        let shown: Vec<bool> = (0..5).map(|_| watch.launch()).collect();
        assert_eq!(shown, [true, false, false, true, false]);
    }
}
