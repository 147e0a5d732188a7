//! Configurations of variants, measured or not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::unique;

/// The configurations of one variant as another tool has listed them, so that a search knows them without having
/// run any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceRecord {
    /// Position in [`Recordings::variants`](super::Recordings::variants).
    #[serde(skip)]
    pub variant: usize,
    /// Names of the tuning parameters.
    pub parameters: Vec<String>,
    /// The value of each parameter, by the name that measurements have for the configuration.
    #[serde(deserialize_with = "unique::map")]
    pub configurations: BTreeMap<String, Vec<String>>,
}

impl SpaceRecord {
    /// Adds the configurations of `other` that are not here; what is here stays.
    ///
    /// # Errors
    /// When `other` has other parameters or another value of one; then this space is what it was.
    pub(crate) fn extend(&mut self, other: &Self) -> Result<(), SpaceDifference> {
        if self.parameters != other.parameters {
            return Err(SpaceDifference::Parameters);
        }
        for (name, values) in &other.configurations {
            if self.configurations.get(name).is_some_and(|known| known != values) {
                return Err(SpaceDifference::Values { configuration: name.clone() });
            }
        }
        self.configurations.extend(other.configurations.clone());
        Ok(())
    }
}

/// A contradiction between two lists of configurations.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SpaceDifference {
    Parameters,
    Values { configuration: String },
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn space(parameters: &[&str], rows: &[(&str, &[&str])]) -> SpaceRecord {
        let text = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
        SpaceRecord {
            variant: 0,
            parameters: text(parameters),
            configurations: rows.iter().map(|&(name, values)| (name.to_owned(), text(values))).collect(),
        }
    }

    #[test]
    fn spaces_add_up_unless_they_contradict_each_other() {
        let mut own = space(&["x"], &[("a", &["1"])]);
        own.extend(&space(&["x"], &[("a", &["1"]), ("b", &["2"])])).unwrap();
        assert_eq!(own, space(&["x"], &[("a", &["1"]), ("b", &["2"])]));
        let before = own.clone();
        let values = own.extend(&space(&["x"], &[("a", &["1"]), ("b", &["3"]), ("c", &["4"])]));
        assert_eq!(values, Err(SpaceDifference::Values { configuration: "b".to_owned() }));
        assert_eq!(own.extend(&space(&["y"], &[])), Err(SpaceDifference::Parameters));
        assert_eq!(own, before);
    }
}
