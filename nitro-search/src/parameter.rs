//! Tuning parameters as a search sees them.

/// A named parameter with finitely many values.
///
/// ```
/// use nitro_search::{Parameter, Scale};
///
/// let block = Parameter::numbers("block", [32.0, 64.0, 128.0, 256.0]);
/// assert_eq!(block.scale(), Scale::Exponential);
/// assert_eq!(block.number(1), 64.0);
/// let order = Parameter::categories("order", ["row", "column"]);
/// assert_eq!(order.text(1), "column");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    name: String,
    scale: Scale,
    numbers: Vec<f64>,
    texts: Vec<String>,
}

/// The meaning of near and far between the values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scale {
    /// Numbers whose differences count.
    Linear,
    /// Numbers whose ratios count, such as powers of two.
    Exponential,
    /// `false` and `true`.
    Bool,
    /// Names without an order.
    Category,
}

impl Parameter {
    /// Creates a number; its scale is that on which the values are the more evenly spaced.
    #[must_use]
    pub fn numbers(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        let scale = even_scale(&values);
        Self::of_numbers(name, scale, values)
    }

    /// Creates a number whose differences count.
    #[must_use]
    pub fn linear(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        Self::of_numbers(name, Scale::Linear, values.into_iter().collect())
    }

    /// Creates a number whose ratios count. Where a value is not positive, differences count after all.
    #[must_use]
    pub fn exponential(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        let scale = if values.iter().all(|&value| value > 0.0) { Scale::Exponential } else { Scale::Linear };
        Self::of_numbers(name, scale, values)
    }

    /// Creates a choice between `false` and `true`.
    #[must_use]
    pub fn bool(name: impl Into<String>) -> Self {
        let texts = ["false", "true"].map(str::to_owned).into();
        Self { name: name.into(), scale: Scale::Bool, numbers: vec![0.0, 1.0], texts }
    }

    /// Creates a choice among names without an order.
    #[must_use]
    pub fn categories<T: Into<String>>(name: impl Into<String>, values: impl IntoIterator<Item = T>) -> Self {
        let texts: Vec<String> = values.into_iter().map(Into::into).collect();
        let numbers = (0..texts.len()).map(|index| index as f64).collect();
        Self { name: name.into(), scale: Scale::Category, numbers, texts }
    }

    fn of_numbers(name: impl Into<String>, scale: Scale, numbers: Vec<f64>) -> Self {
        let texts = numbers.iter().map(f64::to_string).collect();
        Self { name: name.into(), scale, numbers, texts }
    }

    /// Returns the name, e.g. `block`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the meaning of near and far.
    #[must_use]
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Returns the number of values.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a parameter without values is refused by every space")]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns a value as a number: a number itself, `true` as 1, and of a category its index.
    ///
    /// # Panics
    /// When there is no value of this index.
    #[must_use]
    pub fn number(&self, value: usize) -> f64 {
        self.numbers[value]
    }

    /// Returns a value as text.
    ///
    /// # Panics
    /// When there is no value of this index.
    #[must_use]
    pub fn text(&self, value: usize) -> &str {
        &self.texts[value]
    }
}

/// Returns the scale on which the steps between these values differ least from one another.
fn even_scale(values: &[f64]) -> Scale {
    if values.len() < 2 || values.iter().any(|&value| value.is_nan() || value <= 0.0) {
        return Scale::Linear;
    }
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    if unevenness(&logarithms) < unevenness(values) { Scale::Exponential } else { Scale::Linear }
}

/// Returns the variance of the steps over their squared mean.
fn unevenness(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let steps: Vec<f64> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = steps.iter().sum::<f64>() / steps.len() as f64;
    let variance = steps.iter().map(|step| (step - mean).powi(2)).sum::<f64>() / steps.len() as f64;
    if mean > 0.0 { variance / mean.powi(2) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_that_of_even_steps() {
        assert_eq!(Parameter::numbers("unroll", [1.0, 2.0, 3.0, 4.0]).scale(), Scale::Linear);
        assert_eq!(Parameter::numbers("tile", [1.0, 2.0, 4.0, 8.0, 16.0]).scale(), Scale::Exponential);
        assert_eq!(Parameter::numbers("padding", [0.0, 1.0, 10.0, 100.0]).scale(), Scale::Linear);
        assert_eq!(Parameter::exponential("padding", [0.0, 1.0]).scale(), Scale::Linear);
        assert_eq!(Parameter::numbers("one", [7.0]).scale(), Scale::Linear);
    }
}
