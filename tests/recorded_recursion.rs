//! A variant may call its own function again: what a recording tells is of the outermost call, and what runs inside of
//! it is what would run without a recording. Time is a counter that variants advance.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use nitro::recording::{Observation, PartTime, note_part, record, record_parts, wants_parts};
use nitro::{Device, DeviceEntry, Function, Stopwatch, code_variant};

thread_local! {
    /// The time, in nanoseconds.
    static NOW: Cell<u32> = const { Cell::new(0) };
    /// How many stopwatches run.
    static RUNNING: Cell<u32> = const { Cell::new(0) };
    /// The variants that ran, in order.
    static RAN: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

#[derive(Clone, Copy)]
struct Counted;

impl Device for Counted {
    fn entry(&self) -> &'static DeviceEntry {
        DeviceEntry::intern("counted", Vec::new, |_| Vec::new())
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        struct Watch(Option<u32>);
        impl Stopwatch for Watch {
            fn start(&mut self) {
                self.0 = Some(NOW.get());
                RUNNING.set(RUNNING.get() + 1);
                assert_eq!(RUNNING.get(), 1, "one stopwatch runs for a call and all that it calls");
            }
            fn stop(&mut self) -> f64 {
                f64::from(NOW.get() - self.0.expect("it was started"))
            }
        }
        impl Drop for Watch {
            fn drop(&mut self) {
                RUNNING.set(RUNNING.get() - u32::from(self.0.is_some()));
            }
        }
        Box::new(Watch(None))
    }
}

fn work(variant: &'static str, time_ns: u32) {
    NOW.set(NOW.get() + time_ns);
    RAN.with_borrow_mut(|ran| ran.push(variant));
}

/// Records one choice of a function, and describes all.
fn observed<R>(function: &'static Function, variant: &str, body: impl FnOnce() -> R) -> (R, Observation) {
    let choices: Vec<_> = function.default_choices().collect();
    RAN.take();
    record(function, function.choice(variant).expect("a variant"), &choices, body).expect("no panic")
}

/// How a variant comes back to its function.
#[derive(Clone, Copy, Debug)]
enum Way {
    Directly,
    ThroughAnother,
    ThroughAClosure,
    AfterAPanic,
}

#[code_variant(
    name = "total",
    device = Counted,
    features(n = size),
    variants(at_once, split if size >= 2, early),
    default = at_once,
)]
fn total(way: Way, size: i32) -> Result<i32, String>;

fn at_once(_: Way, size: i32) -> Result<i32, String> {
    work("at_once", 10);
    if size < 0 { Err("negative".to_owned()) } else { Ok(size) }
}

/// Counts on its constraint: with one it would not end.
fn split(way: Way, size: i32) -> Result<i32, String> {
    work("split", 3);
    let half = size / 2;
    let halves = [half, size - half, -1].map(|part| match way {
        Way::Directly => total(way, part),
        Way::ThroughAnother => relay(way, part),
        Way::ThroughAClosure => [part].map(|part| total(way, part)).into_iter().next().expect("one"),
        Way::AfterAPanic => {
            catch_unwind(|| broken(part)).expect_err("it panics");
            total(way, part)
        }
    });
    Ok(halves.into_iter().flatten().sum()) // of -1 an error, which is of no account
}

fn early(way: Way, size: i32) -> Result<i32, String> {
    work("early", 1);
    total(way, -size)?;
    Ok(size)
}

#[code_variant(name = "relay", device = Counted, variants(by_total), default = by_total)]
fn relay(way: Way, size: i32) -> Result<i32, String>;

fn by_total(way: Way, size: i32) -> Result<i32, String> {
    work("by_total", 1);
    total(way, size)
}

#[code_variant(name = "broken", device = Counted, variants(unlucky), default = unlucky)]
fn broken(size: i32) -> i32;

fn unlucky(size: i32) -> i32 {
    panic!("{size} is out of luck")
}

#[test]
fn all_that_is_told_is_of_the_outermost_call() {
    for (way, time_ns) in [
        (Way::Directly, 33.0),
        (Way::ThroughAnother, 36.0),
        (Way::ThroughAClosure, 33.0),
        (Way::AfterAPanic, 33.0),
    ] {
        let (result, seen) = observed(total::function(), "split", || total(way, 9));
        assert_eq!((result, seen.calls, seen.failures), (Ok(9), 1, 0), "{way:?}");
        assert_eq!(seen.time_ns, time_ns, "{way:?}");
        assert_eq!((&*seen.features, &*seen.admissible), (&[9.0][..], &[true; 3][..]), "{way:?}");
        assert_eq!(seen.other_features, None);
        let ran = RAN.take();
        let inner = ran.iter().filter(|ran| **ran != "by_total").collect::<Vec<_>>();
        assert_eq!(inner, [&"split", &"at_once", &"at_once", &"at_once"], "{way:?}");
    }
}

