//! Tuning parameters: named, finite choices inside a variant, and the configurations that they span.

use std::fmt;

use crate::error_text::error_text;
use crate::escape::{entries, escaped, meant, split_once, trimmed};
use crate::{Artifact, ArtifactError};

/// A tuning parameter of a variant, as `#[code_variant]` describes it.
///
/// ```
/// use nitro_core::{Parameter, ParameterKind};
///
/// let order = Parameter::new("order", ParameterKind::Category, &["row", "column"], 0);
/// let block = Parameter::new("block", ParameterKind::Number, &["64", "128", "256"], 1);
/// assert_eq!(block.values()[block.default_value()], "128");
/// // What a model learns from: of a number the value, of a category the index.
/// assert_eq!((block.number(2), order.number(1)), (256.0, 1.0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    name: &'static str,
    kind: ParameterKind,
    values: &'static [&'static str],
    default_value: usize,
}

/// The kind of a parameter's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterKind {
    /// Numbers, for which near and far mean something.
    Number,
    /// `false` and `true`.
    Bool,
    /// Names without an order, such as the values of an enum.
    Category,
    /// Generated code ([`Artifact`]): what was found and kept, which nobody can list beforehand.
    Artifact,
}

impl Parameter {
    /// A parameter with its values as texts, in order, and the index of the default among them; `#[code_variant]`
    /// calls this.
    ///
    /// # Panics
    /// At compile time, when `default_value` is no index of a value.
    #[must_use]
    pub const fn new(
        name: &'static str,
        kind: ParameterKind,
        values: &'static [&'static str],
        default_value: usize,
    ) -> Self {
        assert!(default_value < values.len(), "the default is one of the values");
        Self { name, kind, values, default_value }
    }

    /// A parameter whose values are generated code; the only one of its variant.
    #[must_use]
    pub const fn artifact(name: &'static str) -> Self {
        Self { name, kind: ParameterKind::Artifact, values: &[], default_value: 0 }
    }

    /// The name, e.g. `block`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The kind of its values.
    #[must_use]
    pub fn kind(&self) -> ParameterKind {
        self.kind
    }

    /// The values as texts, in the order of their declaration; none of generated code.
    #[must_use]
    pub fn values(&self) -> &'static [&'static str] {
        self.values
    }

    /// Index of the value that is used where nothing was learned.
    #[must_use]
    pub fn default_value(&self) -> usize {
        self.default_value
    }

    /// A value as a number, for learners: a number itself, `true` as 1, and of a category its index.
    ///
    /// # Panics
    /// When there is no value of this index.
    #[must_use]
    pub fn number(&self, value: usize) -> f64 {
        match self.kind {
            ParameterKind::Number => self.values[value].parse().unwrap_or(f64::NAN),
            ParameterKind::Bool | ParameterKind::Category => value as f64,
            ParameterKind::Artifact => f64::NAN, // no two are near
        }
    }

    /// The index of the value of this text, or the digest of generated code.
    fn parse(&self, value: &str) -> Result<u64, ConfigurationError> {
        let parsed = match self.kind {
            ParameterKind::Artifact => {
                value.parse().map(Artifact::digest).map_err(|error: ArtifactError| error.to_string())
            }
            _ => match self.values.iter().position(|known| *known == value) {
                Some(index) => Ok(index as u64),
                None => Err(format!("it is one of {}", self.values.join(", "))),
            },
        };
        parsed.map_err(|why| ConfigurationError(format!("`{}` cannot be `{value}`; {why}", self.name)))
    }
}

