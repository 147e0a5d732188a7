//! A candidate to run on an input: a variant with values for its tuning parameters.

use std::collections::BTreeSet;

use nitro_core::{Choice, Configuration, Function, VariantInfo, choice_text};

use nitro_stats::random::Random;
use nitro_store::recordings::Recordings;
use nitro_store::store::ChoiceName;

/// The most configurations of one variant that are tried where nobody says which.
pub const MAX_CONFIGURATIONS: usize = 256;

/// A choice of a function with the names that it has in stores.
///
/// ```
/// use nitro_train::Function;
/// use nitro_train::measure::Candidate;
/// # use nitro::{Parameter, ParameterKind, VariantInfo};
///
/// # static SORT: Function = Function::new("sort", &[
/// #     VariantInfo::new("merge"),
/// #     VariantInfo::new("radix").with_parameters(&[Parameter::new("bits", ParameterKind::Number, &["4", "8"], 1)]),
/// # ]);
/// let candidates = Candidate::all(&SORT); // of a function with the variants `merge` and `radix`
/// let texts: Vec<_> = candidates.iter().map(Candidate::text).collect();
/// assert_eq!(texts, ["merge", "radix{bits=4}", "radix{bits=8}"]);
/// assert_eq!(candidates[1], Candidate::of(&SORT, SORT.choice("radix{bits=4}")?));
/// assert_eq!(candidates[1].name().configuration, "bits=4"); // as a store has it
/// # Ok::<(), nitro::UnknownChoice>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The choice that is run.
    pub choice: Choice,
    /// The name of the variant.
    pub variant: &'static str,
    /// The values of the tuning parameters; empty for a variant without any.
    pub configuration: String,
}

impl Candidate {
    /// Creates the candidate of a choice.
    ///
    /// # Panics
    /// When the function has no such variant.
    #[must_use]
    pub fn of(function: &Function, choice: Choice) -> Self {
        let variant = &function.variants()[choice.variant];
        let configuration = variant.parameters().text(choice.configuration);
        Self { choice, variant: variant.name(), configuration }
    }

    /// Lists every variant of a function with every possible configuration.
    ///
    /// A variant that has more than [`MAX_CONFIGURATIONS`] comes with its default and others drawn at random, so many
    /// in all and always the same.
    #[must_use]
    pub fn all(function: &Function) -> Vec<Self> {
        let mut all = Vec::new();
        for (variant, info) in function.variants().iter().enumerate() {
            let configurations = all_configurations(info).unwrap_or_else(|| drawn_configurations(info));
            for configuration in configurations {
                all.push(Self::of(function, Choice { variant, configuration }));
            }
        }
        all
    }

    /// Lists [all](Self::all) candidates, and the generated code that recordings have measured and have the text of.
    ///
    /// Nobody but the recordings can tell what generated code there is.
    #[must_use]
    pub fn known(function: &Function, recordings: &Recordings) -> Vec<Self> {
        let mut all = Self::all(function);
        let rows = recordings.measurements.iter();
        let measured: BTreeSet<(&str, &str)> =
            rows.map(|one| (&*recordings.variants[one.variant], &*one.configuration)).collect();
        for (variant, configuration) in measured {
            if recordings.artifact(configuration).is_some()
                && let Ok(choice) = function.choice(&choice_text(variant, configuration))
                && is_generated(&function.variants()[choice.variant])
            {
                all.push(Self::of(function, choice));
            }
        }
        all
    }

    /// Returns the names that a store has for it.
    #[must_use]
    pub fn name(&self) -> ChoiceName<'_> {
        ChoiceName { variant: self.variant, configuration: &self.configuration }
    }

    /// Returns the text of the choice: `csr`, or `tiled{block=256,unroll=4}`.
    #[must_use]
    pub fn text(&self) -> String {
        choice_text(self.variant, &self.configuration)
    }
}

/// Returns true for a variant of generated code.
pub(crate) fn is_generated(variant: &VariantInfo) -> bool {
    variant.parameters().artifact().is_some()
}

/// Lists every possible configuration of a variant; none where there are too many to walk through.
pub(crate) fn all_of_variant(function: &Function, variant: usize) -> Option<Vec<Candidate>> {
    let info = &function.variants()[variant];
    if info.parameters().configurations() > WALKED {
        return None;
    }
    let choices = info.configurations().map(|configuration| Choice { variant, configuration });
    Some(choices.map(|own| Candidate::of(function, own)).collect())
}

/// Returns true for a variant with more configurations than are tried.
pub(crate) fn is_sampled(variant: &VariantInfo) -> bool {
    all_configurations(variant).is_none()
}

/// The most configurations that are walked through to see which are possible.
pub(crate) const WALKED: u64 = 1 << 20;

/// Returns the possible configurations of a variant, unless they are more than are tried.
fn all_configurations(variant: &VariantInfo) -> Option<BTreeSet<Configuration>> {
    if variant.parameters().configurations() > WALKED {
        return None;
    }
    let all: BTreeSet<_> = variant.configurations().take(MAX_CONFIGURATIONS + 1).collect();
    (all.len() <= MAX_CONFIGURATIONS).then_some(all)
}

/// Draws configurations of a variant at random, besides its default. Where next to nothing is possible, few are found.
fn drawn_configurations(variant: &VariantInfo) -> BTreeSet<Configuration> {
    let all = variant.parameters().configurations();
    let (mut random, mut drawn) = (Random::new(0), BTreeSet::new());
    drawn.insert(variant.parameters().default_configuration());
    for _ in 0..64 * MAX_CONFIGURATIONS {
        if drawn.len() == MAX_CONFIGURATIONS {
            break;
        }
        let configuration = Configuration::of_rank(random.next_u64() % all);
        if variant.is_possible(configuration) {
            drawn.insert(configuration);
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use nitro_core::{Parameter, ParameterKind};

    use super::*;

    const EIGHT: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7"];
    const EDGE: Parameter = Parameter::new("edge", ParameterKind::Number, EIGHT, 5);

    #[test]
    fn what_is_possible_is_tried_and_of_much_a_part() {
        static VARIANTS: [VariantInfo; 3] = [
            VariantInfo::new("plain"),
            VariantInfo::new("small").with_parameters(&[EDGE]).with_possible(|own| own.rank() % 2 == 1),
            VariantInfo::new("large").with_parameters(&[EDGE, EDGE, EDGE, EDGE]),
        ];
        static FUNCTION: Function = Function::new("f", &VARIANTS);
        let all = Candidate::all(&FUNCTION);
        assert_eq!(all, Candidate::all(&FUNCTION), "the same whenever they are drawn");
        let texts = |name: &str| -> Vec<String> {
            all.iter().filter(|own| own.variant == name).map(Candidate::text).collect()
        };
        assert_eq!(texts("plain"), ["plain"]);
        assert_eq!(texts("small"), ["small{edge=1}", "small{edge=3}", "small{edge=5}", "small{edge=7}"]);
        let large = texts("large");
        assert_eq!(large.len(), MAX_CONFIGURATIONS);
        assert!(large.contains(&"large{edge=5,edge=5,edge=5,edge=5}".to_owned()), "the defaults");
    }
}
