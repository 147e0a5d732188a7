//! Whoever listens to events may call the function that they are about, as a subscriber does that writes to a
//! function with variants of its own. In a file of its own: the subscriber is the process's.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use nitro::code_variant;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

#[code_variant(
    name = "listened",
    features(length = items),
    variants(first, second),
    default = first,
    model = b"no model at all",
)]
fn listened(items: usize) -> usize;

fn first(_: usize) -> usize {
    1
}

fn second(_: usize) -> usize {
    2
}

static EVENTS: AtomicUsize = AtomicUsize::new(0);

/// Calls the function at every event.
struct Caller;

impl Subscriber for Caller {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        EVENTS.fetch_add(1, Ordering::Relaxed);
        assert_eq!(listened(3), 1);
        assert_eq!(listened::select(3).reason().kind(), nitro::ReasonKind::ModelUnreadable);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn a_subscriber_may_call_the_function_that_an_event_is_about() {
    tracing::subscriber::set_global_default(Caller).expect("there is no other");
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || {
        assert_eq!(listened(3), 1);
        assert!(listened::function().reload().is_err(), "the model is still none");
        done.send(()).expect("somebody waits");
    });
    // So long only if a call waits for itself.
    wait.recv_timeout(Duration::from_secs(60)).expect("the first call ends");
    assert_eq!(EVENTS.load(Ordering::Relaxed), 1, "the unreadable model, told once");
}
