//! A lower limit of the time of everything inside a state.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::dimensions::{self, Splits};
use super::lanes::{self, Asked, Axis};
use super::rates::Rates;
use super::reasons::Reasons;
use super::spreads::{Least, State};
use super::terms::{TimeTerm, TimeTerms};
use super::work::{Work, works};
use crate::branch::LowerBound;
use crate::candidate::{ChoiceId, Partial, Values, Within};
use crate::space::{Kernel, Nesting};

/// The most that is remembered of dimensions and of warps.
const MOST_KNOWN: usize = 1 << 14;

/// A [`LowerBound`] of the states of a [`Nesting`]: nothing that is inside runs faster on a device of these [`Rates`].
///
/// It counts the least that remains: for every way in which the statement with the most work may still be spread
/// over blocks and threads, what that uses of each resource ([`TimeTerm`](super::TimeTerm)) with everything else
/// chosen as well as can be, and the time of what is used most; of all ways the least. It holds for code that keeps
/// the order of sums and brings staged tiles to shared memory through registers.
///
/// ```
/// use std::sync::Arc;
/// use nitro_decide::{
///     Access, Dimension, Kernel, Limits, LowerBound, Operation, Partial, Rates, Statement, TimeBound,
/// };
///
/// let access = |array: &str| Access { array: array.into(), strides: vec![1], element_bytes: 4 };
/// let statement = |name: &str, operation, accesses| Statement { name: name.into(), operation, dimensions: vec![0], accesses, ..Statement::default() };
/// let kernel = Kernel {
///     dimensions: vec![Dimension { name: "i".into(), size: 1 << 26, tiles: vec![vec![1, 32, 256]], parallel: true, ..Dimension::default() }],
///     statements: vec![
///         statement("y += a x", Operation::Fma, vec![access("x"), access("y")]),
///         statement("store z", Operation::Store, vec![access("z")]),
///     ],
///     ..Kernel::default()
/// };
/// let features = [("sm_count", 132.0), ("clock_rate_mhz", 1980.0), ("l2_cache_kib", 61440.0), ("cuda_cores", 16896.0), ("peak_gbps", 4917.0)];
/// let rates = Rates::from_features(|name| features.iter().find(|own| own.0 == name).map(|own| own.1))?;
/// let nesting = kernel.nesting(&Limits::default())?;
/// let bound = TimeBound::new(&kernel, &nesting, rates);
/// let mut partial = Partial::new(Arc::new(nesting.problem.clone()))?;
/// let best_ns = bound.bound_ns(&partial); // twice 256 MiB are read and once written; of both 60 may be in the second-level cache
/// assert!((best_ns - (3.0 * (1 << 28) as f64 - 2.0 * 61440.0 * 1024.0) / 4917.0).abs() < 1.0);
///
/// let alone = nesting.problem.named(nesting.loops[0].kind, &["plain"])?;
/// partial.restrict(alone.choice, alone.values)?; // 256 blocks at most
/// assert!(bound.bound_ns(&partial) > best_ns);
/// assert!(bound.explain(&partial).contains("decided: kind of i0 is plain"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TimeBound {
    kernel: Kernel,
    nesting: Nesting,
    rates: Rates,
    terms: TimeTerms,
    works: Vec<Work>,
    /// "The first loop lies within the second", by their positions.
    inner: Vec<Vec<Option<Within>>>,
    known: Mutex<Known>,
}

/// Results that come again in many states.
#[derive(Default)]
struct Known {
    splits: HashMap<(usize, Vec<Values>), Arc<Splits>>,
    touches: HashMap<(Asked, bool, Vec<Axis>), f64>,
}

impl TimeBound {
    /// Of the states of this kernel's nesting, on such a device.
    #[must_use]
    pub fn new(kernel: &Kernel, nesting: &Nesting, rates: Rates) -> Self {
        let works = works(kernel, nesting);
        let loops = 0..nesting.loops.len();
        let inner = |one: usize, other: usize| match one == other {
            true => None,
            false => nesting.order(one, other, &["inner"]).ok(),
        };
        let inner = loops.clone().map(|one| loops.clone().map(|other| inner(one, other)).collect()).collect();
        let (kernel, nesting) = (kernel.clone(), nesting.clone());
        Self { kernel, nesting, rates, terms: TimeTerms::default(), works, inner, known: Mutex::default() }
    }

