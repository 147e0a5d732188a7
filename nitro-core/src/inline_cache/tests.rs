//! What a thread remembers of its calls.

use std::sync::atomic::Ordering;

use super::*;
use crate::{ReasonKind, stats};

thread_local! {
    static CACHE: InlineCache<u8, 2> = const { InlineCache::new() };
}

struct Scripted(&'static str);

impl Device for Scripted {
    fn entry(&self) -> &'static DeviceEntry {
        DeviceEntry::intern(self.0, Vec::new, |_| Vec::new())
    }

    fn stopwatch(&self) -> Box<dyn crate::Stopwatch> {
        unimplemented!("nothing is timed")
    }
}

fn begin(device: &'static str) -> Call<u8, 2> {
    Call::begin(&CACHE, &Scripted(device))
}

fn remembered(device: &'static str, features: [f64; 2]) -> Option<u8> {
    begin(device).remembered(&features).choice()
}

fn remember(device: &'static str, features: [f64; 2], choice: u8, is_conditional: bool) {
    let calls = stats::count(9, 1, 0, ReasonKind::Predicted).expect("the thread goes on");
    begin(device).remember(0b11, &features, CachedChoice { choice, bit: 1, is_conditional, calls });
}

#[test]
fn a_choice_is_remembered_for_the_same_bits() {
    assert_eq!(remembered("a", [0.0, 0.0]), None);
    remember("a", [0.0, 1.0], 7, false);
    remember("a", [-0.0, 1.0], 8, false);
    assert_eq!(begin("a").needs(), 0b11);
    assert_eq!(remembered("a", [0.0, 1.0]), Some(7));
    assert_eq!(remembered("a", [-0.0, 1.0]), Some(8));
    assert_eq!(remembered("a", [0.0, 1.0_f64.next_up()]), None);
}

#[test]
fn another_device_or_epoch_knows_nothing_of_it() {
    remember("a", [1.0, 2.0], 7, false);
    assert_eq!((begin("b").needs(), remembered("b", [1.0, 2.0])), (0, None));
    assert_eq!(remembered("a", [1.0, 2.0]), Some(7), "asking alone changes nothing");
    remember("b", [1.0, 2.0], 8, false);
    assert_eq!((remembered("a", [1.0, 2.0]), remembered("b", [1.0, 2.0])), (None, Some(8)));
    epoch::advance();
    assert_eq!((begin("b").needs(), remembered("b", [1.0, 2.0])), (0, None));
}

/// A feature may call the function for another device, between what its call asks of the cache.
#[test]
fn what_another_device_put_there_meanwhile_is_not_taken() {
    remember("a", [1.0, 2.0], 7, false);
    let call = begin("a");
    assert_eq!(call.needs(), 0b11);
    remember("b", [1.0, 2.0], 8, false);
    assert_eq!(call.remembered(&[1.0, 2.0]).choice(), None);
}

/// Functions on devices and `async` ones walk at once.
#[test]
fn what_holds_for_all_inputs_is_at_the_end_of_a_walk() {
    let calls = stats::count(9, 1, 0, ReasonKind::Predicted).expect("the thread goes on");
    begin("a").remember(0, &[0.0; 2], CachedChoice { choice: 7, bit: 1, is_conditional: false, calls });
    let call = begin("a");
    let walk = call.walk().expect("a gate");
    assert_eq!(walk.column(), None);
    assert_eq!(call.decided(&walk).choice(), Some(7));
}

#[test]
fn a_constraint_is_asked_again() {
    remember("a", [1.0, 2.0], 7, true);
    assert_eq!(remembered("a", [1.0, 2.0]), None);
    for admits in [true, false, true] {
        let choice = begin("a").remembered(&[1.0, 2.0]).choice_if(&|choice| admits && choice == 7);
        assert_eq!(choice, if admits { Ok(7) } else { Err(1) });
    }
}

#[test]
fn the_oldest_makes_room() {
    let input = |number: usize| [number as f64, 0.0];
    (0..=ENTRIES).for_each(|number| remember("a", input(number), number as u8, false));
    assert_eq!(remembered("a", input(0)), None);
    assert!((1..=ENTRIES).all(|number| remembered("a", input(number)) == Some(number as u8)));
}

#[test]
fn what_is_remembered_is_counted() {
    remember("a", [1.0, 2.0], 7, false);
    let counter = stats::count(9, 1, 0, ReasonKind::Predicted).expect("the thread goes on");
    let before = counter.load(Ordering::Relaxed);
    assert!((0..5).all(|_| remembered("a", [1.0, 2.0]) == Some(7)));
    assert_eq!(counter.load(Ordering::Relaxed) - before, 5);
}
