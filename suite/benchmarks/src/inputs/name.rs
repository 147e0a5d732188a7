//! Names of built-in inputs.

use std::path::Path;

use super::{InputError, NameProblem};

/// A name taken apart: `train/FAMILY-n4096-s3` has the parameters n and s.
#[derive(Debug)]
pub(crate) struct Name<'a> {
    whole: &'a str,
    function: &'static str,
    /// What is measured: the part between `/` and the first `-`.
    pub family: &'a str,
    parameters: Vec<(char, u64)>,
}

/// What a user may name: a built-in input or a file.
pub(crate) enum Source<'a> {
    BuiltIn(Name<'a>),
    File(&'a Path),
}

impl<'a> Source<'a> {
    /// Takes a name apart unless it is a file's; files come second, so that no file can stand in for a built-in input.
    pub fn of(name: &'a str, function: &'static str) -> Result<Source<'a>, InputError> {
        if built_in(name).is_some() {
            return Name::parse(name, function).map(Source::BuiltIn);
        }
        let path = Path::new(name);
        if path.is_file() {
            Ok(Source::File(path))
        } else {
            Err(error(name, function, NameProblem::NeitherFileNorBuiltIn))
        }
    }
}

impl<'a> Name<'a> {
    /// Takes the name of a built-in input apart.
    pub fn parse(whole: &'a str, function: &'static str) -> Result<Name<'a>, InputError> {
        let fail = |problem| error(whole, function, problem);
        let rest = built_in(whole).ok_or_else(|| fail(NameProblem::NoFiles))?;
        let mut parts = rest.split('-');
        let family = parts.next().unwrap_or("");
        let mut parameters = Vec::new();
        for part in parts {
            let (key, value) =
                parameter(part).ok_or_else(|| fail(NameProblem::Parameter { part: part.into() }))?;
            parameters.push((key, value));
        }
        Ok(Name { whole, function, family, parameters })
    }

    /// Takes a parameter out of the name; it must lie between `min` and `max`.
    pub fn take(&mut self, key: char, min: u64, max: u64) -> Result<u64, InputError> {
        let place = self.parameters.iter().position(|(other, _)| *other == key);
        let place = place.ok_or_else(|| self.error(NameProblem::Missing { key }))?;
        let (_, value) = self.parameters.remove(place);
        if (min..=max).contains(&value) {
            Ok(value)
        } else {
            Err(self.error(NameProblem::Range { key, value, min, max }))
        }
    }

    /// Fails if a parameter is left that nobody took.
    pub fn finish(&self) -> Result<(), InputError> {
        match self.parameters.first() {
            Some(&(key, _)) => Err(self.error(NameProblem::Surplus { key })),
            None => Ok(()),
        }
    }

    /// The error of a family that the function does not have.
    pub fn unknown_family(&self, known: &[&str]) -> InputError {
        self.error(NameProblem::Family { found: self.family.into(), known: known.join(", ") })
    }

    /// An error about this name.
    pub fn error(&self, problem: NameProblem) -> InputError {
        error(self.whole, self.function, problem)
    }
}

/// What follows `train/` or `test/`.
fn built_in(name: &str) -> Option<&str> {
    name.strip_prefix("train/").or_else(|| name.strip_prefix("test/"))
}

/// A letter and a number.
fn parameter(part: &str) -> Option<(char, u64)> {
    let key = part.chars().next().filter(char::is_ascii_lowercase)?;
    let digits = &part[1..];
    // `parse` alone would take a sign.
    let value = digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok())??;
    Some((key, value))
}

/// An error about a name.
fn error(name: &str, function: &'static str, problem: NameProblem) -> InputError {
    InputError::Name { name: name.into(), function, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes `n` from 1 to 100 and then nothing more.
    fn n_of(name: &str) -> Result<u64, String> {
        let problem = |error| match error {
            InputError::Name { problem, .. } => problem.to_string(),
            other => other.to_string(),
        };
        let mut name = Name::parse(name, "sort").map_err(problem)?;
        let n = name.take('n', 1, 100).map_err(problem)?;
        name.finish().map_err(problem)?;
        Ok(n)
    }

    #[test]
    fn parameters_are_found_by_their_letter() {
        assert_eq!(n_of("train/uniform-n42"), Ok(42));
        assert_eq!(n_of("test/uniform-n100"), Ok(100));
    }

    #[test]
    fn every_mistake_has_its_message() {
        let cases = [
            ("other/uniform-n4", "begins with `train/`"),
            ("train/uniform", "`n` is missing"),
            ("train/uniform-n4-n5", "`n` is given twice"),
            ("train/uniform-n4-k5", "`k` is given twice or means nothing"),
            ("train/uniform-n0", "`n` is 0; it must be between 1 and 100"),
            ("train/uniform-n101", "between 1 and 100"),
            ("train/uniform-n+4", "`n+4` is no parameter"),
            ("train/uniform-n99999999999999999999999", "is no parameter"),
            ("train/uniform-", "`` is no parameter"),
            ("train/uniform-ß4", "is no parameter"),
        ];
        for (name, message) in cases {
            let error = n_of(name).expect_err(name);
            assert!(error.contains(message), "{name}: {error}");
        }
    }
}