    /// With some terms only.
    #[must_use]
    pub fn with_terms(self, terms: TimeTerms) -> Self {
        Self { terms, ..self }
    }

    /// Returns the reasons for which nothing inside a state takes less.
    #[must_use]
    pub fn reasons(&self, partial: &Partial) -> Reasons {
        Reasons::of(self, partial, self.least(partial).as_ref())
    }

    /// Returns true if one loop lies within another, where that is decided.
    pub(super) fn is_inside(&self, one: usize, other: usize, partial: &Partial) -> Option<bool> {
        let inner = self.inner[one][other]?;
        let open = partial.values(inner.choice);
        match (open.within(inner.values), open.and(inner.values).is_empty()) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    pub(super) fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    pub(super) fn nesting(&self) -> &Nesting {
        &self.nesting
    }

    pub(super) fn rates(&self) -> &Rates {
        &self.rates
    }

    pub(super) fn terms(&self) -> TimeTerms {
        self.terms
    }

    pub(super) fn works(&self) -> &[Work] {
        &self.works
    }

    pub(super) fn work(&self, at: usize) -> &Work {
        &self.works[at]
    }

    /// Of the statements that compute, or of the first if none does, the one that says most.
    pub(super) fn least(&self, partial: &Partial) -> Option<Least> {
        let state = State::new(self, partial);
        let mains = self.works.iter().filter(|work| work.computes).count().max(1).min(self.works.len());
        let all = (0..mains).map(|main| state.least_of(main));
        all.max_by(|one, other| one.ns().total_cmp(&other.ns()))
    }

    pub(super) fn splits(&self, dimension: usize, partial: &Partial) -> Arc<Splits> {
        let key = (dimension, dimensions::key(&self.nesting, dimension, partial));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.splits.len() > MOST_KNOWN {
            known.splits.clear();
        }
        let size = self.kernel.dimensions[dimension].size;
        let make = || Arc::new(dimensions::splits(&self.nesting, dimension, size, partial));
        known.splits.entry(key).or_insert_with(make).clone()
    }

    /// Returns how often memory is touched when each thread of a block asks once.
    pub(super) fn touches(&self, asked: Asked, axes: Vec<Axis>, ordered: bool) -> f64 {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.touches.len() > MOST_KNOWN {
            known.touches.clear();
        }
        let make = |key: &(Asked, bool, Vec<Axis>)| lanes::touches(key.0, &key.2, key.1) as f64;
        *known.touches.entry((asked, ordered, axes)).or_insert_with_key(make)
    }
}

impl LowerBound for TimeBound {
    fn bound_ns(&self, partial: &Partial) -> f64 {
        self.least(partial).map_or(0.0, |least| least.ns())
    }

    fn explain(&self, partial: &Partial) -> String {
        self.reasons(partial).to_string()
    }

    fn limit(&self, partial: &Partial) -> Option<&'static str> {
        let least = self.least(partial)?;
        let times = TimeTerm::ALL.into_iter().zip(least.times);
        times.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(term, _)| term.name())
    }

    /// Sizes and kinds around the statements with the most work first, then memories, then whatever is open: what the bound looks at.
    fn branch(&self, partial: &Partial) -> Option<ChoiceId> {
        let loops = self.works.iter().flat_map(|work| &work.dimensions).flat_map(|dimension| {
            let own = self.nesting.loops_of(dimension.position).into_iter();
            own.flat_map(|at| [self.nesting.loops[at].size, self.nesting.loops[at].kind])
        });
        let mut wanted = loops.chain(self.nesting.memory.iter().copied());
        wanted.find(|&choice| partial.values(choice).len() > 1).or_else(|| partial.first_open())
    }
}
