//! The launches that a profiler sees. It is told to look (`--profile-from-start off`) for single launches by the
//! driver's profiler control, which does nothing where no profiler is attached.

use std::cell::RefCell;

use nitro_core::Stopwatch;

use crate::driver::driver;
use crate::{Cuda, CudaError, Stream};

thread_local! {
    static PROFILED: RefCell<Option<Profiled>> = const { RefCell::new(None) };
}

/// The launches that this thread makes.
struct Profiled {
    /// True while a timed call is running: only its launches count.
    in_call: bool,
    /// Launches so far.
    launches: usize,
    /// Positions of those that the profiler sees, ascending.
    selected: Vec<usize>,
}

impl Profiled {
    /// Counts one more launch; whether the profiler sees it.
    fn launch(&mut self) -> bool {
        if !self.in_call {
            return false;
        }
        self.launches += 1;
        self.selected.binary_search(&(self.launches - 1)).is_ok()
    }
}

/// Runs `work` and has the profiler see the selected launches of its timed calls. Returns the number of all of them.
/// Also after a panic the thread is profiled no longer.
pub(crate) fn during(selected: &[usize], work: &mut dyn FnMut()) -> usize {
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            PROFILED.take();
        }
    }
    PROFILED.replace(Some(Profiled { in_call: false, launches: 0, selected: selected.to_vec() }));
    let _end = End;
    work();
    PROFILED.with_borrow(|profiled| profiled.as_ref().map_or(0, |profiled| profiled.launches))
}

/// Returns true where this thread is profiled, launch by launch.
pub(crate) fn is_on() -> bool {
    PROFILED.with_borrow(Option::is_some)
}

/// Makes a launch, which the profiler sees if it is a selected one. A context is current.
pub(crate) fn around(launch: impl FnOnce() -> Result<(), CudaError>) -> Result<(), CudaError> {
    let is_selected = PROFILED.with_borrow_mut(|profiled| profiled.as_mut().is_some_and(Profiled::launch));
    if is_selected { profiled(launch) } else { launch() }
}

/// Makes a launch on the device that the profiler sees.
pub(crate) fn profiled_on(
    device: Cuda,
    launch: impl FnOnce() -> Result<(), CudaError>,
) -> Result<(), CudaError> {
    let _active = device.activate()?;
    profiled(launch)
}

/// Makes a launch that the profiler sees. A context is current.
fn profiled(launch: impl FnOnce() -> Result<(), CudaError>) -> Result<(), CudaError> {
    // SAFETY: the call has no arguments.
    unsafe { driver!(cuProfilerStart()) }?;
    let launched = launch();
    // SAFETY: as above.
    unsafe { driver!(cuProfilerStop()) }?;
    launched
}

/// The stopwatch of a call while the thread is profiled. It tells where the call begins and ends.
pub(crate) fn stopwatch(stream: Stream) -> Option<Box<dyn Stopwatch>> {
    is_on().then(|| Box::new(Gate { stream }) as Box<dyn Stopwatch>)
}

struct Gate {
    stream: Stream,
}

impl Gate {
    fn set(in_call: bool) {
        PROFILED.with_borrow_mut(|profiled| {
            if let Some(profiled) = profiled {
                profiled.in_call = in_call;
            }
        });
    }
}

impl Stopwatch for Gate {
    fn start(&mut self) {
        Self::set(true);
    }

    /// No time: a profiled call is slowed down by the profiler.
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
    fn profiling_ends_with_its_work_also_when_that_panics() {
        let panicked = std::panic::catch_unwind(|| during(&[], &mut || panic!("as a variant may")));
        assert!(panicked.is_err());
        assert!(PROFILED.with_borrow(Option::is_none));
    }

    #[test]
    fn the_selected_launches_are_profiled() {
        let mut profiled = Profiled { in_call: true, launches: 0, selected: vec![0, 3] };
        let selected: Vec<bool> = (0..5).map(|_| profiled.launch()).collect();
        assert_eq!(selected, [true, false, false, true, false]);
    }
}
