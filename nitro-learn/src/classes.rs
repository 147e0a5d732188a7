//! The classes that selectors tell apart.

use std::collections::{BTreeSet, HashMap};

use nitro_core::choice_text;

use nitro_store::recordings::{Measurement, Recordings};

/// The classes of a function: what is learned, predicted and judged, each by its index. A class is a choice, a
/// variant with a configuration, in the order of the variants and then of their configurations. Nothing else in
/// learning or evaluation knows what a class is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    names: Vec<String>,
    /// For each class the index of its variant.
    variants: Vec<usize>,
    /// The class of the default choice, which runs where nothing is known.
    default: Option<usize>,
    /// For each variant the class of each of its configurations.
    by_configuration: Vec<HashMap<String, usize>>,
}

impl Classes {
    /// Those that the recordings know. A variant that was never measured is a class too.
    pub fn of(recordings: &Recordings) -> Self {
        let mut configurations: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); recordings.variants.len()];
        for one in &recordings.measurements {
            configurations[one.variant].insert(&one.configuration);
        }
        let choices = configurations.iter().enumerate().flat_map(|(variant, configurations)| {
            let unmeasured = configurations.is_empty().then_some("");
            configurations
                .iter()
                .copied()
                .chain(unmeasured)
                .map(move |configuration| (variant, configuration))
        });
        let choices: Vec<(usize, &str)> = choices.collect();
        let name = |&(variant, configuration): &(usize, &str)| {
            choice_text(&recordings.variants[variant], configuration)
        };
        let mut by_configuration = vec![HashMap::new(); recordings.variants.len()];
        for (class, &(variant, configuration)) in choices.iter().enumerate() {
            by_configuration[variant].insert(configuration.to_owned(), class);
        }
        let default = recordings.default_variant.and_then(|variant| {
            let classes: &HashMap<String, usize> = &by_configuration[variant];
            // An import may know the variant alone.
            classes.get(&recordings.default_configuration).or_else(|| classes.values().min()).copied()
        });
        Self {
            names: choices.iter().map(name).collect(),
            variants: choices.iter().map(|(variant, _)| *variant).collect(),
            default,
            by_configuration,
        }
    }

    /// Some of them, by index; the index of each is its place among those.
    pub fn only(&self, classes: &[usize]) -> Self {
        let place = |class: &usize| classes.iter().position(|own| own == class);
        let of_variant = |own: &HashMap<String, usize>| {
            own.iter().filter_map(|(text, class)| Some((text.clone(), place(class)?))).collect()
        };
        Self {
            names: classes.iter().map(|&class| self.names[class].clone()).collect(),
            variants: classes.iter().map(|&class| self.variants[class]).collect(),
            default: self.default.as_ref().and_then(place),
            by_configuration: self.by_configuration.iter().map(of_variant).collect(),
        }
    }

    /// The class that a measurement is of.
    pub fn of_measurement(&self, measurement: &Measurement) -> Option<usize> {
        self.by_configuration[measurement.variant].get(&measurement.configuration).copied()
    }

    /// Returns the number of classes.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Returns the names of the classes in a model.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// For each class the index of its variant.
    pub fn variants(&self) -> &[usize] {
        &self.variants
    }

    /// Returns true if no variant has several configurations.
    pub fn are_variants(&self) -> bool {
        self.variants.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Index of the class that a model calls this.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }

    /// The default choice, where it is known.
    pub fn default(&self) -> Option<usize> {
        self.default
    }

    /// Returns the classes in the order in which they run where nothing better may: the default, where that is known,
    /// then any.
    pub fn fallback(&self) -> impl Iterator<Item = usize> + use<> {
        self.default.into_iter().chain(0..self.names.len())
    }
}
