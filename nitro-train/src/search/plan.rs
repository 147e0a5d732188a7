//! The settings of a search that measures.

use std::cell::OnceCell;
use std::fmt;

use nitro_core::{Artifact, Choice, DeviceEntry, Function, MAX_ARTIFACT_BYTES, VariantInfo};
use nitro_learn::configurations::{ByInput, ConfigurationsError};
use nitro_search::{Prover, Strategy};
use nitro_store::recordings::Recordings;

use super::SearchStrategy;
use super::error::SearchError;
use crate::generate::Generator;
use crate::measure::{Candidate, WALKED, all_of_variant};

/// The settings of the searches of one function.
#[derive(Debug, Default)]
pub(crate) struct SearchPlan<'a> {
    /// The variant; without one, every variant with tuning parameters.
    pub(crate) variant: Option<String>,
    /// The strategy; without one, `transfer` where configurations are listed, and ants where they are generated.
    pub(crate) strategy: Option<SearchStrategy>,
    /// Something may be faster than what is proved to be the fastest by so many percent of its time.
    pub(crate) within_percent: f64,
    /// Who writes code for which variant.
    pub(crate) generators: Generators<'a>,
    /// At most so many evaluations an input.
    pub(crate) evaluations: usize,
    /// Seed of everything random.
    pub(crate) seed: u64,
    /// What other devices measured.
    pub(crate) others: Recordings,
    /// Names of devices to learn from; without, all others.
    pub(crate) sources: Option<Vec<String>>,
    /// Where in `others` what is, once that was asked for.
    pub(crate) by_input: OnceCell<ByInput>,
}

/// The writers of code, by variant.
#[derive(Clone, Default)]
pub(crate) struct Generators<'a>(pub(crate) Vec<(&'static str, &'a dyn Generator)>);

impl fmt::Debug for Generators<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|(variant, _)| variant)).finish()
    }
}

/// A variant whose generated code is searched.
pub(crate) struct GeneratedVariant<'a> {
    /// Index of the variant.
    pub(crate) variant: usize,
    pub(crate) generator: &'a dyn Generator,
}

impl GeneratedVariant<'_> {
    /// Returns the texts that are evaluated first: at most so many.
    pub(super) fn usable_presets(&self, most: usize) -> Vec<String> {
        let presets = self.generator.presets().into_iter().map(|(_, text)| text);
        presets.filter(|text| text.len() <= MAX_ARTIFACT_BYTES).take(most).collect()
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

    /// Tells if branch and bound searches.
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
        match generated.first().filter(|_| strategy.over_paths(self.seed).is_none()) {
            Some(first) => {
                let variant = function.variants()[first.variant].name().to_owned();
                Err(SearchError::Strategy { variant, strategy })
            }
            None => Ok(generated),
        }
    }

    /// Begins a proof over generated code; none where its generator has no bound of the times on the device.
    pub(super) fn prover<'g>(
        &self,
        sought: &GeneratedVariant<'g>,
        device: &DeviceEntry,
    ) -> Option<Prover<'g>> {
        sought.generator.prover(&|feature| device.feature(feature), self.within_percent, self.seed)
    }

    /// Returns those of which a bound of the times is known on the device.
    fn provable(
        &self,
        generated: Vec<GeneratedVariant<'a>>,
        function: &'static Function,
        device: &DeviceEntry,
    ) -> Result<Vec<GeneratedVariant<'a>>, SearchError> {
        let provable: Vec<_> =
            generated.into_iter().filter(|own| self.prover(own, device).is_some()).collect();
        match provable.is_empty() {
            true => Err(SearchError::NoProof {
                function: function.name().to_owned(),
                variant: self.variant.clone(),
                device: device.id().to_owned(),
            }),
            false => Ok(provable),
        }
    }

    fn with_generator(&self, function: &'static Function) -> Result<Vec<GeneratedVariant<'a>>, SearchError> {
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
                Some((_, generator)) => sought.push(GeneratedVariant { variant, generator: *generator }),
                None if self.variant.is_some() => return Err(no_generator(function, name(variant))),
                None => {}
            }
        }
        Ok(sought)
    }

    fn is_wanted(&self, variant: &str) -> bool {
        self.variant.as_ref().is_none_or(|name| variant == name)
    }

    /// Returns every possible configuration of the wanted variants, variant by variant: none where it is generated,
    /// or what is searched has to be proved.
    ///
    /// # Errors
    /// When no such variant has tuning parameters, or one has too many configurations.
    pub(crate) fn candidates(&self, function: &'static Function) -> Result<Vec<Candidate>, SearchError> {
        let variants = function.variants().iter().enumerate();
        let parameterised = variants.filter(|(_, own)| !own.parameters().is_empty());
        let known: Vec<&str> = parameterised.clone().map(|(_, own)| own.name()).collect();
        let wanted = parameterised.filter(|(_, own)| self.is_wanted(own.name()));
        let seeks_code = wanted.clone().any(|(_, own)| is_generated(own) || self.proves());
        let mut all = Vec::new();
        for (variant, own) in wanted.filter(|_| !self.proves()) {
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
}

fn is_generated(variant: &VariantInfo) -> bool {
    variant.parameters().artifact().is_some()
}

/// That nobody writes the code of a variant.
pub(crate) fn no_generator(function: &Function, variant: &str) -> SearchError {
    SearchError::NoGenerator { function: function.name().to_owned(), variant: variant.to_owned() }
}
