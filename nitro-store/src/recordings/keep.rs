//! Leaving out what a program does not have.

use std::collections::{BTreeMap, BTreeSet};

use nitro_core::{Function, choice_text};

use super::{Meanings, Measurement, Recordings};

/// The parts of recordings that a program does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Names of variants.
    pub variants: Vec<String>,
    /// Number of configurations of other variants.
    pub configurations: usize,
}

impl Recordings {
    /// Leaves out variants and configurations that the function does not have, and notes which is its default and
    /// what units its features have: files do not say, and what was recorded may be older.
    pub fn keep_known(&mut self, function: &Function) -> LeftOut {
        let variants = self.keep_variants(|name| function.variant_named(name).is_some());
        let configurations =
            self.keep_configurations(|variant, text| function.choice(&choice_text(variant, text)).is_ok());
        self.meanings.declare_units(&Meanings::of(function));
        let default = function.default_choice();
        let variant = &function.variants()[default.variant];
        self.default_variant = self.variant_index(variant.name());
        self.default_configuration = variant.parameters().text(default.configuration);
        LeftOut { variants, configurations }
    }

    /// Gives variants that had other names before their measurements under these, but for what they have already.
    pub fn take_new_names(&mut self, function: &Function) {
        for variant in function.variants() {
            variant.former_names().iter().for_each(|old| self.rename_variant(old, variant.name()));
        }
        self.measurements.sort_by(|a, b| order(a).cmp(&order(b)));
        self.spaces.sort_by_key(|space| space.variant);
    }

    fn rename_variant(&mut self, old: &str, new: &str) {
        let Some(from) = self.variant_index(old) else { return };
        let Some(to) = self.variant_index(new) else {
            new.clone_into(&mut self.variants[from]);
            return;
        };
        let own = self.measurements.iter().filter(|one| one.variant == to);
        let known: BTreeSet<_> = own.map(|one| (one.device, one.input, one.configuration.clone())).collect();
        self.measurements.retain(|one| {
            one.variant != from || !known.contains(&(one.device, one.input, one.configuration.clone()))
        });
        self.measurements.iter_mut().filter(|one| one.variant == from).for_each(|one| one.variant = to);
        if self.spaces.iter().all(|space| space.variant != to) {
            self.spaces.iter_mut().filter(|space| space.variant == from).for_each(|space| space.variant = to);
        }
        if self.default_variant == Some(from) {
            self.default_variant = Some(to);
        }
        self.keep_variants(|name| name != old);
    }

    /// Leaves out measurements of configurations, by variant and text; returns of how many choices.
    pub fn keep_configurations(&mut self, keep: impl Fn(&str, &str) -> bool) -> usize {
        let mut asked = BTreeMap::new(); // once a choice, however many measurements it has
        self.measurements.retain(|one| {
            let choice = (one.variant, one.configuration.clone());
            *asked.entry(choice).or_insert_with(|| keep(&self.variants[one.variant], &one.configuration))
        });
        asked.values().filter(|stays| !**stays).count()
    }

    /// Leaves out variants, as if they had never been measured; returns their names.
    pub fn keep_variants(&mut self, keep: impl Fn(&str) -> bool) -> Vec<String> {
        let (mut indices, mut left_out) = (Vec::new(), Vec::new());
        for name in std::mem::take(&mut self.variants) {
            let stays = keep(&name);
            indices.push(stays.then_some(self.variants.len()));
            if stays { &mut self.variants } else { &mut left_out }.push(name);
        }
        self.default_variant = self.default_variant.and_then(|variant| indices[variant]);
        let stays = |variant: &mut usize| {
            let index = indices[*variant];
            *variant = index.unwrap_or_default();
            index.is_some()
        };
        self.measurements.retain_mut(|one| stays(&mut one.variant));
        self.spaces.retain_mut(|space| stays(&mut space.variant));
        left_out
    }
}

fn order(measurement: &Measurement) -> (usize, usize, usize, &str) {
    (measurement.device, measurement.input, measurement.variant, &measurement.configuration)
}

#[cfg(test)]
mod tests {
    use super::super::Outcome;
    use super::*;

    #[test]
    fn variants_that_are_left_out_take_their_measurements_along() {
        let row = |variant| Measurement {
            device: 0,
            input: 0,
            variant,
            configuration: String::new(),
            outcome: Outcome::Time(1.0 + variant as f64),
            spread_ns: 0.0,
            repeats: 1,
            load: None,
            reason: String::new(),
        };
        let mut recordings = Recordings {
            variants: ["a", "b", "c"].map(str::to_owned).into(),
            default_variant: Some(2),
            measurements: [0, 1, 2].map(row).into(),
            ..Recordings::default()
        };
        assert_eq!(recordings.keep_variants(|name| name != "b"), ["b"]);
        assert_eq!(
            (recordings.variants.as_slice(), recordings.default_variant),
            (&["a".to_owned(), "c".to_owned()][..], Some(1))
        );
        let left: Vec<_> = recordings.measurements.iter().map(|one| (one.variant, one.outcome)).collect();
        assert_eq!(left, [(0, Outcome::Time(1.0)), (1, Outcome::Time(3.0))]);
    }
}
