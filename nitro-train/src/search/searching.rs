//! What a search that measures is asked, and what it tells.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use nitro_core::Function;
use nitro_search::Strategy;
use serde::Serialize;

use super::ByInput;
use super::error::SearchError;
use crate::measure::{Candidate, WALKED, all_of_variant};
use crate::recordings::Recordings;

/// What is searched on each input, how, and what came of it.
#[derive(Debug)]
pub struct Searching {
    /// The variant; without one, every variant with tuning parameters.
    pub variant: Option<String>,
    /// Who proposes.
    pub strategy: Strategy,
    /// At most so many evaluations an input.
    pub evaluations: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// What other devices measured.
    pub others: Recordings,
    /// Names of devices to learn from; without, all others.
    pub sources: Option<Vec<String>>,
    /// Where in `others` what is, once that was asked for.
    pub(crate) by_input: OnceLock<ByInput>,
    pub(crate) found: Mutex<Vec<Searched>>,
    /// Whether the inputs that others have claimed are searched together with them, since no other is left.
    pub(crate) is_joining: AtomicBool,
}

/// What a search on one device and input has found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Searched {
    /// The function.
    pub function: String,
    /// The variant.
    pub variant: String,
    /// The device.
    pub device: String,
    /// The input.
    pub input: String,
    /// Who proposed.
    pub strategy: String,
    /// The devices that the strategy was told of.
    pub sources: Vec<String>,
    /// Number of configurations that are admissible for the input.
    pub configurations: usize,
    /// How many were evaluated, failed ones counted.
    pub evaluations: usize,
    /// How many of those failed.
    pub failed: usize,
    /// The fastest configuration; none while all failed.
    pub best: Option<String>,
    /// Its time in nanoseconds.
    pub best_ns: Option<f64>,
    /// Configurations with their times.
    #[serde(skip)]
    pub times_ns: Vec<(String, f64)>,
}

impl Searching {
    /// What is searched of a function: every possible configuration of the wanted variants, variant by variant.
    pub(crate) fn candidates(&self, function: &'static Function) -> Result<Vec<Candidate>, SearchError> {
        let variants = function.variants().iter().enumerate();
        let parameterised = variants.filter(|(_, own)| !own.parameters().is_empty());
        let known: Vec<&str> = parameterised.clone().map(|(_, own)| own.name()).collect();
        let wanted =
            parameterised.filter(|(_, own)| self.variant.as_ref().is_none_or(|name| own.name() == name));
        let mut all = Vec::new();
        for (variant, own) in wanted {
            let too_many = || SearchError::TooMany {
                variant: own.name().to_owned(),
                count: own.parameters().configurations(),
                most: WALKED,
            };
            all.extend(all_of_variant(function, variant).ok_or_else(too_many)?);
        }
        match (&self.variant, all.is_empty()) {
            (_, false) => Ok(all),
            (Some(variant), _) if !known.is_empty() => Err(SearchError::NoSuchVariant {
                function: function.name().to_owned(),
                variant: variant.clone(),
                known: known.into_iter().map(str::to_owned).collect(),
            }),
            _ => Err(SearchError::NoSpace { function: function.name().to_owned() }),
        }
    }

    /// What was found, sorted by input, and forgotten here.
    pub(crate) fn take_found(&self) -> Vec<Searched> {
        let mut found = std::mem::take(&mut *self.lock_found());
        found.sort_by(|one, next| (&one.input, &one.variant).cmp(&(&next.input, &next.variant)));
        found
    }

    /// The inputs on which the searches have come to their end.
    pub(crate) fn finished(&self) -> BTreeSet<String> {
        self.lock_found().iter().map(|one| one.input.clone()).collect()
    }

    /// That the searches of one input have come to their end.
    pub(crate) fn finish(&self, of_input: Vec<Searched>) {
        self.lock_found().extend(of_input);
    }

    fn lock_found(&self) -> MutexGuard<'_, Vec<Searched>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on searches these inputs too, which others have claimed; whether there are any.
    pub(crate) fn join(&self, left: &BTreeSet<String>) -> bool {
        self.is_joining.store(true, Ordering::Relaxed);
        !left.is_empty()
    }

    pub(crate) fn is_joining(&self) -> bool {
        self.is_joining.load(Ordering::Relaxed)
    }
}
