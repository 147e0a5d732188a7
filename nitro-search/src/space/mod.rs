//! The configurations that exist.

mod constraint;
pub(crate) mod digest;
mod domains;
mod error;
mod solve;

pub use self::constraint::Constraint;
pub use self::domains::{Conflict, Domains, propagate};
pub use self::error::SpaceError;

use self::digest::Digest;
use self::error::MOST;
use crate::{Candidate, Parameter};

/// Parameters and the configurations of them that exist, each of which is a [`Candidate`].
///
/// It comes from constraints, or from a list of what exists. Either way it is kept as a sorted list, which is a
/// trie over the parameters: the values that may follow a prefix, or may replace one value of a configuration, are
/// looked up, never tried.
///
/// ```
/// use nitro_search::{Constraint, Parameter, Space};
///
/// let parameters = vec![
///     Parameter::numbers("block", [64.0, 128.0, 256.0]),
///     Parameter::numbers("unroll", [1.0, 2.0, 4.0]),
/// ];
/// let fits = Constraint::new(["block", "unroll"], |values| values[0] * values[1] <= 256.0);
/// let space = Space::constrained(parameters, vec![fits])?;
/// assert_eq!(space.len(), 6);
/// assert_eq!(space.continuations(&[1]), [0, 1]); // after block=128
/// let candidate = space.find(&[1, 1]).unwrap();
/// assert_eq!(space.text(candidate), "block=128,unroll=2");
/// # Ok::<(), nitro_search::SpaceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Space {
    parameters: Vec<Parameter>,
    /// The value of each parameter, candidate by candidate.
    rows: Vec<u16>,
    /// Candidates in the order of their values.
    sorted: Vec<u32>,
}

impl Space {
    /// The space of exactly these configurations: an index into the values of each parameter, configuration by
    /// configuration. Candidates are numbered as they come.
    ///
    /// # Errors
    /// When there is none, a row does not fit the parameters, or is there twice.
    pub fn table<R>(parameters: Vec<Parameter>, rows: impl IntoIterator<Item = R>) -> Result<Self, SpaceError>
    where
        R: AsRef<[usize]>,
    {
        check(&parameters)?;
        let mut flat = Vec::new();
        for (number, row) in rows.into_iter().enumerate() {
            let row = row.as_ref();
            let fits = row.iter().zip(&parameters).all(|(&value, own)| value < own.len());
            if row.len() != parameters.len() || !fits {
                return Err(SpaceError::Row(number));
            }
            if number >= MOST {
                return Err(SpaceError::TooLarge);
            }
            flat.extend(row.iter().map(|&value| value as u16));
        }
        Self::of_rows(parameters, flat)
    }

    /// The space of all configurations that fulfil the constraints, found by propagation. Candidates are numbered
    /// in the order of their values, of which those of the last parameter change fastest.
    ///
    /// # Errors
    /// When there is none, or more than can be kept, and when a constraint names what is no parameter.
    pub fn constrained(parameters: Vec<Parameter>, constraints: Vec<Constraint>) -> Result<Self, SpaceError> {
        check(&parameters)?;
        let rows = solve::solutions(&parameters, &constraints, MOST)?;
        Self::of_rows(parameters, rows)
    }

    fn of_rows(parameters: Vec<Parameter>, rows: Vec<u16>) -> Result<Self, SpaceError> {
        // Without parameters there is one configuration, the empty one, as for a variant without any.
        let count = rows.len().checked_div(parameters.len()).unwrap_or(1);
        if count == 0 {
            return Err(SpaceError::Empty);
        }
        let mut space = Self { parameters, rows, sorted: (0..count as u32).collect() };
        let mut sorted = std::mem::take(&mut space.sorted);
        sorted.sort_by(|&one, &other| space.row(one).cmp(space.row(other)));
        let twice = sorted.windows(2).find(|pair| space.row(pair[0]) == space.row(pair[1]));
        let twice = twice.map(|pair| Candidate::new(pair[1] as usize));
        space.sorted = sorted;
        match twice {
            Some(candidate) => Err(SpaceError::Twice(space.text(candidate))),
            None => Ok(space),
        }
    }

