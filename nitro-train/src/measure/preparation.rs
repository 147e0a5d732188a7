//! Threads of the host that make candidates ready to run, e.g. compile them, while another one is timed.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

use nitro_core::Choice;

use super::spent::timed;

/// The most threads that prepare: more would wait for the disk.
const MOST_THREADS: usize = 16;

/// Makes a choice ready to run, on any thread.
///
/// ```
#[doc = include_str!("example_desk.md")]
/// use std::sync::Mutex;
///
/// use nitro_train::measure::{Inputs, Plan, Prepare, Repeats, Share};
///
/// let (names, compiled) = (["10".to_owned()], Mutex::new(Vec::new()));
/// let prepare = |choice: nitro::Choice| compiled.lock().unwrap().push(choice); // instead of compiling
/// let plan = Plan::new(Inputs::Generated(&names), Repeats::default(), Share::default());
/// let plan = Plan { prepare: Some(Prepare(&prepare)), ..plan }; // for a search
/// # let _ = (plan, keys, sort::function(), Desk);
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Prepare<'a>(pub &'a (dyn Fn(Choice) + Sync));

impl fmt::Debug for Prepare<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Prepare").finish_non_exhaustive()
    }
}

/// A queue of choices that wait to be prepared.
#[derive(Default)]
pub(super) struct PreparationQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Choice>,
    /// Choices that were taken from there.
    begun: BTreeSet<Choice>,
    /// Those of them that are prepared, as far as they can be.
    done: BTreeSet<Choice>,
    is_closed: bool,
    /// Seconds that all threads took.
    seconds: f64,
    /// Seconds that whoever runs the candidates waited for them.
    waited_s: f64,
}

impl PreparationQueue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the seconds that all threads together took so far.
    pub(super) fn seconds(&self) -> f64 {
        self.lock().seconds
    }

    /// Returns the seconds for which no candidate was ready.
    pub(super) fn waited_s(&self) -> f64 {
        self.lock().waited_s
    }

    /// Waits as [`wait_until`](Self::wait_until) does, and counts the time.
    fn wait_counted(&self, holds: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let (waited_s, mut state) = timed(|| self.wait_until(holds));
        state.waited_s += waited_s;
        state
    }

    /// Waits until a condition holds of the state.
    fn wait_until(&self, holds: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while !holds(&state) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// Returns the next choice, which it waits for; none once the queue is closed.
    fn take(&self) -> Option<Choice> {
        let mut state = self.wait_until(|state| !state.waiting.is_empty() || state.is_closed);
        let next = state.waiting.pop_front()?;
        state.begun.insert(next);
        Some(next)
    }

    /// Notes that a choice is prepared, which took a thread so long.
    fn end(&self, choice: Choice, seconds: f64) {
        let mut state = self.lock();
        state.seconds += seconds;
        state.done.insert(choice);
        drop(state);
        self.changed.notify_all();
    }
}

/// Returns the number of threads that prepare: one for each core but one.
fn threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores - 1).clamp(1, MOST_THREADS)
}

/// The threads that prepare what waits. They end with the value, after what they are at.
pub(super) struct PreparationThreads<'q>(&'q PreparationQueue);

