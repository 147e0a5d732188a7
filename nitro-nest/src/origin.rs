//! The origin of a plan, as the text that it carries along ([`LaunchPlan::origin`](nitro_launch::LaunchPlan)).

use serde::{Deserialize, Serialize};

use crate::lower::Rewrites;
use crate::mapping::Mapping;

/// The mapping that a plan was made by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Origin {
    pub(crate) mapping: Mapping,
    /// It is one of the nest with fused loops.
    pub(crate) has_fused_loops: bool,
}

/// An origin with the name of its maker: plans have other makers too.
#[cfg(feature = "show")]
#[derive(Deserialize)]
struct Signed<T> {
    nest_mapping: T,
}

/// A text that tells no mapping.
#[cfg(feature = "show")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OriginError {
    #[error("this plan does not say how it was made: its `origin` is empty")]
    Empty,
    #[error(
        "this plan was made by another generator than the one of mappings of nests: its `origin` is not of the \
         latter's form"
    )]
    Other,
    #[error("how this plan was made cannot be read, perhaps since another version wrote it: {0}")]
    Unreadable(String),
    #[error("no plan is made so: {0}")]
    Wrong(String),
}

impl Origin {
    /// Returns the optional passes that the plan was made with.
    pub(crate) fn rewrites(&self) -> Rewrites {
        Rewrites { form: self.mapping.form(), fuses_loops: self.has_fused_loops }
    }

    /// Returns the text.
    pub(crate) fn to_json(&self) -> String {
        serde_json::json!({ "nest_mapping": self }).to_string()
    }

    /// Reads a text.
    #[cfg(feature = "show")]
    pub(crate) fn read(text: &str) -> Result<Self, OriginError> {
        if text.is_empty() {
            return Err(OriginError::Empty);
        }
        serde_json::from_str::<Signed<serde::de::IgnoredAny>>(text).map_err(|_| OriginError::Other)?;
        // A message may repeat what the text says, and is shown.
        let Signed { nest_mapping: origin } = serde_json::from_str::<Signed<Self>>(text)
            .map_err(|error| OriginError::Unreadable(error.to_string().replace(char::is_control, "?")))?;
        origin.mapping.check().map_err(OriginError::Wrong)?;
        Ok(origin)
    }
}

#[cfg(all(test, feature = "show"))]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_is_read_as_it_was_written() {
        for (_, mapping) in Mapping::presets() {
            let origin = Origin { mapping, has_fused_loops: true };
            assert_eq!(Origin::read(&origin.to_json()), Ok(origin));
        }
    }

    #[test]
    fn what_tells_no_mapping_is_refused_with_the_reason() {
        let own = Origin { mapping: Mapping::sane(), has_fused_loops: false }.to_json();
        assert!(own.contains("\"block\":[32,8,1]") && own.contains("\"inner\":16"), "{own}");
        for (text, reason) in [
            (String::new(), "its `origin` is empty"),
            ("by hand".into(), "another generator"),
            ("{\"polly\":{}}".into(), "another generator"),
            ("{\"nest_mapping\":{}}".into(), "another version wrote it: missing field"),
            (
                own.replace("[32,8,1]", "[4294967295,4294967295,1]"),
                "blocks of [4294967295, 4294967295, 1] threads",
            ),
            (own.replace("[32,8,1]", "[0,8,1]"), "blocks of [0, 8, 1] threads"),
            (
                own.replace("\"points\":[4,8,1]", "\"points\":[4096,4096,1]"),
                "threads of [4096, 4096, 1] points",
            ),
            (own.replace("[4,8,1]", "[64,64,1]"), "threads of [64, 64, 1] points"),
            (own.replace("\"inner\":16", "\"inner\":1000000000"), "1000000000 iterations"),
        ] {
            let found = Origin::read(&text).unwrap_err().to_string();
            assert!(found.contains(reason), "{text}: {found}");
        }
    }
}
