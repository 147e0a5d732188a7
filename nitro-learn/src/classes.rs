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
    /// The class of each configuration, by variant.
    by_configuration: Vec<HashMap<String, usize>>,
}

impl Classes {
    /// Lists the classes that the recordings know. A variant that was never measured is a class too.
    pub fn of(recordings: &Recordings) -> Self {
        let mut configurations: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); recordings.variants.len()];
        for one in &recordings.measurements {
            configurations[one.variant].insert(&one.configuration);
        }
        let (mut names, mut variants) = (Vec::new(), Vec::new());
        let mut by_configuration = vec![HashMap::new(); recordings.variants.len()];
        for (variant, configurations) in configurations.iter().enumerate() {
            let unmeasured = configurations.is_empty().then_some("");
            for configuration in configurations.iter().copied().chain(unmeasured) {
                by_configuration[variant].insert(configuration.to_owned(), names.len());
                names.push(choice_text(&recordings.variants[variant], configuration));
                variants.push(variant);
            }
        }
        let default = recordings.default_variant.and_then(|variant| {
            let classes: &HashMap<String, usize> = &by_configuration[variant];
            // An import may know the variant alone.
            classes.get(&recordings.default_configuration).or_else(|| classes.values().min()).copied()
        });
        Self { names, variants, default, by_configuration }
    }

    /// Keeps some of them, by index; the index of each is its place among those.
    pub fn only(&self, classes: &[usize]) -> Self {
        let mut places = HashMap::new();
        for (place, &class) in classes.iter().enumerate() {
            places.entry(class).or_insert(place);
        }
        let mut by_configuration = vec![HashMap::new(); self.by_configuration.len()];
        for (only, own) in by_configuration.iter_mut().zip(&self.by_configuration) {
            for (text, class) in own {
                only.extend(places.get(class).map(|&place| (text.clone(), place)));
            }
        }
        Self {
            names: classes.iter().map(|&class| self.names[class].clone()).collect(),
            variants: classes.iter().map(|&class| self.variants[class]).collect(),
            default: self.default.and_then(|class| places.get(&class).copied()),
            by_configuration,
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
