//! What a model said of the last inputs of a thread: a program calls a function many times with like inputs.
//!
//! One small table a thread, of a size known when the program is built: looking into it takes no lock and allocates nothing.

use std::cell::RefCell;

use crate::MAX_FEATURES;
use crate::feature::Row;
use crate::model::Order;
use crate::resolve::{DeviceSelector, Serial};

/// How many answers a thread keeps; a power of two. An answer has one place where it may stand, and the last one stands there.
const PLACES: usize = 16;

/// A question and its answer.
struct Entry {
    /// 0 where there is none.
    serial: u64,
    /// The bits of the features: what is not the same number to the last bit is another question.
    features: [u64; MAX_FEATURES],
    order: Order,
}

type Table = RefCell<[Entry; PLACES]>;

thread_local! {
    static TABLE: Table = const { RefCell::new([const { Entry::EMPTY }; PLACES]) };
}

/// Passes on the classes of a selector for an input, best first: as it said last time, or as it says now.
#[inline]
pub(crate) fn with_order<R>(selector: &DeviceSelector, row: &Row, consult: impl FnOnce(&Order) -> R) -> R {
    let place = place(selector.serial, row.fingerprint());
    let features = row.values();
    let table = TABLE.with(std::ptr::from_ref);
    // Not in a closure for `with`, which is then a call of its own, 4 ns more.
    // SAFETY: the thread's own table, which has no destructor, lives as long as the thread, and the reference does not leave this call.
    let table = unsafe { &*table };
    // Shared while the answer is used, which may call functions with variants of their own.
    if let Ok(table) = table.try_borrow()
        && table[place].answers(selector.serial, features)
    {
        return consult(&table[place].order);
    }
    consult(&learn(table, place, selector, features))
}

/// Asks the selector, and writes down what it says.
#[inline(never)]
fn learn(table: &Table, place: usize, selector: &DeviceSelector, features: &[f64]) -> Order {
    let order = selector.selector.scores(features).order();
    if let Ok(mut table) = table.try_borrow_mut() {
        table[place].set(selector.serial, features, order);
    }
    order
}

impl Entry {
    const EMPTY: Self = Self { serial: 0, features: [0; MAX_FEATURES], order: Order::EMPTY };

    #[inline]
    fn answers(&self, serial: Serial, features: &[f64]) -> bool {
        self.serial == serial.number()
            && self.features.iter().zip(features).all(|(&bits, value)| bits == value.to_bits())
    }

    fn set(&mut self, serial: Serial, features: &[f64], order: Order) {
        self.serial = serial.number();
        self.features.iter_mut().zip(features).for_each(|(bits, value)| *bits = value.to_bits());
        self.order = order;
    }
}

/// Where an answer may stand. The upper bits of a product depend on all bits of the factor (multiplicative hashing, Knuth volume 3,
/// section 6.4).
fn place(serial: Serial, fingerprint: u64) -> usize {
    let mixed = (fingerprint ^ serial.number()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (u64::BITS - PLACES.ilog2())) as usize
}
