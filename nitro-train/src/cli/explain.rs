//! The command `train explain`, which shows the variant that a model selects for given feature values.

use std::io::Write;

use anyhow::{Context, Result};

use nitro_learn::explain::Explanation;
use nitro_store::printable::printable;
use serde::Serialize;

use super::args::ExplainArgs;
use super::json;
use crate::trainer::{Explained, NearFloor, Trainer};

/// Explains a choice, and prints the reasons.
pub(super) fn run(trainer: &Trainer, args: &ExplainArgs, out: &mut dyn Write) -> Result<()> {
    let mut request = args.request.clone();
    for pair in &args.features {
        let (feature, value) = value(pair)?;
        request.features.push((feature.to_owned(), value));
    }
    let explained = trainer.explain(&request)?;
    let (Explained { explanation, floors, .. }, columns) = (&explained, args.show.columns());
    if args.show.json.json {
        return json::print(out, &Written { explanation, floors });
    }
    explanation.print(out, explained.stands_for.as_deref(), explained.is_recorded, columns)?;
    if !floors.is_empty() {
        writeln!(out)?;
    }
    Ok(floors.iter().try_for_each(|floor| writeln!(out, "{}", printable(&floor.to_string())))?)
}

/// An explanation as JSON.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    explanation: &'a Explanation,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    floors: &'a [NearFloor],
}

/// Reads `feature=value`. The last `=` parts them: numbers have none, and names of imported features may.
fn value(pair: &str) -> Result<(&str, f64)> {
    let (name, value) = pair.rsplit_once('=').with_context(|| format!("`{pair}`: write feature=value"))?;
    let number = value.parse().ok().filter(|value: &f64| value.is_finite());
    Ok((name, number.with_context(|| format!("`{pair}`: `{value}` is not a finite number"))?))
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn the_last_sign_parts_name_and_value() {
        for (pair, expected) in [("n=3", ("n", 3.0)), ("a=b=-1e3", ("a=b", -1e3)), ("==0.5", ("=", 0.5))] {
            assert_eq!(value(pair).unwrap(), expected);
        }
        for none in ["n", "", "n=", "n=x", "n=inf", "n=1=NaN"] {
            assert!(value(none).is_err(), "{none}");
        }
    }
}
