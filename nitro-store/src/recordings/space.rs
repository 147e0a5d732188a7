//! Configurations of variants, measured or not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Recordings;
use crate::unique;

/// The configurations of one variant as another tool has listed them, so that a search knows them without having
/// run any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceRecord {
    /// Position in [`Recordings::variants`].
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
        let differs = |(name, values): &(&String, &Vec<String>)| {
            self.configurations.get(*name).is_some_and(|known| known != *values)
        };
        if let Some((name, _)) = other.configurations.iter().find(differs) {
            return Err(SpaceDifference::Values { configuration: name.clone() });
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

impl Recordings {
    /// The configurations of the variant with this name, where they are known.
    pub fn space(&self, variant: &str) -> Option<&SpaceRecord> {
        let variant = self.variant_index(variant)?;
        self.spaces.iter().find(|space| space.variant == variant)
    }

    /// The parameters of a variant in the order in which the names of its configurations have them, where they are
    /// known.
    pub fn parameters(&self, variant: usize) -> Option<Vec<String>> {
        if let Some(space) = self.spaces.iter().find(|space| space.variant == variant) {
            return Some(space.parameters.clone());
        }
        let mut configured =
            self.measurements.iter().filter(|one| one.variant == variant && !one.configuration.is_empty());
        let names = assignments(&configured.next()?.configuration).map(|(name, _)| name.trim().to_owned());
        Some(names.collect())
    }

    /// Puts the parameters of a variant into this order, in its list of configurations and in their names. What has
    /// other parameters, or is called something else, stays as it is.
    pub fn order_parameters(&mut self, variant: usize, order: &[String]) {
        for one in self.measurements.iter_mut().filter(|one| one.variant == variant) {
            if let Some(text) = reordered(&one.configuration, order) {
                one.configuration = text;
            }
        }
        if let Some(space) = self.spaces.iter_mut().find(|space| space.variant == variant) {
            space.order_parameters(order);
        }
    }
}

impl SpaceRecord {
    fn order_parameters(&mut self, order: &[String]) {
        let place = |name: &String| self.parameters.iter().position(|own| own == name);
        let places: Option<Vec<usize>> = order.iter().map(place).collect();
        let Some(places) = places.filter(|places| places.len() == self.parameters.len()) else { return };
        let in_order = |(text, values): (String, Vec<String>)| {
            let values = places.iter().map(|&place| values[place].clone()).collect();
            (reordered(&text, order).unwrap_or(text), values)
        };
        self.configurations = std::mem::take(&mut self.configurations).into_iter().map(in_order).collect();
        self.parameters = order.to_vec();
    }
}

/// Returns the name of a configuration with its parameters in this order; none where it has other ones.
fn reordered(configuration: &str, order: &[String]) -> Option<String> {
    let entries: Vec<(&str, &str)> =
        assignments(configuration).map(|(name, value)| (name.trim(), value.trim())).collect();
    let entry = |name: &String| entries.iter().find(|(own, _)| own == name);
    let entry = |name: &String| entry(name).map(|(name, value)| format!("{name}={value}"));
    let texts: Option<Vec<String>> = order.iter().map(entry).collect();
    texts.filter(|texts| !texts.is_empty() && texts.len() == entries.len()).map(|texts| texts.join(","))
}

/// The parameters and values of a configuration. One of an import may be any text: what has no name of a parameter
/// has an empty one.
pub fn assignments(configuration: &str) -> impl Iterator<Item = (&str, &str)> {
    let entries = configuration.split(',').filter(|entry| !entry.is_empty());
    entries.map(|entry| entry.split_once('=').unwrap_or(("", entry)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(parameters: &[&str], rows: &[(&str, &[&str])]) -> SpaceRecord {
        let text = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
        SpaceRecord {
            variant: 0,
            parameters: text(parameters),
            configurations: rows.iter().map(|&(name, values)| (name.to_owned(), text(values))).collect(),
        }
    }

    #[test]
    fn parameters_are_put_into_order_by_name() {
        let order = ["x", "y"].map(str::to_owned);
        let mut own = space(&["y", "x"], &[("y=2,x=1", &["2", "1"]), ("fast", &["4", "3"])]);
        own.order_parameters(&order);
        assert_eq!(own, space(&["x", "y"], &[("x=1,y=2", &["1", "2"]), ("fast", &["3", "4"])]));
        let other = space(&["y", "z"], &[("y=2,z=1", &["2", "1"])]);
        let mut same = other.clone();
        same.order_parameters(&order);
        assert_eq!(same, other, "it has other parameters");
        assert_eq!(reordered(" y = 2, x=1", &order).as_deref(), Some("x=1,y=2"));
        for other in ["y=2", "x=1,y=2,z=3", "x=1,x=1", "fast", ""] {
            assert_eq!(reordered(other, &order), None, "{other}");
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