#[test]
fn an_early_return_ends_its_call_and_the_next_is_timed() {
    let body = || (total(Way::Directly, 5), total(Way::Directly, 0));
    let ((first, second), seen) = observed(total::function(), "early", body);
    assert_eq!((first, second), (Err("negative".to_owned()), Ok(0)));
    assert_eq!((seen.calls, seen.failures, seen.faults, seen.time_ns), (2, 1, 0, 22.0));
    assert_eq!(seen.other_features, Some((2, vec![0.0])));
}

#[test]
fn a_panic_ends_its_call_and_the_next_is_timed() {
    let ((), seen) = observed(broken::function(), "unlucky", || {
        for size in [1, 1] {
            catch_unwind(|| broken(size)).expect_err("it panics");
        }
    });
    assert_eq!((seen.calls, seen.failures, seen.faults), (2, 2, 2));
    let outcome = record(broken::function(), broken::function().default_choice(), &[], || broken(1));
    assert_eq!(outcome.unwrap_err().message, "1 is out of luck");
    let (result, seen) = observed(total::function(), "split", || total(Way::Directly, 4));
    assert_eq!((result, seen.calls), (Ok(4), 1));
}

#[test]
fn a_recording_inside_of_another_measures_for_itself() {
    let inner = RefCell::new(None);
    let body = || {
        let ((), seen) = observed(relay::function(), "by_total", || {
            relay(Way::Directly, 3).expect("not negative");
        });
        inner.replace(Some(seen));
        total(Way::Directly, 8)
    };
    let (result, seen) = observed(total::function(), "split", body);
    assert_eq!((result, seen.calls, seen.time_ns), (Ok(8), 1, 33.0));
    let inner = inner.take().expect("it was recorded");
    assert_eq!((inner.calls, inner.time_ns), (1, 11.0), "by the default, as `total` was not recorded then");
}

#[code_variant(
    name = "deep",
    device = Counted,
    features(n = size, below = if size > 0 { deep(size - 1) } else { 0 }),
    variants(plain, bounded if size > 0 && deep(size - 1) < 100),
    default = plain,
)]
fn deep(size: u32) -> u32;

fn plain(size: u32) -> u32 {
    work("plain", 5);
    size
}

fn bounded(size: u32) -> u32 {
    work("bounded", 7);
    size
}

#[test]
fn features_and_constraints_may_call_the_function_and_cost_no_time() {
    let (result, seen) = observed(deep::function(), "bounded", || deep(3));
    assert_eq!((result, seen.calls, seen.time_ns), (3, 1, 7.0));
    assert_eq!((&*seen.features, &*seen.admissible), (&[3.0, 2.0][..], &[true, true][..]));
    let ran = RAN.take();
    let bounded = ran.iter().filter(|ran| **ran == "bounded").count();
    assert_eq!(bounded, 1, "what features and constraints call is not recorded: {ran:?}");
}

#[code_variant(name = "chosen", device = Counted, variants(one, other), default = one)]
fn chosen(depth: u32) -> u32;

fn one(_: u32) -> u32 {
    work("one", 2);
    tell("one");
    1
}

/// Takes a variant by name, as a variant may.
fn other(depth: u32) -> u32 {
    work("other", 4);
    tell("other");
    if depth > 0 { chosen::call(chosen::Variant::Other, depth - 1) + chosen(0) } else { 2 }
}

fn tell(variant: &str) {
    if wants_parts() {
        note_part(PartTime { name: variant.to_owned(), time_ns: 1.0, metrics: Vec::new() });
    }
}

#[test]
fn a_variant_that_is_called_by_name_is_part_of_the_call() {
    let (result, seen) = observed(chosen::function(), "other", || chosen(1));
    assert_eq!((result, seen.calls, seen.time_ns), (3, 1, 10.0));
}

#[test]
fn parts_are_those_of_the_outermost_call() {
    let function = chosen::function();
    let other = function.choice("other").expect("a variant");
    let (_, seen) = record_parts(function, other, || (chosen(1), chosen(0))).expect("no panic");
    let parts: Vec<&str> = seen.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(parts, ["other"; 3], "one of them of the variant that it calls by name, none of `one`");
    assert_eq!(seen.calls, 2);
}

/// Unlike what is recorded, what runs inside may be remembered, as in production; it must not reach the next call that
/// is recorded.
#[test]
fn what_inner_calls_remember_is_not_taken_for_the_next_recorded_call() {
    let body = || [4, 2, 4].map(|size| total(Way::Directly, size));
    let (results, seen) = observed(total::function(), "split", body);
    assert_eq!(results, [Ok(4), Ok(2), Ok(4)]);
    assert_eq!((seen.calls, seen.time_ns), (3, 99.0));
    let split = RAN.take().iter().filter(|ran| **ran == "split").count();
    assert_eq!(split, 3);
    let after = catch_unwind(AssertUnwindSafe(|| total(Way::Directly, 4)));
    assert_eq!((after.ok(), RAN.take()), (Some(Ok(4)), vec!["at_once"]), "nothing is recorded any more");
}
