//! What a search that measures is asked, and what it tells.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use nitro_core::{Function, VariantInfo};
use nitro_learn::configurations::{ByInput, ConfigurationsError};
use nitro_search::Strategy;
use nitro_store::recordings::Recordings;
use serde::Serialize;

use super::error::SearchError;
use crate::generate::Generator;
use crate::measure::{Candidate, WALKED, all_of_variant};

/// What is searched on each input, how, and what came of it.
#[derive(Debug, Default)]
pub struct Searching<'a> {
    /// The variant; without one, every variant with tuning parameters.
    pub variant: Option<String>,
    /// Who proposes; without, `transfer` where configurations are listed, and ants where they are generated.
    pub strategy: Option<Strategy>,
    /// Who writes code for which variant.
    pub(crate) generators: Generators<'a>,
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
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// Number of configurations that are admissible for the input; 0 of generated code, which nobody can list.
    pub configurations: usize,
    /// How many were evaluated, failed ones counted.
    pub evaluations: usize,
    /// How many of those failed.
    pub failed: usize,
    /// Why most of those failed, as far as that is known.
    pub reason: Option<String>,
    /// How many paths of generated code were not evaluated, since by a [lower
    /// bound](crate::generate::Generator::bound_ns) they are no faster than the best was then.
    pub skipped: usize,
    /// The fastest configuration; none while all failed.
    pub best: Option<String>,
    /// Its time in nanoseconds.
    pub best_ns: Option<f64>,
    /// Configurations with their times.
    #[serde(skip)]
    pub times_ns: Vec<(String, f64)>,
}

/// Why candidates failed, and how often.
#[derive(Default)]
pub(super) struct Reasons(BTreeMap<String, usize>);

impl Reasons {
    /// Notes one that is known: empty where nobody said why, or nothing failed.
    pub(super) fn note(&mut self, reason: &str) {
        if !reason.is_empty() {
            *self.0.entry(reason.to_owned()).or_default() += 1;
        }
    }

    pub(super) fn most_frequent(self) -> Option<String> {
        // Of equals the first in the alphabet, in whatever order they were told.
        self.0.into_iter().rev().max_by_key(|(_, count)| *count).map(|(reason, _)| reason)
    }
}

/// Who writes code, by variant.
#[derive(Clone, Default)]
pub(crate) struct Generators<'a>(pub(crate) Vec<(&'static str, &'a dyn Generator)>);

impl fmt::Debug for Generators<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|(variant, _)| variant)).finish()
    }
}

/// Generated code that is searched.
pub(crate) struct Sought<'a> {
    /// Index of the variant.
    pub(crate) variant: usize,
    pub(crate) generator: &'a dyn Generator,
    /// One that searches paths.
    pub(crate) strategy: Strategy,
}

impl<'a> Searching<'a> {
    /// Who proposes configurations that are listed.
    pub(crate) fn listed_strategy(&self) -> Strategy {
        self.strategy.unwrap_or(Strategy::Transfer)
    }

    /// The generated code that is searched of a function.
    pub(crate) fn generated(&self, function: &'static Function) -> Result<Vec<Sought<'a>>, SearchError> {
        let name = |variant: usize| function.variants()[variant].name();
        let generated: Vec<usize> =
            (0..function.variants().len()).filter(|&own| is_generated(&function.variants()[own])).collect();
        if let Some((variant, _)) =
            self.generators.0.iter().find(|own| !generated.iter().any(|&at| name(at) == own.0))
        {
            return Err(SearchError::NotGenerated {
                function: function.name().to_owned(),
                variant: (*variant).to_owned(),
                known: generated.into_iter().map(|own| name(own).to_owned()).collect(),
            });
        }
        let mut sought = Vec::new();
        for variant in generated.into_iter().filter(|&own| self.is_wanted(name(own))) {
            match self.generators.0.iter().find(|own| own.0 == name(variant)) {
                Some((_, generator)) => {
                    let strategy = self.path_strategy(name(variant))?;
                    sought.push(Sought { variant, generator: *generator, strategy });
                }
                None if self.variant.is_some() => return Err(no_generator(function, name(variant))),
                None => {}
            }
        }
        Ok(sought)
    }

    fn path_strategy(&self, variant: &str) -> Result<Strategy, SearchError> {
        let strategy = self.strategy.unwrap_or(Strategy::Ants);
        match strategy.over_paths(self.seed) {
            Some(_) => Ok(strategy),
            None => Err(SearchError::Strategy { variant: variant.to_owned(), strategy }),
        }
    }

    fn is_wanted(&self, variant: &str) -> bool {
        self.variant.as_ref().is_none_or(|name| variant == name)
    }

    /// What is searched of a function among configurations that are listed: every possible one of the wanted
    /// variants, variant by variant.
    pub(crate) fn candidates(&self, function: &'static Function) -> Result<Vec<Candidate>, SearchError> {
        let variants = function.variants().iter().enumerate();
        let parameterised = variants.filter(|(_, own)| !own.parameters().is_empty());
        let known: Vec<&str> = parameterised.clone().map(|(_, own)| own.name()).collect();
        let wanted = parameterised.filter(|(_, own)| self.is_wanted(own.name()));
        let seeks_code = wanted.clone().any(|(_, own)| is_generated(own));
        let mut all = Vec::new();
        for (variant, own) in wanted {
            let too_many = || SearchError::TooMany {
                variant: own.name().to_owned(),
                count: own.parameters().configurations(),
                most: WALKED,
            };
            all.extend(all_of_variant(function, variant).ok_or_else(too_many)?);
        }
        match (&self.variant, all.is_empty() && !seeks_code) {
            (_, false) => Ok(all),
            (Some(variant), _) if !known.is_empty() => Err(ConfigurationsError::NoSuchVariant {
                function: function.name().to_owned(),
                variant: variant.clone(),
                known: known.into_iter().map(str::to_owned).collect(),
            }
            .into()),
            _ => Err(ConfigurationsError::NoSpace { function: function.name().to_owned() }.into()),
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

fn is_generated(variant: &VariantInfo) -> bool {
    variant.parameters().artifact().is_some()
}

/// That nobody writes the code of a variant.
pub(crate) fn no_generator(function: &Function, variant: &str) -> SearchError {
    SearchError::NoGenerator { function: function.name().to_owned(), variant: variant.to_owned() }
}
