//! A variant as the macro describes it.

use crate::{Configuration, Constraint, Parameter, Parameters};

/// One variant of a [`Function`](crate::Function).
///
/// ```
/// use nitro_core::{Parameter, ParameterKind, VariantInfo};
///
/// const TILED: VariantInfo = VariantInfo::new("tiled")
///     .with_parameters(&[
///         Parameter::new("tile", ParameterKind::Number, &["8", "16"], 0),
///         Parameter::new("lanes", ParameterKind::Number, &["4", "16"], 0),
///     ])
///     .with_possible(|configuration| configuration.rank() != 3); // tile * lanes <= 128
///
/// assert_eq!(TILED.parameters().configurations(), 4);
/// let possible = TILED.configurations().map(|own| TILED.parameters().text(own));
/// assert_eq!(possible.collect::<Vec<_>>(), ["tile=8,lanes=4", "tile=8,lanes=16", "tile=16,lanes=4"]);
/// assert!(TILED.constraint().is_none(), "which of these may run does not depend on the input");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct VariantInfo {
    name: &'static str,
    parameters: Parameters,
    is_possible: Option<fn(Configuration) -> bool>,
    constraint: Option<Constraint>,
    hint: Option<usize>,
    exact_group: Option<usize>,
    approximation: Option<(f64, Option<&'static str>)>,
    digest: Option<u64>,
    was: &'static [&'static str],
    has_target: Option<fn() -> bool>,
}

impl VariantInfo {
    /// A variant that may run on every input; `#[code_variant]` calls this.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        let parameters = Parameters::new(&[]);
        let (is_possible, constraint, hint, exact_group, approximation) = (None, None, None, None, None);
        let (digest, was, has_target): (_, &[&str], _) = (None, &[], None);
        Self {
            name,
            parameters,
            is_possible,
            constraint,
            hint,
            exact_group,
            approximation,
            digest,
            was,
            has_target,
        }
    }

    /// Adds these tuning parameters.
    #[must_use]
    pub const fn with_parameters(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = Parameters::new(parameters);
        self
    }

    /// Adds the part of its constraint that names parameters alone: what no input makes right.
    #[must_use]
    pub const fn with_possible(mut self, is_possible: fn(Configuration) -> bool) -> Self {
        self.is_possible = Some(is_possible);
        self
    }

    /// Adds a constraint.
    #[must_use]
    pub const fn with_constraint(mut self, constraint: Constraint) -> Self {
        self.constraint = Some(constraint);
        self
    }

    /// Adds the index of the feature that is its hint: where that is 1 and nothing was learned, it is preferred to the
    /// default.
    #[must_use]
    pub const fn preferred_by(mut self, feature: usize) -> Self {
        self.hint = Some(feature);
        self
    }

    /// Adds a digest of its constraint and parameters: another one where they say something else.
    #[must_use]
    pub const fn with_digest(mut self, digest: u64) -> Self {
        self.digest = Some(digest);
        self
    }

    /// Adds the names that it had before.
    #[must_use]
    pub const fn formerly(mut self, was: &'static [&'static str]) -> Self {
        self.was = was;
        self
    }

    /// Adds that it is compiled with target features, and how to find out if the processor has them.
    #[must_use]
    pub const fn with_target(mut self, has_target: fn() -> bool) -> Self {
        self.has_target = Some(has_target);
        self
    }

    /// Puts the variant into the `exact(..)` group of this number.
    #[must_use]
    pub const fn in_exact_group(mut self, group: usize) -> Self {
        self.exact_group = Some(group);
        self
    }

    /// Adds that its results were seen to be off by up to this relative error, over named inputs. That it takes a
    /// tolerance is part of its constraint.
    ///
    /// # Panics
    /// At compile time, when the error is not above 0 or not finite.
    #[must_use]
    pub const fn approximate(mut self, max_error: f64, over: Option<&'static str>) -> Self {
        assert!(max_error > 0.0 && max_error.is_finite(), "the largest relative error is a number above 0");
        self.approximation = Some((max_error, over));
        self
    }

    /// The name in stores, models and messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The digest of its constraint and parameters, where it is known.
    #[must_use]
    pub fn digest(&self) -> Option<u64> {
        self.digest
    }

    /// The names that it had before: measurements under these are its own.
    #[must_use]
    pub fn former_names(&self) -> &'static [&'static str] {
        self.was
    }

    /// Its tuning parameters.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// The constraint of its possible configurations, on inputs; none where they may run on all. Of an approximate
    /// variant what it takes of a call's tolerance comes first, as `tolerance >= 0.003`.
    #[must_use]
    pub fn constraint(&self) -> Option<Constraint> {
        self.constraint
    }

    /// Index of the feature that is its hint, `prefer if ..`, if it has one.
    #[must_use]
    pub fn hint(&self) -> Option<usize> {
        self.hint
    }

    /// The `exact(..)` group that it stands in, if it does. Variants of one group give the same results, bit for
    /// bit.
    #[must_use]
    pub fn exact_group(&self) -> Option<usize> {
        self.exact_group
    }

    /// The largest relative error of an approximate variant that was seen, and over what inputs.
    /// [`Function::contract`](crate::Function::contract) has it with what other variants promise.
    #[must_use]
    pub fn approximation(&self) -> Option<(f64, Option<&'static str>)> {
        self.approximation
    }

    /// Returns true where the processor of this machine has the target features that it is compiled with, if any.
    #[must_use]
    pub fn runs_here(&self) -> bool {
        self.has_target.is_none_or(|has_target| has_target())
    }

    /// Returns true where a configuration may run on some input. Only the part of its constraint that names
    /// parameters alone is asked.
    #[must_use]
    pub fn is_possible(&self, configuration: Configuration) -> bool {
        self.is_possible.is_none_or(|is_possible| is_possible(configuration))
    }

    /// The possible configurations, in the order of their ranks; none of generated code. There may be too many to
    /// walk through.
    pub fn configurations(&self) -> impl Iterator<Item = Configuration> + '_ {
        let all = (0..self.parameters.configurations()).map(Configuration::of_rank);
        all.filter(|&configuration| self.is_possible(configuration))
    }
}
