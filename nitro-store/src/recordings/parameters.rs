//! Tuning parameters of variants, as the names of their configurations have them.

use super::Recordings;
use super::space::SpaceRecord;

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
        let places: Option<Vec<usize>> =
            order.iter().map(|name| self.parameters.iter().position(|own| own == name)).collect();
        let Some(places) = places.filter(|places| places.len() == self.parameters.len()) else { return };
        for (text, values) in std::mem::take(&mut self.configurations) {
            let values = places.iter().map(|&place| values[place].clone()).collect();
            self.configurations.insert(reordered(&text, order).unwrap_or(text), values);
        }
        self.parameters = order.to_vec();
    }
}

/// Returns the name of a configuration with its parameters in this order; none where it has other ones.
fn reordered(configuration: &str, order: &[String]) -> Option<String> {
    let entries: Vec<(&str, &str)> =
        assignments(configuration).map(|(name, value)| (name.trim(), value.trim())).collect();
    let mut texts = Vec::with_capacity(order.len());
    for name in order {
        let (name, value) = entries.iter().find(|(own, _)| own == name)?;
        texts.push(format!("{name}={value}"));
    }
    (!texts.is_empty() && texts.len() == entries.len()).then(|| texts.join(","))
}

/// The parameters and values of a configuration. One of an import may be any text: what has no name of a parameter
/// has an empty one.
pub fn assignments(configuration: &str) -> impl Iterator<Item = (&str, &str)> {
    let entries = configuration.split(',').filter(|entry| !entry.is_empty());
    entries.map(|entry| entry.split_once('=').unwrap_or(("", entry)))
}

#[cfg(test)]
mod tests {
    use super::super::space::tests::space;
    use super::*;

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
}
