//! Constraints: which inputs a variant may run on, as far as features tell.

use std::fmt;

use crate::Configuration;

/// The constraint of a variant, as `#[code_variant]` describes it.
///
/// ```
/// use nitro_core::{Configuration, Constraint};
///
/// // `length >= 16 && values.is_sorted()` of a function whose only feature is `length`.
/// let admits = |features: &[Option<f64>], _| match features[0] {
///     Some(length) if length < 16.0 => Some(false),
///     _ => None, // the values decide
/// };
/// let constraint = Constraint::new("length >= 16 && values.is_sorted()", admits);
/// assert_eq!(constraint.admits(&[Some(8.0)], Configuration::default()), Some(false));
/// assert_eq!(constraint.admits(&[Some(64.0)], Configuration::default()), None);
/// ```
#[derive(Clone, Copy)]
pub struct Constraint {
    text: &'static str,
    admits: fn(&[Option<f64>], Configuration) -> Option<bool>,
}

impl Constraint {
    /// A constraint as it stands in the source, and what it says where some features are known; `#[code_variant]`
    /// calls this.
    #[must_use]
    pub const fn new(text: &'static str, admits: fn(&[Option<f64>], Configuration) -> Option<bool>) -> Self {
        Self { text, admits }
    }

    /// The constraint as it stands in the source.
    #[must_use]
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// Returns whether a configuration of the variant may run on inputs with these features. They are in the order
    /// of [`Function::features`](crate::Function::features). `None` says that it depends on features that are not
    /// known, or on the arguments themselves.
    ///
    /// Decided are `&&`, `||` and `!` of comparisons over features, parameters, literals and constants of the
    /// program, with arithmetic in double precision. A call does not ask here: it evaluates the constraint itself.
    ///
    /// # Panics
    /// When there are fewer values than the function has features.
    #[must_use]
    pub fn admits(&self, features: &[Option<f64>], configuration: Configuration) -> Option<bool> {
        (self.admits)(features, configuration)
    }
}

impl fmt::Debug for Constraint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(formatter)
    }
}

/// Applies a function to two numbers, where both are known.
pub fn of_both<T>(a: Option<f64>, b: Option<f64>, of: fn(f64, f64) -> T) -> Option<T> {
    Some(of(a?, b?))
}

/// `a && b`: false where one is, whatever the other.
pub fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (a, b) => Some(a? && b?),
    }
}

/// `a || b`: true where one is, whatever the other.
pub fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (a, b) => Some(a? || b?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_counts_only_where_it_decides() {
        const ALL: [Option<bool>; 3] = [Some(false), Some(true), None];
        let table = |of: fn(Option<bool>, Option<bool>) -> Option<bool>| ALL.map(|a| ALL.map(|b| of(a, b)));
        let (no, yes) = (Some(false), Some(true));
        assert_eq!(table(and), [[no, no, no], [no, yes, None], [no, None, None]]);
        assert_eq!(table(or), [[no, yes, None], [yes, yes, yes], [None, yes, None]]);
    }
}
