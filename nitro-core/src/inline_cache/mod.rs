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

use crate::inline_gate::{CachedChoice, First, InlineGate, Walk};
use crate::{Device, DeviceEntry, circumstances, epoch, host, regime};

/// Number of inputs that are remembered. They are compared one after the other.
const ENTRIES: usize = 8;

/// The memory of one function of `N` features on one thread; `#[code_variant]` makes it. No destructor, and no lock.
///
/// What every call reads lies together.
#[repr(C)]
pub struct InlineCache<C, const N: usize> {
    /// The epoch of the choices; 0 before the first.
    epoch: Cell<u64>,
    /// What the thread had said of itself then.
    circumstances: Cell<u64>,
    /// The device of the choices.
    device: Cell<Option<&'static DeviceEntry>>,
    /// The first decision.
    first: Cell<First<C>>,
    /// Counts how often the cache began anew; 0 before the first.
    generation: Cell<u64>,
    /// Bit by bit the features that the choices depend on.
    needs: Cell<u32>,
    /// The number of [`Held`](crate::Held) that live: a choice without a constraint holds for every input then.
    holds: Cell<u32>,
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
    /// The generation of what holds for the call; 0 where nothing does.
    generation: u64,
    epoch: u64,
    circumstances: u64,
    pub(crate) device: &'static DeviceEntry,
}

/// The choice that is remembered for the input of a call, if one is.
pub struct CacheLookup<C: 'static, const N: usize> {
    pub(crate) call: Call<C, N>,
    cached: Option<CachedChoice<C>>,
    /// The leaf of the gate that it is from, by its number; none of what is remembered of one input.
    leaf: Option<u16>,
}

impl<C: Copy, const N: usize> Call<C, N> {
    /// A call on a device.
    #[inline]
    pub fn begin(cache: &'static LocalKey<InlineCache<C, N>>, device: &impl Device) -> Self {
        let (device, cache) = (regime::device_of_call(device), own(cache));
        let (epoch, circumstances) = (epoch::now(), circumstances::of_thread());
        let known = cache.filter(|own| own.is_of(epoch, circumstances, device));
        let generation = known.map_or(0, |known| known.generation.get());
        Self { cache, generation, epoch, circumstances, device }
    }

    /// A call on the host, or on the part of it that the thread uses.
    #[inline]
    pub fn begin_on_host(cache: &'static LocalKey<InlineCache<C, N>>) -> Self {
        if cfg!(feature = "rayon") {
            return Self::begin(cache, &host::current()); // the thread's pool decides
        }
        let (own, epoch, circumstances) = (own(cache), epoch::now(), circumstances::of_thread());
        // A thread that has said nothing new is on the device of last time.
        match own.and_then(|own| Some((own.generation.get(), own.device_in(epoch, circumstances)?))) {
            Some((generation, device)) => Self { cache: own, generation, epoch, circumstances, device },
            None => Self::begin_on_new_host(cache),
        }
    }

    #[cold]
    fn begin_on_new_host(cache: &'static LocalKey<InlineCache<C, N>>) -> Self {
        Self::begin(cache, &host::current())
    }

    /// Returns the cache if what it remembers holds for this call. To be asked again after a feature was computed,
    /// since for that the function may have been called on another device.
    #[inline]
    fn memory(&self) -> Option<&'static InlineCache<C, N>> {
        self.cache.filter(|cache| self.generation != 0 && cache.generation.get() == self.generation)
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
        let cached = self.memory().and_then(|_| walk.decision());
        CacheLookup { call: self, cached, leaf: Some(walk.leaf()) }
    }

    /// Looks up an input, whose features that are not needed are 0.
    #[inline]
    pub fn remembered(self, features: &[f64; N]) -> CacheLookup<C, N> {
        let cached = self.memory().and_then(|cache| cache.get(features));
        CacheLookup { call: self, cached, leaf: None }
    }

    /// Returns `true` if a choice without a constraint is to run for every input from now on.
    pub(crate) fn holds(&self) -> bool {
        self.cache.is_some_and(|cache| cache.holds.get() > 0)
    }

    /// Remembers a choice in the place of the oldest; one that needs no feature and has no constraint for all inputs.
    pub(crate) fn remember(&self, needs: u32, features: &[f64; N], choice: CachedChoice<C>) {
        let Some(cache) = self.begin_with(needs) else { return };
        if needs == 0 && !choice.is_conditional {
            cache.gate.set_constant(choice);
            return cache.first.set(cache.gate.first(N));
        }
        let entry = &cache.entries[cache.count.replace(cache.count.get() + 1) % ENTRIES];
        entry.features.set(features.map(f64::to_bits));
        entry.choice.set(Some(choice));
    }

    /// Keeps a gate that is to decide from now on by these features, unless it does already. `make` fills it.
    pub(crate) fn keep_gate(&self, needs: u32, make: impl FnOnce(&InlineGate<C>)) {
        if self.cache.is_some_and(|cache| !self.is_remembered(cache, needs))
            && let Some(cache) = self.begin_with(needs)
        {
            make(&cache.gate);
            cache.first.set(cache.gate.first(N));
        }
    }

    /// Returns true where the cache is of this call's circumstances, the call being counted by now, and of these
    /// features.
    fn is_remembered(&self, cache: &InlineCache<C, N>, needs: u32) -> bool {
        let circumstances = circumstances::counted(self.circumstances);
        cache.is_of(self.epoch, circumstances, self.device) && cache.needs.get() == needs
    }

    /// Forgets what was made under other circumstances or from other features.
    fn begin_with(&self, needs: u32) -> Option<&'static InlineCache<C, N>> {
        let cache = self.cache?;
        if !self.is_remembered(cache, needs) {
            cache.gate.clear();
            cache.first.set(First::NONE);
            cache.entries.iter().for_each(|entry| entry.choice.set(None));
            cache.epoch.set(self.epoch);
            cache.circumstances.set(circumstances::counted(self.circumstances));
            cache.device.set(Some(self.device));
            cache.generation.update(|generation| generation + 1);
            cache.needs.set(needs);
            cache.count.set(0);
        }
        Some(cache)
    }
}