/// One value for each parameter of a variant. It is a rank among all configurations of the variant, of which the
/// values of the last parameter change fastest. A variant without parameters has one configuration, of rank 0. Of
/// generated code the rank is the [digest](Artifact::digest).
///
/// ```
/// use nitro_core::{Configuration, Parameter, ParameterKind, Parameters};
///
/// const PARAMETERS: Parameters = Parameters::new(&[
///     Parameter::new("block", ParameterKind::Number, &["64", "128"], 0),
///     Parameter::new("staged", ParameterKind::Bool, &["false", "true"], 0),
/// ]);
/// let texts = (0..PARAMETERS.configurations()).map(|rank| PARAMETERS.text(Configuration::of_rank(rank)));
/// assert_eq!(
///     texts.collect::<Vec<_>>(),
///     ["block=64,staged=false", "block=64,staged=true", "block=128,staged=false", "block=128,staged=true"]
/// );
/// assert_eq!(PARAMETERS.parse("block=128,staged=false").map(Configuration::rank), Ok(2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configuration(u64);

impl From<Configuration> for Artifact {
    fn from(configuration: Configuration) -> Self {
        Self::of_digest(configuration.rank())
    }
}

impl From<Artifact> for Configuration {
    fn from(artifact: Artifact) -> Self {
        Self::of_rank(artifact.digest())
    }
}

impl Configuration {
    /// The configuration of this rank.
    #[must_use]
    pub const fn of_rank(rank: u64) -> Self {
        Self(rank)
    }

    /// The rank.
    #[must_use]
    pub const fn rank(self) -> u64 {
        self.0
    }
}

