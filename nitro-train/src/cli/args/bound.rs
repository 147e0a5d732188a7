//! A bound on the regret of models.

/// A bound on regret, of one function or of all.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct Bound {
    pub(in crate::cli) function: Option<String>,
    pub(in crate::cli) percent: f64,
}

impl std::str::FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (function, percent) = match text.rsplit_once('=') {
            Some((function, percent)) => (Some(function.to_owned()), percent),
            None => (None, text),
        };
        match percent.parse() {
            Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(Self { function, percent }),
            _ => Err("write a number from 0 to 100, or a function and one, as spmv=8".to_owned()),
        }
    }
}