impl<'q> PreparationThreads<'q> {
    /// Starts the threads.
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        queue: &'q PreparationQueue,
        prepare: Prepare<'scope>,
    ) -> Self
    where
        'q: 'scope,
    {
        for _ in 0..threads() {
            scope.spawn(move || {
                while let Some(choice) = queue.take() {
                    // Whatever is wrong with the choice shows when it runs.
                    let (seconds, _) = timed(|| catch_unwind(AssertUnwindSafe(|| prepare.0(choice))));
                    queue.end(choice, seconds);
                }
            });
        }
        Self(queue)
    }

    /// Puts these choices in the place of those that wait, `later` behind them, and waits until one of them is
    /// prepared.
    ///
    /// Returns their positions, those of the prepared ones first.
    pub(super) fn order(&self, choices: &[Choice], later: impl Iterator<Item = Choice>) -> Vec<usize> {
        self.want(choices.iter().copied().chain(later));
        let is_any_done = |state: &State| choices.iter().any(|choice| state.done.contains(choice));
        let state = self.0.wait_counted(|state| choices.is_empty() || is_any_done(state));
        let mut order: Vec<usize> = (0..choices.len()).collect();
        order.sort_by_key(|&at| !state.done.contains(&choices[at]));
        order
    }

    /// Waits until a choice that is wanted is prepared: whoever runs it before compiles it once more.
    pub(super) fn wait_for(&self, choice: Choice) {
        drop(self.0.wait_counted(|state| state.done.contains(&choice)));
    }

    /// Puts these choices in the place of those that wait.
    fn want(&self, choices: impl Iterator<Item = Choice>) {
        let mut state = self.0.lock();
        let State { waiting, begun, .. } = &mut *state;
        let mut wanted = BTreeSet::new();
        *waiting = choices.filter(|choice| !begun.contains(choice) && wanted.insert(*choice)).collect();
        drop(state);
        self.0.changed.notify_all();
    }
}

impl Drop for PreparationThreads<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.waiting.clear();
        state.is_closed = true;
        drop(state);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::mpsc::channel;

    use nitro_core::Configuration;

    use super::*;

    fn choice(rank: u64) -> Choice {
        Choice { variant: 0, configuration: Configuration::of_rank(rank) }
    }

    #[test]
    fn what_is_wanted_is_prepared_once_on_other_threads_whatever_becomes_of_others() {
        let (done, prepared) = channel();
        let prepare = |own: Choice| {
            assert!(own != choice(1), "it cannot be compiled");
            done.send((own, std::thread::current().id())).unwrap();
        };
        let queue = PreparationQueue::default();
        std::thread::scope(|scope| {
            let ahead = PreparationThreads::start(scope, &queue, Prepare(&prepare));
            ahead.want((0..4).map(choice));
            let mut found: Vec<_> = prepared.iter().take(3).collect();
            ahead.want((0..6).chain([5]).map(choice));
            found.extend(prepared.iter().take(2));
            found.sort_by_key(|(own, _)| *own);
            assert_eq!(found.iter().map(|(own, _)| *own).collect::<Vec<_>>(), [0, 2, 3, 4, 5].map(choice));
            assert!(found.iter().all(|(_, thread)| *thread != std::thread::current().id()));
        });
        assert!(prepared.try_recv().is_err(), "nothing twice");
    }

    #[test]
    fn as_many_candidates_as_there_are_threads_are_in_preparation_at_once() {
        let together = Barrier::new(threads());
        let prepare = |_: Choice| {
            together.wait();
        };
        let queue = PreparationQueue::default();
        std::thread::scope(|scope| {
            let ahead = PreparationThreads::start(scope, &queue, Prepare(&prepare));
            let all: Vec<_> = (0..threads() as u64).map(choice).collect();
            ahead.order(&all, std::iter::empty());
            all.iter().for_each(|own| ahead.wait_for(*own));
        });
    }

    #[test]
    fn what_is_prepared_comes_before_what_the_threads_are_still_at() {
        let (go_on, is_going_on) = channel();
        let is_going_on = Mutex::new(is_going_on);
        let prepare = |own: Choice| {
            if own == choice(1) {
                is_going_on.lock().unwrap().recv().unwrap();
            }
        };
        let queue = PreparationQueue::default();
        std::thread::scope(|scope| {
            let ahead = PreparationThreads::start(scope, &queue, Prepare(&prepare));
            ahead.order(&[choice(0)], std::iter::empty());
            assert_eq!(ahead.order(&[choice(1), choice(0)], std::iter::empty()), [1, 0]);
            go_on.send(()).unwrap();
            ahead.wait_for(choice(1));
            assert_eq!(ahead.order(&[choice(1), choice(0)], std::iter::empty()), [0, 1]);
        });
    }
}
