//! The plan of a search that measures.

use std::cell::OnceCell;
use std::fmt;

use nitro_core::{Artifact, Choice, DeviceEntry, Function, MAX_ARTIFACT_BYTES, VariantInfo};
use nitro_learn::configurations::{ByInput, ConfigurationsError};
use nitro_search::{ProofPlan, Prover, Strategy, Until};
use nitro_store::recordings::Recordings;

use super::error::SearchError;
use super::{Floors, SearchStrategy};
use crate::generate::Generator;
use crate::measure::{Candidate, WALKED, all_of_variant, is_generated};

/// A plan of the searches of one function.
#[derive(Debug, Default)]
pub(crate) struct SearchPlan<'a> {
    /// The variant; without one, every variant with tuning parameters.
    pub(crate) variant: Option<String>,
    /// The strategy; without one, `transfer` where configurations are listed, and ants where they are generated.
    pub(crate) strategy: Option<SearchStrategy>,
    /// The percentage of its time by which something may be faster than what is proved to be the fastest.
    pub(crate) within_percent: f64,
    /// True where one point stands for those that differ only in what seldom matters.
    pub(crate) classes: bool,
    /// The writers of code.
    pub(crate) generators: Generators<'a>,
    /// What no time is under.
    pub(crate) floors: Floors<'a>,
    /// The rule by which a search stops before its budget is used up.
    pub(crate) until: Option<Until>,
    /// The most evaluations of an input.
    pub(crate) evaluations: usize,
    /// The seed of everything random.
    pub(crate) seed: u64,
    /// The recordings of other devices.
    pub(crate) others: Recordings,
    /// The names of devices to learn from; without, all others.
    pub(crate) sources: Option<Vec<String>>,
    /// An index of `others`, once it was asked for.
    pub(crate) by_input: OnceCell<ByInput>,
}

/// The writers of code, by variant.
#[derive(Clone, Default)]
pub(crate) struct Generators<'a>(pub(crate) Vec<(&'static str, &'a dyn Generator)>);

impl<'a> Generators<'a> {
    /// Returns the writer of a variant's code.
    pub(crate) fn of(&self, variant: &str) -> Option<&'a dyn Generator> {
        self.0.iter().find(|own| own.0 == variant).map(|own| own.1)
    }
}

impl fmt::Debug for Generators<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|(variant, _)| variant)).finish()
    }
}

/// A variant whose generated code is searched.
pub(crate) struct GeneratedVariant<'a> {
    /// Index of the variant.
    pub(crate) variant: usize,
    /// The writer of its code.
    pub(crate) generator: &'a dyn Generator,
}

impl GeneratedVariant<'_> {
    /// Returns at most so many texts that are evaluated first: presets, and guesses about an input and a device.
    pub(super) fn first_texts(&self, most: usize, input: &str, device: &DeviceEntry) -> Vec<String> {
        let presets = self.generator.presets().into_iter().map(|(_, text)| text);
        let guesses = self.generator.guesses(input, &|feature| device.feature(feature));
        let mut texts: Vec<String> = Vec::new();
        for text in presets.chain(guesses) {
            if texts.len() < most && text.len() <= MAX_ARTIFACT_BYTES && !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }
}

/// Makes a candidate of a text, which this process knows from now on.
pub(super) fn candidate_of(function: &'static Function, variant: usize, text: &str) -> Candidate {
    Candidate::of(function, Choice { variant, configuration: Artifact::keep(text).into() })
}

impl<'a> SearchPlan<'a> {
    /// Returns the strategy among configurations that are listed.
    pub(crate) fn listed_strategy(&self) -> Strategy {
        match self.strategy {
            Some(SearchStrategy::Find(strategy)) => strategy,
            _ => Strategy::Transfer,
        }
    }

    /// Returns the strategy among paths of generated code.
    pub(super) fn path_strategy(&self) -> Strategy {
        match self.strategy {
            Some(SearchStrategy::Find(strategy)) => strategy,
            _ => Strategy::Ants,
        }
    }

    /// Returns true if branch and bound searches.
    pub(super) fn proves(&self) -> bool {
        self.strategy == Some(SearchStrategy::Prove)
    }

