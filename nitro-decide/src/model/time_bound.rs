//! The performance model of one kernel on one device, prepared for many states.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::dimensions::{self, Splits};
use super::lanes::{self, Axis, Request};
use super::rates::Rates;
use super::terms::TimeTerms;
use super::work::{Work, works};
use crate::candidate::{Candidate, Values, Within};
use crate::space::{Kernel, Nesting};

/// The most that is remembered of dimensions and of warps.
const MOST_KNOWN: usize = 1 << 14;

/// A [`LowerBound`](crate::LowerBound) of the states of a [`Nesting`]: nothing that is inside runs faster on a
/// device of these [`Rates`].
///
/// It counts the least that remains: for every way in which the statement with the most work may still be spread
/// over blocks and threads, what that uses of each resource ([`TimeTerm`](super::TimeTerm)) with everything else
/// chosen as well as can be, and the time of what is used most; of all ways the least. It holds for code that keeps
/// the order of sums and brings staged tiles to shared memory through registers.
///
/// ```
/// use std::sync::Arc;
/// use nitro_decide::{
///     Access, Dimension, Kernel, Limits, LowerBound, Operation, Candidate, Rates, Statement, TimeBound,
/// };
///
/// let access = |array: &str| Access { array: array.into(), strides: vec![1], element_bytes: 4 };
/// let statement = |name: &str, operation, accesses| {
///     Statement { name: name.into(), operation, dimensions: vec![0], accesses, ..Statement::default() }
/// };
/// let tiles = vec![vec![1, 32, 256]];
/// let i = Dimension { name: "i".into(), size: 1 << 26, tiles, parallel: true, ..Dimension::default() };
/// let kernel = Kernel {
///     dimensions: vec![i],
///     statements: vec![
///         statement("y += a x", Operation::Fma, vec![access("x"), access("y")]),
///         statement("store z", Operation::Store, vec![access("z")]),
///     ],
///     ..Kernel::default()
/// };
/// let features = [
///     ("sm_count", 132.0), ("clock_rate_mhz", 1980.0), ("l2_cache_kib", 61440.0), ("cuda_cores", 16896.0),
///     ("peak_gbps", 4917.0),
/// ];
/// let rates = Rates::from_features(|name| features.iter().find(|own| own.0 == name).map(|own| own.1))?;
/// let nesting = kernel.nesting(&Limits::default())?;
/// let bound = TimeBound::new(&kernel, &nesting, rates);
/// let mut candidate = Candidate::new(Arc::new(nesting.problem.clone()))?;
/// // Twice 256 MiB are read and once written; of both 60 may be in the second-level cache.
/// let best_ns = bound.bound_ns(&candidate);
/// assert!((best_ns - (3.0 * (1 << 28) as f64 - 2.0 * 61440.0 * 1024.0) / 4917.0).abs() < 1.0);
///
/// let alone = nesting.problem.named(nesting.loops[0].kind, &["plain"])?;
/// candidate.restrict(alone.choice, alone.values)?; // 256 blocks at most
/// assert!(bound.bound_ns(&candidate) > best_ns);
/// assert!(bound.explain(&candidate).contains("decided: kind of i0 is plain"));
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
    known: Mutex<Memo>,
}

/// Results that come again in many states.
#[derive(Default)]
struct Memo {
    splits: HashMap<(usize, Vec<Values>), Arc<Splits>>,
    touches: HashMap<(Request, bool, Vec<Axis>), f64>,
}

impl TimeBound {
    /// Creates the bound of the states of this kernel's nesting, on such a device.
    #[must_use]
    pub fn new(kernel: &Kernel, nesting: &Nesting, rates: Rates) -> Self {
        let works = works(kernel, nesting);
        let loops = nesting.loops.len();
        let mut inner = vec![vec![None; loops]; loops];
        for (one, row) in inner.iter_mut().enumerate() {
            for (other, order) in row.iter_mut().enumerate().filter(|(other, _)| *other != one) {
                *order = nesting.order(one, other, &["inner"]).ok();
            }
        }
        let (kernel, nesting) = (kernel.clone(), nesting.clone());
        Self { kernel, nesting, rates, terms: TimeTerms::default(), works, inner, known: Mutex::default() }
    }

    /// Counts some terms only.
    #[must_use]
    pub fn with_terms(self, terms: TimeTerms) -> Self {
        Self { terms, ..self }
    }

    /// Returns true if one loop lies within another, where that is decided.
    pub(super) fn is_inside(&self, one: usize, other: usize, candidate: &Candidate) -> Option<bool> {
        let inner = self.inner[one][other]?;
        let open = candidate.values(inner.choice);
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

    /// Returns all ways that a state leaves open for a dimension.
    pub(super) fn splits(&self, dimension: usize, candidate: &Candidate) -> Arc<Splits> {
        let key = (dimension, dimensions::key(&self.nesting, dimension, candidate));
        // The lock is held while it computes: threads of one search ask for the same things.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.splits.len() > MOST_KNOWN {
            known.splits.clear();
        }
        let size = self.kernel.dimensions[dimension].size;
        let splits = known.splits.entry(key);
        splits
            .or_insert_with(|| Arc::new(dimensions::splits(&self.nesting, dimension, size, candidate)))
            .clone()
    }

    /// Returns how often memory is touched when each thread of a block asks once.
    pub(super) fn touches(&self, asked: Request, axes: Vec<Axis>, ordered: bool) -> f64 {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // What was forgotten is computed again: memory stays bounded however long a search takes.
        if known.touches.len() > MOST_KNOWN {
            known.touches.clear();
        }
        let touches = known.touches.entry((asked, ordered, axes));
        *touches.or_insert_with_key(|(asked, ordered, axes)| lanes::touches(*asked, axes, *ordered) as f64)
    }
}
