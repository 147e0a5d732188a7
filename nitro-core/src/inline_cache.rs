//! The choices of a thread's last calls of a function. A call looks here first, and one on an input of last time is
//! decided by a few comparisons. (Named after the caches at call sites of Hölzle, Chambers and Ungar, "Optimizing
//! dynamically-typed object-oriented languages with polymorphic inline caches", 1991.)
//!
//! An entry never decides anything that [`choose`](crate::choose) would decide otherwise. All of them are dropped
//! when the epoch or the device is another one. What hangs on the arguments beyond their features, as a constraint
//! may, is asked anew.

use std::cell::Cell;
use std::ptr;
use std::thread::LocalKey;

use crate::inline_gate::{CachedChoice, InlineGate, Walk};
use crate::{Device, DeviceEntry, epoch, regime, stats};

/// Number of inputs that are remembered. They are compared one after the other.
const ENTRIES: usize = 8;

/// The memory of one function of `N` features on one thread; `#[code_variant]` makes it. No destructor, and no lock.
pub struct InlineCache<C, const N: usize> {
    /// The epoch of the choices; 0 before the first.
    epoch: Cell<u64>,
    /// The device of the choices.
    device: Cell<*const DeviceEntry>,
    /// Bit by bit the features that they depend on.
    needs: Cell<u32>,
    /// The gate, which decides before the entries are asked.
    gate: InlineGate<C>,
    /// The number of entries made. The first so many are in use.
    count: Cell<usize>,
    entries: [Entry<C, N>; ENTRIES],
}

struct Entry<C, const N: usize> {
    /// The bits of the needed features, 0 for others. A number that differs in its last bit is another input.
    features: Cell<[u64; N]>,
    choice: Cell<Option<CachedChoice<C>>>,
}

/// A call that begins: its epoch, its device, and what its thread remembers of those before.
pub struct Call<C: 'static, const N: usize> {
    /// The thread's cache; none where the thread has no storage left, as in destructors of its last thread-locals.
    cache: Option<&'static InlineCache<C, N>>,
    epoch: u64,
    pub(crate) device: &'static DeviceEntry,
}

/// The choice that is remembered for the input of a call, if one is.
pub struct CacheLookup<C: 'static, const N: usize> {
    pub(crate) call: Call<C, N>,
    cached: Option<CachedChoice<C>>,
}

impl<C: Copy, const N: usize> Call<C, N> {
    /// A call on a device.
    #[inline]
    pub fn begin(cache: &'static LocalKey<InlineCache<C, N>>, device: &impl Device) -> Self {
        // SAFETY: a reference to the thread's own cache, which has no destructor and lives as long as the thread. A
        // call does not leave it. (In a closure for `with`, what follows would be a call of its own.)
        let cache = cache.try_with(ptr::from_ref).ok().map(|cache| unsafe { &*cache });
        Self { cache, epoch: epoch::now(), device: regime::device_of_call(device) }
    }

    #[inline]
    fn memory(&self) -> Option<&'static InlineCache<C, N>> {
        self.cache.filter(|cache| cache.epoch.get() == self.epoch && ptr::eq(cache.device.get(), self.device))
    }

    /// The features that tell the remembered choices apart, bit by bit.
    #[inline]
    pub fn needs(&self) -> u32 {
        self.memory().filter(|cache| cache.count.get() > 0).map_or(0, |cache| cache.needs.get())
    }

    /// Begins a walk through the gate, which decides before anything else is asked.
    #[inline]
    pub fn walk(&self) -> Option<Walk<C>> {
        self.memory()?.gate.walk()
    }

    /// Looks up where a walk through the gate ended.
    #[inline]
    pub fn decided(self, walk: &Walk<C>) -> CacheLookup<C, N> {
        // Asked again, since to compute a feature the function may have been called on another device.
        let cached = self.memory().and_then(|_| walk.decision());
        CacheLookup { call: self, cached }
    }

    /// Looks up an input, whose features that are not needed are 0.
    #[inline]
    pub fn remembered(self, features: &[f64; N]) -> CacheLookup<C, N> {
        // Asked again, as above.
        let cached = self.memory().and_then(|cache| cache.get(features));
        CacheLookup { call: self, cached }
    }

    /// Remembers a choice in the place of the oldest.
    pub(crate) fn remember(&self, needs: u32, features: &[f64; N], choice: CachedChoice<C>) {
        let Some(cache) = self.begin_with(needs) else { return };
        if needs == 0 && !choice.is_conditional {
            return cache.gate.set_always(choice);
        }
        let entry = &cache.entries[cache.count.replace(cache.count.get() + 1) % ENTRIES];
        entry.features.set(features.map(f64::to_bits));
        entry.choice.set(Some(choice));
    }

    /// The gate that is to decide from now on by these features, unless it does already.
    pub(crate) fn new_gate(&self, needs: u32) -> Option<&InlineGate<C>> {
        let is_new = self.memory().is_none_or(|cache| cache.needs.get() != needs);
        if is_new { self.begin_with(needs).map(|cache| &cache.gate) } else { None }
    }

    /// Forgets what was made under other circumstances or from other features.
    fn begin_with(&self, needs: u32) -> Option<&'static InlineCache<C, N>> {
        let cache = self.cache?;
        if self.memory().is_none_or(|cache| cache.needs.get() != needs) {
            cache.gate.clear();
            cache.entries.iter().for_each(|entry| entry.choice.set(None));
            cache.epoch.set(self.epoch);
            cache.device.set(self.device);
            cache.needs.set(needs);
            cache.count.set(0);
        }
        Some(cache)
    }
}

impl<C: Copy, const N: usize> CacheLookup<C, N> {
    /// The remembered choice, counted as one more call, where it has no constraint.
    #[inline]
    pub fn choice(&self) -> Option<C> {
        self.cached.and_then(CachedChoice::again)
    }

    /// The remembered choice, counted as one more call, where its constraint admits the input.
    #[inline]
    pub(crate) fn choice_if(&self, admissible: &impl Fn(C) -> bool) -> Option<C> {
        let cached = self.cached.filter(|cached| cached.is_conditional && admissible(cached.choice))?;
        stats::count_again(cached.calls).then_some(cached.choice)
    }
}

impl<C: Copy, const N: usize> InlineCache<C, N> {
    /// Makes an empty cache.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "made by the macro, as a constant")]
    pub const fn new() -> Self {
        Self {
            epoch: Cell::new(0),
            device: Cell::new(ptr::null()),
            needs: Cell::new(0),
            gate: InlineGate::new(),
            count: Cell::new(0),
            entries: [const { Entry { features: Cell::new([0; N]), choice: Cell::new(None) } }; ENTRIES],
        }
    }

    #[inline]
    fn get(&self, features: &[f64; N]) -> Option<CachedChoice<C>> {
        for entry in &self.entries {
            let known = entry.features.as_array_of_cells();
            // No branch in between: an input is another one in its first feature or in its last.
            let bits = known.iter().zip(features).map(|(known, feature)| known.get() ^ feature.to_bits());
            if bits.fold(0, |different, bits| different | bits) == 0 {
                return entry.choice.get();
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::ReasonKind;

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
        begin(device).remember(0b11, &features, CachedChoice { choice, is_conditional, calls });
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

    #[test]
    fn a_constraint_is_asked_again() {
        remember("a", [1.0, 2.0], 7, true);
        assert_eq!(remembered("a", [1.0, 2.0]), None);
        for admits in [true, false, true] {
            let choice = begin("a").remembered(&[1.0, 2.0]).choice_if(&|choice| admits && choice == 7);
            assert_eq!(choice, admits.then_some(7));
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
}