    /// Returns the variants of a function whose generated code is searched on a device.
    ///
    /// # Errors
    /// When a variant has no generator, or cannot be searched by the strategy.
    pub(crate) fn generated(
        &self,
        function: &'static Function,
        device: &DeviceEntry,
    ) -> Result<Vec<GeneratedVariant<'a>>, SearchError> {
        let generated = self.with_generator(function)?;
        if self.proves() {
            return self.provable(generated, function, device);
        }
        let strategy = self.path_strategy();
        if let Some(first) = generated.first()
            && strategy.over_paths(self.seed).is_none()
        {
            let variant = function.variants()[first.variant].name().to_owned();
            return Err(SearchError::Strategy { variant, strategy });
        }
        Ok(generated)
    }

    /// Begins a proof over generated code; none where its generator has no bound of the times on a device with these
    /// features.
    pub(super) fn prover<'g>(
        &self,
        sought: &GeneratedVariant<'g>,
        feature: &dyn Fn(&str) -> Option<f64>,
    ) -> Option<Prover<'g>> {
        let Self { within_percent, classes, seed, .. } = *self;
        sought.generator.prover(feature, &ProofPlan { within_percent, classes, seed })
    }

    /// Returns those of which a bound of the times is known on the device.
    fn provable(
        &self,
        generated: Vec<GeneratedVariant<'a>>,
        function: &'static Function,
        device: &DeviceEntry,
    ) -> Result<Vec<GeneratedVariant<'a>>, SearchError> {
        let provable: Vec<_> = generated
            .into_iter()
            .filter(|own| self.prover(own, &|feature| device.feature(feature)).is_some())
            .collect();
        match provable.is_empty() {
            true => Err(SearchError::NoProof {
                function: function.name().to_owned(),
                variant: self.variant.clone(),
                device: device.id().to_owned(),
            }),
            false => Ok(provable),
        }
    }

    /// Returns the wanted variants of generated code that have a generator.
    fn with_generator(&self, function: &'static Function) -> Result<Vec<GeneratedVariant<'a>>, SearchError> {
        let variants = function.variants().iter();
        let known: Vec<&str> = variants.filter(|own| is_generated(own)).map(|own| own.name()).collect();
        if let Some((variant, _)) = self.generators.0.iter().find(|(variant, _)| !known.contains(variant)) {
            return Err(SearchError::NotGenerated {
                function: function.name().to_owned(),
                variant: (*variant).to_owned(),
                known: known.into_iter().map(str::to_owned).collect(),
            });
        }
        let mut sought = Vec::new();
        for (variant, own) in function.variants().iter().enumerate() {
            let name = own.name();
            if !is_generated(own) || !self.is_wanted(name) {
                continue;
            }
            match self.generators.0.iter().find(|(variant, _)| *variant == name) {
                Some((_, generator)) => sought.push(GeneratedVariant { variant, generator: *generator }),
                None if self.variant.is_some() => return Err(no_generator(function, name)),
                None => {}
            }
        }
        Ok(sought)
    }

    /// Returns true for a variant that is to be searched, if it can be.
    fn is_wanted(&self, variant: &str) -> bool {
        self.variant.as_ref().is_none_or(|name| variant == name)
    }

    /// Returns every possible configuration of the wanted variants, variant by variant.
    ///
    /// There are none where it is generated, or what is searched has to be proved.
    ///
    /// # Errors
    /// When no such variant has tuning parameters, or one has too many configurations.
    pub(crate) fn candidates(&self, function: &'static Function) -> Result<Vec<Candidate>, SearchError> {
        let mut known = Vec::new();
        let (mut all, mut seeks_code) = (Vec::new(), false);
        for (variant, own) in function.variants().iter().enumerate() {
            if own.parameters().is_empty() {
                continue;
            }
            known.push(own.name().to_owned());
            if !self.is_wanted(own.name()) {
                continue;
            }
            seeks_code |= is_generated(own) || self.proves();
            if !self.proves() {
                all.extend(all_of_variant(function, variant).ok_or_else(|| too_many(own))?);
            }
        }
        if seeks_code || !all.is_empty() {
            return Ok(all);
        }
        let function = function.name().to_owned();
        Err(match &self.variant {
            Some(variant) if !known.is_empty() => {
                ConfigurationsError::NoSuchVariant { function, variant: variant.clone(), known }
            }
            _ => ConfigurationsError::NoSpace { function },
        }
        .into())
    }
}

/// Creates the error of a variant with more configurations than can be walked through.
fn too_many(variant: &VariantInfo) -> SearchError {
    let count = variant.parameters().configurations();
    SearchError::TooMany { variant: variant.name().to_owned(), count, most: WALKED }
}

/// Creates the error of a variant whose code nobody writes.
pub(crate) fn no_generator(function: &Function, variant: &str) -> SearchError {
    SearchError::NoGenerator { function: function.name().to_owned(), variant: variant.to_owned() }
}