/// Returns what the gate decides for a call on the host, or on the part of it that the thread uses. `feature` computes
/// one that takes no time, gives NaN for others, and 0 for the one behind the last. `there` gives all that nothing can
/// keep from being read, NaN in the place of others. `admits` tells whether the constraint of a choice lets it run, as
/// far as that takes no time either. Most short calls end here.
#[inline]
pub fn at_once<C: Copy, const N: usize>(
    cache: &'static LocalKey<InlineCache<C, N>>,
    feature: impl Fn(usize) -> f64,
    there: impl FnOnce() -> [f64; N],
    admits: impl Fn(C) -> Option<bool>,
) -> Option<C> {
    let own = own(cache)?;
    let device = own.device_in(epoch::now(), circumstances::of_thread())?;
    // The thread's pool decides which part of the host it is.
    if cfg!(feature = "rayon") && !ptr::eq(device, regime::device_of_call(&host::current())) {
        return None;
    }
    // One comparison before all others: it computes its feature alone.
    own.first.get().choose(&feature).or_else(|| own.gate.at_once(&mut there(), &feature, admits))
}

/// Returns the thread's own cache, unless the thread has no storage left.
#[inline]
fn own<C, const N: usize>(cache: &'static LocalKey<InlineCache<C, N>>) -> Option<&'static InlineCache<C, N>> {
    // SAFETY: a reference to the thread's own cache, which has no destructor and lives as long as the thread. A call
    // does not leave it. (In a closure for `with`, what follows would be a call of its own.)
    cache.try_with(ptr::from_ref).ok().map(|cache| unsafe { &*cache })
}

impl<C: Copy, const N: usize> CacheLookup<C, N> {
    /// The remembered choice, counted as one more call, where it has no constraint.
    #[inline]
    pub fn choice(&self) -> Option<C> {
        self.cached.and_then(CachedChoice::again)
    }

    /// The remembered choice, counted as one more call, where its constraint admits the input; else the second one of
    /// the gate, if that may run.
    ///
    /// # Errors
    /// The bits of choices whose constraints do not, and 0 where nothing was asked.
    #[inline]
    pub(crate) fn choice_if(&self, admissible: &impl Fn(C) -> bool) -> Result<C, u64> {
        let cached = self.cached.filter(|cached| cached.is_conditional).ok_or(0_u64)?;
        if admissible(cached.choice) {
            return Ok(cached.counted());
        }
        let gate = self.call.memory().map(|memory| &memory.gate);
        match gate.zip(self.leaf).and_then(|(gate, leaf)| gate.second(leaf)) {
            Some(second) if !second.is_conditional || admissible(second.choice) => Ok(second.counted()),
            Some(second) => Err(cached.bit | second.bit),
            None => Err(cached.bit),
        }
    }
}

impl<C: Copy, const N: usize> InlineCache<C, N> {
    /// Makes an empty cache.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "made by the macro, as a constant")]
    pub const fn new() -> Self {
        Self {
            epoch: Cell::new(0),
            circumstances: Cell::new(0),
            device: Cell::new(None),
            first: Cell::new(First::NONE),
            generation: Cell::new(0),
            needs: Cell::new(0),
            holds: Cell::new(0),
            gate: InlineGate::new(),
            count: Cell::new(0),
            entries: [const { Entry { features: Cell::new([0; N]), choice: Cell::new(None) } }; ENTRIES],
        }
    }

    /// Begins to hold the next choice, unless one is held already.
    pub(crate) fn begin_hold(&self) {
        if self.holds.get() == 0 {
            self.forget();
        }
        self.holds.update(|holds| holds + 1);
    }

    /// Ends what [`begin_hold`](Self::begin_hold) began.
    pub(crate) fn end_hold(&self) {
        self.holds.update(|holds| holds - 1);
        if self.holds.get() == 0 {
            self.forget();
        }
    }

    /// Makes the next call choose anew: no epoch is the 0th.
    fn forget(&self) {
        self.epoch.set(0);
    }

    /// Returns the device of what is remembered, if that is of this epoch and of these circumstances.
    #[inline]
    fn device_in(&self, epoch: u64, circumstances: u64) -> Option<&'static DeviceEntry> {
        let is_same = self.epoch.get() == epoch && self.circumstances.get() == circumstances;
        if is_same { self.device.get() } else { None }
    }

    #[inline]
    fn is_of(&self, epoch: u64, circumstances: u64, device: &'static DeviceEntry) -> bool {
        self.device_in(epoch, circumstances).is_some_and(|own| ptr::eq(own, device))
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
mod tests;