/// The parameters of a variant, and the configurations that they span.
///
/// ```
/// use nitro_core::{Parameter, ParameterKind, Parameters};
///
/// const PARAMETERS: Parameters = Parameters::new(&[
///     Parameter::new("block", ParameterKind::Number, &["64", "128", "256"], 1),
///     Parameter::new("staged", ParameterKind::Bool, &["false", "true"], 0),
/// ]);
/// assert_eq!(PARAMETERS.configurations(), 6);
/// assert_eq!(PARAMETERS.text(PARAMETERS.default_configuration()), "block=128,staged=false");
/// let configuration = PARAMETERS.parse("block=256,staged=true").unwrap();
/// assert_eq!(PARAMETERS.values(configuration), [2, 1]); // which of the values each has
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Parameters(&'static [Parameter]);

impl Parameters {
    /// These parameters.
    ///
    /// # Panics
    /// At compile time, when there are more configurations than a 64-bit number counts, or another parameter beside
    /// one of generated code.
    #[must_use]
    pub const fn new(parameters: &'static [Parameter]) -> Self {
        let (mut count, mut index) = (1_u64, 0);
        while index < parameters.len() {
            let is_artifact = matches!(parameters[index].kind, ParameterKind::Artifact);
            assert!(
                !is_artifact || parameters.len() == 1,
                "generated code is the only parameter of its variant"
            );
            let Some(product) = count.checked_mul(parameters[index].values.len() as u64) else {
                panic!("a variant has at most 2^64 - 1 configurations");
            };
            count = product;
            index += 1;
        }
        Self(parameters)
    }

    /// The parameters, in the order of their declaration.
    #[must_use]
    pub fn list(&self) -> &'static [Parameter] {
        self.0
    }

    /// Returns true where there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The parameter of a variant that runs generated code.
    ///
    /// ```
    /// use nitro_core::{Artifact, Configuration, Parameter, Parameters};
    ///
    /// const FOUND: Parameters = Parameters::new(&[Parameter::artifact("kernel")]);
    /// assert_eq!(FOUND.artifact().map(Parameter::name), Some("kernel"));
    /// assert_eq!(FOUND.configurations(), 0); // nobody can list them
    /// assert_eq!(FOUND.text(FOUND.default_configuration()), "kernel=none");
    /// let kernel = Artifact::of("block=32");
    /// assert_eq!(FOUND.parse(&format!("kernel={kernel}")), Ok(kernel.into()));
    /// ```
    #[must_use]
    pub fn artifact(&self) -> Option<&'static Parameter> {
        self.0.iter().find(|own| own.kind == ParameterKind::Artifact)
    }

    /// The number of configurations that can be listed, by rank, those included that a constraint forbids. None of
    /// generated code can.
    #[must_use]
    pub fn configurations(&self) -> u64 {
        self.0.iter().map(|parameter| parameter.values.len() as u64).product()
    }

    /// The configuration of all defaults.
    #[must_use]
    pub fn default_configuration(&self) -> Configuration {
        self.of_values(self.0.iter().map(|parameter| parameter.default_value as u64))
    }

    /// The configuration of these values: an index for each parameter, in order, or the digest of generated code.
    fn of_values(&self, values: impl Iterator<Item = u64>) -> Configuration {
        let parameters = self.0.iter().zip(values);
        Configuration(parameters.fold(0, |rank, (own, value)| rank * own.values.len() as u64 + value))
    }

    /// The index of each parameter's value in a configuration, in the order of declaration; none of generated code.
    #[must_use]
    pub fn values(&self, configuration: Configuration) -> Vec<usize> {
        if self.artifact().is_some() {
            return Vec::new();
        }
        let mut digits = Digits::new(configuration);
        let mut values: Vec<_> = self.0.iter().rev().map(|own| digits.next_of(own.values.len())).collect();
        values.reverse();
        values
    }

    /// The text of a configuration, such as `block=256,unroll=4`; empty without parameters.
    #[must_use]
    pub fn text(&self, configuration: Configuration) -> String {
        if let Some(own) = self.artifact() {
            return format!("{}={}", escaped(own.name), Artifact::from(configuration));
        }
        let values = self.values(configuration);
        let each = self.0.iter().zip(values);
        let each = each.map(|(own, value)| format!("{}={}", escaped(own.name), escaped(own.values[value])));
        each.collect::<Vec<_>>().join(",")
    }

    /// The configuration of this text: one value for each parameter, in any order.
    ///
    /// # Errors
    /// When a parameter lacks, is there twice or is unknown, or when it cannot have the value.
    pub fn parse(&self, text: &str) -> Result<Configuration, ConfigurationError> {
        let mut values = vec![None; self.0.len()];
        for entry in entries(text).into_iter().map(trimmed).filter(|entry| !entry.is_empty()) {
            let (name, value) = split_once(entry, '=').unwrap_or((entry, ""));
            let (name, value) = (&*meant(name), &*meant(value));
            let index = self.0.iter().position(|own| own.name == name).ok_or_else(|| self.unknown(name))?;
            let value = self.0[index].parse(value)?;
            if values[index].replace(value).is_some() {
                return Err(ConfigurationError(format!("`{name}` is given twice")));
            }
        }
        for (own, value) in self.0.iter().zip(&values) {
            if value.is_none() {
                return Err(ConfigurationError(format!("`{}` has no value", own.name)));
            }
        }
        Ok(self.of_values(values.into_iter().flatten()))
    }

    fn unknown(&self, name: &str) -> ConfigurationError {
        let known = self.0.iter().map(|own| format!("`{}`", own.name)).collect::<Vec<_>>().join(", ");
        ConfigurationError(match known.is_empty() {
            true => format!("there is no parameter `{name}`: this variant has none"),
            false => format!("there is no parameter `{name}`; the parameters are {known}"),
        })
    }
}

/// A text that is no configuration of the variant, with what is wrong about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationError(String);

impl std::error::Error for ConfigurationError {}

error_text!(ConfigurationError: Self(wrong) => "{wrong}");

/// The indices of a configuration's values, from the last parameter to the first.
pub struct Digits(u64);

impl Digits {
    /// Begins with the last parameter of a configuration.
    #[must_use]
    pub fn new(configuration: Configuration) -> Self {
        Self(configuration.0)
    }

    /// The index of the value of a parameter that has so many.
    #[inline]
    pub fn next_of(&mut self, values: usize) -> usize {
        let digit = self.0 % values as u64;
        self.0 /= values as u64;
        digit as usize
    }
}

