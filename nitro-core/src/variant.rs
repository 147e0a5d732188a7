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
    exact_group: Option<usize>,
}

impl VariantInfo {
    /// A variant that may run on every input; `#[code_variant]` calls this.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        let parameters = Parameters::new(&[]);
        Self { name, parameters, is_possible: None, constraint: None, exact_group: None }
    }

    /// With these tuning parameters.
    #[must_use]
    pub const fn with_parameters(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = Parameters::new(parameters);
        self
    }

    /// With the part of its constraint that names parameters alone: what no input makes right.
    #[must_use]
    pub const fn with_possible(mut self, is_possible: fn(Configuration) -> bool) -> Self {
        self.is_possible = Some(is_possible);
        self
    }

    /// With a constraint.
    #[must_use]
    pub const fn with_constraint(mut self, constraint: Constraint) -> Self {
        self.constraint = Some(constraint);
        self
    }

    /// In the `exact(..)` group of this number.
    #[must_use]
    pub const fn in_exact_group(mut self, group: usize) -> Self {
        self.exact_group = Some(group);
        self
    }

    /// The name in stores, models and messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its tuning parameters.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// For which inputs its possible configurations may run; absent is all.
    #[must_use]
    pub fn constraint(&self) -> Option<Constraint> {
        self.constraint
    }

    /// The `exact(..)` group that it stands in, if it does: variants of one group give the same results, bit for bit.
    #[must_use]
    pub fn exact_group(&self) -> Option<usize> {
        self.exact_group
    }

    /// Whether a configuration may run on any input at all, as far as what its constraint says of parameters alone tells.
    #[must_use]
    pub fn is_possible(&self, configuration: Configuration) -> bool {
        self.is_possible.is_none_or(|is_possible| is_possible(configuration))
    }

    /// The possible configurations, in the order of their ranks; none of generated code. There may be too many to walk through.
    pub fn configurations(&self) -> impl Iterator<Item = Configuration> + '_ {
        let all = (0..self.parameters.configurations()).map(Configuration::of_rank);
        all.filter(|&configuration| self.is_possible(configuration))
    }
}
