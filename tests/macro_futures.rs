//! `async fn` with variants: the choice is made before the variant is polled, the time is that of the whole future, and
//! the future may go to another thread.

mod macro_support;

use std::cell::Cell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Wake, Waker};

use nitro::recording::record;
use nitro::{Device, DeviceEntry, Reason, Stopwatch, code_variant, code_variants, host};

/// Wakes whoever waits for a message.
struct Woken(Sender<()>);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.send(()).expect("somebody waits");
    }
}

/// Polls a future to its end on this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    let (waker, woken) = waker();
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => return result,
            Poll::Pending => woken.recv().expect("it is woken"),
        }
    }
}

fn waker() -> (Waker, Receiver<()>) {
    let (send, woken) = channel();
    (Waker::from(Arc::new(Woken(send))), woken)
}

/// Is ready when it is polled once more.
#[derive(Default)]
struct Later(bool);

impl Future for Later {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

thread_local!(static STEPS: Cell<u32> = const { Cell::new(0) });

/// The work of a variant, and the time that passes.
fn step() {
    STEPS.set(STEPS.get() + 1);
}

/// The host by a clock that counts steps.
struct Counted;

impl Device for Counted {
    fn entry(&self) -> &'static DeviceEntry {
        host::current().entry()
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        struct Watch(u32);

        impl Stopwatch for Watch {
            fn start(&mut self) {
                self.0 = STEPS.get();
            }

            fn stop(&mut self) -> f64 {
                f64::from(STEPS.get() - self.0)
            }
        }
        Box::new(Watch(0))
    }
}

async fn at_once<T: Copy>(keys: &[T], fail: bool) -> Result<&T, String> {
    step();
    if fail { Err("fails".to_owned()) } else { Ok(&keys[0]) }
}

async fn in_steps<T: Copy>(keys: &[T], _: bool) -> Result<&T, String> {
    step();
    Later::default().await;
    step();
    Later::default().await;
    step();
    Ok(keys.last().expect("there is one"))
}

async fn in_pairs<T: Copy, const STEP: usize>(keys: &[T], fail: bool) -> Result<&T, String> {
    if fail {
        panic!("is asked to");
    }
    Ok(&keys[STEP])
}

/// One of the keys.
#[code_variant(
    name = "found",
    device = Counted,
    features(length = keys.len()),
    variants(at_once, in_steps if length > 1, in_pairs { const STEP in [1, 2] } if length > STEP),
    default = at_once,
    model = FOUND.as_slice(),
)]
async fn found<T: Copy>(keys: &[T], fail: bool) -> Result<&T, String>;

static FOUND: LazyLock<Vec<u8>> =
    LazyLock::new(|| macro_support::threshold("found", ["in_steps", "in_pairs{STEP=2}"], "length", 2.5));

#[test]
fn a_future_runs_what_its_model_chooses() {
    assert_eq!(block_on(found(&[1], true)), Err("fails".to_owned()));
    assert_eq!(block_on(found(&[1, 2], true)), Ok(&2));
    assert_eq!(block_on(found(&[1, 2, 3, 4], false)), Ok(&3));
    assert_eq!(block_on(found::call(found::Variant::InPairs, &[1, 2, 3], false)), Ok(&2));
    let selection = found::select(&[1], false);
    assert_eq!(selection.reason(), Reason::NoneAdmissible);
    assert!(!found::admissible(found::Variant::InSteps, &[1], false));
}

#[test]
fn the_time_is_that_of_the_whole_future() {
    let function = found::function();
    for (choice, steps) in [("at_once", 1.0), ("in_steps", 3.0)] {
        let choice = function.choice(choice).unwrap();
        let (result, observation) =
            record(function, choice, &[choice], || block_on(found(&[1, 2], false)).copied()).unwrap();
        assert!(result.is_ok());
        assert_eq!((observation.calls, observation.failures, observation.time_ns), (1, 0, steps));
        assert_eq!((observation.features, observation.admissible), (vec![2.0], vec![true]));
    }
}

#[test]
fn a_future_that_fails_or_panics_has_failed() {
    let function = found::function();
    let failing = |choice: &str| {
        let choice = function.choice(choice).unwrap();
        record(function, choice, &[], || {
            let panicked = std::panic::catch_unwind(|| block_on(found(&[1, 2], true)).is_ok());
            (panicked.is_err(), block_on(found(&[1, 2], false)).is_ok())
        })
    };
    let (_, error) = failing("at_once").unwrap();
    assert_eq!((error.calls, error.failures, error.faults), (2, 1, 0));
    let ((has_panicked, goes_on), panic) = failing("in_pairs").unwrap();
    assert!(has_panicked && goes_on);
    assert_eq!((panic.calls, panic.failures, panic.faults), (2, 1, 1));
}

/// What a recording cannot time it does not guess.
#[test]
fn a_future_that_ends_on_another_thread_is_refused_with_the_reason() {
    let function = found::function();
    let choice = function.choice("in_steps").unwrap();
    let (result, observation) = record(function, choice, &[], || {
        let mut future = Box::pin(found(&[1, 2], false));
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker().0)).is_pending());
        std::thread::scope(|scope| scope.spawn(|| block_on(future)).join().expect("it ends"))
    })
    .unwrap();
    assert_eq!(result, Ok(&2));
    assert_eq!((observation.calls, observation.faults, observation.time_ns), (1, 1, 0.0));
    let fault = observation.fault.expect("it is said why");
    assert!(fault.contains("on a runtime of one thread"), "{fault}");
}

// --- methods ---

struct Keys(Vec<u32>);

#[code_variants]
impl Keys {
    /// Moves a key.
    #[code_variant(variants(swapped, rotated), default = swapped, model = MOVED.as_slice())]
    async unsafe fn moved(&mut self, from: impl FnOnce(&Self) -> usize) -> &mut u32;

    async fn swapped(&mut self, from: impl FnOnce(&Self) -> usize) -> &mut u32 {
        let from = from(self);
        Later::default().await;
        self.0.swap(0, from);
        &mut self.0[0]
    }

    async fn rotated(&mut self, from: impl FnOnce(&Self) -> usize) -> &mut u32 {
        let from = from(self);
        self.0.rotate_left(from);
        &mut self.0[0]
    }
}

static MOVED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    macro_support::constant("macro_futures::Keys::moved", &["swapped", "rotated"], "rotated")
});

#[test]
fn a_method_may_be_a_future() {
    let mut keys = Keys(vec![1, 2, 3]);
    // SAFETY: nothing is asked.
    *block_on(unsafe { keys.moved(|_| 1) }) += 10;
    assert_eq!(keys.0, [12, 3, 1]);
    let swapped = keys_moved::Variant::Swapped;
    // SAFETY: nothing is asked.
    assert_eq!(*block_on(unsafe { keys.moved_call(swapped, |own| own.0.len() - 1) }), 1);
}

/// A runtime of many threads takes it.
#[test]
fn a_future_is_sent_where_those_of_its_variants_are() {
    fn is_sent<F: Send>(future: F) -> F {
        future
    }
    let keys = vec![1, 2, 3];
    let sent = is_sent(async move { found(&keys, false).await.copied() });
    assert_eq!(std::thread::spawn(|| block_on(sent)).join().expect("it ends"), Ok(3));
}
