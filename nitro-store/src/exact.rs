//! Numbers whose JSON gives back the very same ones.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// A number that is read as exactly as it was written.
///
/// `serde_json` reads some numbers one unit in the last place off. Its feature `float_roundtrip` would mend that
/// for the whole application that has the trainer among its dependencies, and make its own parsing slower; the
/// standard library reads the text of a number exactly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Exact(pub f64);

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?.get();
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom(format_args!("`{text}` is not a finite number")))
    }
}

#[cfg(test)]
mod tests {
    use nitro_stats::random::Random;

    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let number = f64::from_bits(random.next_u64());
            if number.is_finite() {
                let text = serde_json::to_string(&Exact(number)).unwrap();
                let read: Exact = serde_json::from_str(&text).unwrap();
                assert_eq!(read.0.to_bits(), number.to_bits(), "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["\"1\"", "null", "[1]", "1e999"] {
            assert!(serde_json::from_str::<Exact>(text).is_err(), "{text}");
        }
        assert_eq!(serde_json::from_str::<Option<Exact>>("null").unwrap(), None);
        assert_eq!(serde_json::from_str::<Vec<Exact>>("[1, 2.5]").unwrap(), [Exact(1.0), Exact(2.5)]);
    }
}