/// The text of a parameter's value as the attribute has it. A value that is not listed is written as `Debug` does.
pub struct ValueText<'a, T> {
    /// The value.
    pub value: &'a T,
    /// All values,
    pub values: &'a [T],
    /// and their texts.
    pub texts: &'static [&'static str],
}

impl<T: PartialEq + fmt::Debug> fmt::Display for ValueText<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.values.iter().position(|known| known == self.value) {
            Some(index) => formatter.write_str(&escaped(self.texts[index])),
            None => self.value.fmt(formatter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILED: Parameters = Parameters::new(&[
        Parameter::new("block", ParameterKind::Number, &["32", "64", "128"], 2),
        Parameter::new("staged", ParameterKind::Bool, &["false", "true"], 0),
    ]);

    #[test]
    fn every_configuration_has_a_text_that_is_read_back() {
        let texts: Vec<_> =
            (0..TILED.configurations()).map(|rank| TILED.text(Configuration::of_rank(rank))).collect();
        assert_eq!(texts[0], "block=32,staged=false");
        assert_eq!(texts[5], "block=128,staged=true");
        for (rank, text) in texts.iter().enumerate() {
            assert_eq!(TILED.parse(text), Ok(Configuration::of_rank(rank as u64)));
        }
        assert_eq!(TILED.text(TILED.default_configuration()), "block=128,staged=false");
        assert_eq!(TILED.parse(" staged = true, block=32 "), Ok(Configuration::of_rank(1)));
    }

    /// What a descriptor that no macro made may have.
    #[test]
    fn names_and_values_with_signs_of_the_text_are_read_back() {
        const ODD: Parameters = Parameters::new(&[
            Parameter::new(
                "a,=b",
                ParameterKind::Category,
                &["", ",", "=", "{", "}", "\\", " ", "x=1,y={2}"],
                0,
            ),
            Parameter::new("}{ ", ParameterKind::Category, &["\"a, b\"", " b ", "\\,", "é\u{a0}"], 0),
        ]);
        for rank in 0..ODD.configurations() {
            let text = ODD.text(Configuration::of_rank(rank));
            assert_eq!(ODD.parse(&text), Ok(Configuration::of_rank(rank)), "{text}");
        }
    }

    #[test]
    fn generated_code_is_known_by_its_digest() {
        const FOUND: Parameters = Parameters::new(&[Parameter::artifact("kernel")]);
        let kernel = Artifact::of("block=32");
        let text = format!("kernel={kernel}");
        assert_eq!((FOUND.text(kernel.into()), FOUND.parse(&text)), (text.clone(), Ok(kernel.into())));
        assert_eq!(FOUND.parse(" kernel = none "), Ok(FOUND.default_configuration()));
        assert_eq!((FOUND.default_configuration().rank(), FOUND.configurations()), (0, 0));
        assert!(FOUND.values(kernel.into()).is_empty() && TILED.artifact().is_none());
        let error = FOUND.parse("kernel=3FA9").unwrap_err().to_string();
        assert!(error.starts_with("`kernel` cannot be `3FA9`; an artifact is written as"), "{error}");
        assert_eq!(FOUND.parse("").unwrap_err().to_string(), "`kernel` has no value");
    }

    #[test]
    fn what_is_wrong_with_a_text_is_said() {
        for (text, expected) in [
            ("block=32", "`staged` has no value"),
            ("block=32,block=64,staged=true", "`block` is given twice"),
            ("block=48,staged=true", "`block` cannot be `48`; it is one of 32, 64, 128"),
            ("bloc=32,staged=true", "there is no parameter `bloc`; the parameters are `block`, `staged`"),
        ] {
            assert_eq!(TILED.parse(text).unwrap_err().to_string(), expected);
        }
        let none = Parameters::new(&[]);
        assert_eq!(none.parse(""), Ok(Configuration::default()));
        let error = none.parse("block=32").unwrap_err().to_string();
        assert_eq!(error, "there is no parameter `block`: this variant has none");
    }
}