    /// The parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Number of configurations, at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a space has a configuration, or is none")]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// All candidates, in order.
    pub fn candidates(&self) -> impl ExactSizeIterator<Item = Candidate> + use<> {
        (0..self.len()).map(Candidate::new)
    }

    /// The index of each parameter's value.
    ///
    /// # Panics
    /// When the candidate is none of this space.
    #[must_use]
    pub fn configuration(&self, candidate: Candidate) -> &[u16] {
        assert!(candidate.index() < self.len(), "a candidate of another space");
        self.row(candidate.index() as u32)
    }

    /// A configuration as text, such as `block=256,unroll=4`.
    ///
    /// # Panics
    /// When the candidate is none of this space.
    #[must_use]
    pub fn text(&self, candidate: Candidate) -> String {
        let values = self.parameters.iter().zip(self.configuration(candidate));
        let texts: Vec<_> =
            values.map(|(own, &value)| format!("{}={}", own.name(), own.text(value as usize))).collect();
        texts.join(",")
    }

    /// The candidate of these values, where it exists.
    #[must_use]
    pub fn find(&self, configuration: &[u16]) -> Option<Candidate> {
        let found = self.sorted.binary_search_by(|&at| self.row(at).cmp(configuration)).ok()?;
        Some(Candidate::new(self.sorted[found] as usize))
    }

    /// The values of the next parameter with which some configuration begins that begins with these values, ascending.
    #[must_use]
    pub fn continuations(&self, prefix: &[u16]) -> Vec<u16> {
        let next = prefix.len();
        if next >= self.parameters.len() {
            return Vec::new();
        }
        let from = self.sorted.partition_point(|&at| &self.row(at)[..next] < prefix);
        let mut rest = &self.sorted[from..];
        let mut values = Vec::new();
        while let Some(&first) = rest.first().filter(|&&at| self.row(at).starts_with(prefix)) {
            let value = self.row(first)[next];
            values.push(value);
            rest = &rest[rest.partition_point(|&at| {
                let row = self.row(at);
                row.starts_with(prefix) && row[next] == value
            })..];
        }
        values
    }

    /// The candidates that differ in the value of one parameter alone, parameter by parameter, ascending.
    ///
    /// # Panics
    /// When the candidate is none of this space.
    #[must_use]
    pub fn neighbours(&self, candidate: Candidate) -> Vec<Candidate> {
        let mut row = self.configuration(candidate).to_vec();
        let mut found = Vec::new();
        for (at, parameter) in self.parameters.iter().enumerate() {
            let own = row[at];
            for value in (0..=u16::MAX).take(parameter.len()).filter(|&value| value != own) {
                row[at] = value;
                found.extend(self.find(&row));
            }
            row[at] = own;
        }
        found
    }

    /// Returns a digest that tells this space from others.
    ///
    /// It is the same for the same parameters and configurations, on every machine.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut digest = Digest::new();
        for parameter in &self.parameters {
            digest.add_text(parameter.name());
            digest.add_text(&format!("{:?}", parameter.scale()));
            (0..parameter.len()).for_each(|value| digest.add_text(parameter.text(value)));
        }
        self.rows.iter().for_each(|value| digest.add(&value.to_le_bytes()));
        digest.text()
    }

    fn row(&self, at: u32) -> &[u16] {
        let width = self.parameters.len();
        &self.rows[at as usize * width..][..width]
    }
}

fn check(parameters: &[Parameter]) -> Result<(), SpaceError> {
    for (at, parameter) in parameters.iter().enumerate() {
        if parameter.len() == 0 || parameter.len() > usize::from(u16::MAX) + 1 {
            return Err(SpaceError::Values(parameter.name().to_owned()));
        }
        if parameters[..at].iter().any(|other| other.name() == parameter.name()) {
            return Err(SpaceError::Repeated(parameter.name().to_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
