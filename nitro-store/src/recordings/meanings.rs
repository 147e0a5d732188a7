//! The meaning of names: digests of what a feature computes and of what a variant's constraint and parameters say, and
//! the units of features.

use std::collections::BTreeMap;

use nitro_core::{Function, Unit};
use serde::{Deserialize, Serialize};

use crate::{unique, unit_names};

/// Digests of a function's declaration and units of features, by name; what is absent is not known.
///
/// ```
/// use nitro_store::recordings::Meanings;
/// # use nitro_core::{Function, VariantInfo};
/// # static MERGE: [VariantInfo; 1] = [VariantInfo::new("merge")];
/// # static BEFORE: Function = Function::new("sort", &MERGE).with_features(&["length"]).with_feature_digests(&[1]);
/// # static NOW: Function = Function::new("sort", &MERGE).with_features(&["length"]).with_feature_digests(&[2]);
///
/// // Before `length = keys.len()`, now `length = keys.len() * 8`.
/// let (before, now) = (Meanings::of(&BEFORE), Meanings::of(&NOW));
/// assert_eq!(now.changes(&before), ["feature `length`"]);
/// assert!(now.changes(&Meanings::default()).is_empty(), "nothing is known of what was recorded");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meanings {
    /// A digest of each feature's expression.
    #[serde(default, deserialize_with = "unique::map")]
    pub features: BTreeMap<String, String>,
    /// A digest of each variant's constraint and parameters.
    #[serde(default, deserialize_with = "unique::map")]
    pub variants: BTreeMap<String, String>,
    /// The units of input features.
    #[serde(default, with = "unit_names", skip_serializing_if = "BTreeMap::is_empty")]
    pub units: BTreeMap<String, Unit>,
    /// The units of device features, beside those that [names tell](Unit::of_device_feature).
    #[serde(default, with = "unit_names", skip_serializing_if = "BTreeMap::is_empty")]
    pub device_units: BTreeMap<String, Unit>,
}

impl Meanings {
    /// Returns the digests of a function as the program declares it.
    #[must_use]
    pub fn of(function: &Function) -> Self {
        let features = function.features().iter().zip(function.feature_digests());
        let variants = function.variants().iter();
        let units = function.features().iter().zip(function.feature_units());
        Self {
            features: features.map(|(name, digest)| ((*name).to_owned(), hexadecimal(*digest))).collect(),
            variants: variants
                .filter_map(|one| Some((one.name().to_owned(), hexadecimal(one.digest()?))))
                .collect(),
            units: units.filter_map(|(name, unit)| Some(((*name).to_owned(), (*unit)?))).collect(),
            device_units: BTreeMap::new(),
        }
    }

    /// Returns whether nothing is known.
    pub(crate) fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the unit of a device feature.
    #[must_use]
    pub fn device_unit(&self, name: &str) -> Option<Unit> {
        self.device_units.get(name).copied().or_else(|| Unit::of_device_feature(name))
    }

    /// Returns the digests that are known of both and differ, as a reader is told.
    #[must_use]
    pub fn changes(&self, other: &Self) -> Vec<String> {
        let features = changed(&self.features, &other.features).map(|name| format!("feature `{name}`"));
        let variants = changed(&self.variants, &other.variants);
        features.chain(variants.map(|name| format!("the constraint or the parameters of `{name}`"))).collect()
    }

    /// Returns the digests of some features, 0 for what is not known; none where nothing is.
    pub fn digests_of(&self, features: &[String]) -> Vec<u64> {
        let mut digests = Vec::with_capacity(features.len());
        for name in features {
            let digest = self.features.get(name).and_then(|text| u64::from_str_radix(text, 16).ok());
            digests.push(digest);
        }
        match digests.iter().any(Option::is_some) {
            true => digests.into_iter().map(Option::unwrap_or_default).collect(),
            false => Vec::new(),
        }
    }

    /// Returns the features that are known of both and differ.
    pub fn changed_features<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a str> {
        changed(&self.features, &other.features)
    }

    /// Returns the variants that are known of both and differ.
    pub fn changed_variants<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a str> {
        changed(&self.variants, &other.variants)
    }

    /// Returns a feature whose unit is known of both and differs, with the two units.
    pub(crate) fn other_unit<'a>(&'a self, other: &Self) -> Option<(&'a str, Unit, Unit)> {
        let units = self.units.iter().map(|(name, unit)| (name, unit, other.units.get(name)));
        let of_devices =
            self.device_units.iter().map(|(name, unit)| (name, unit, other.device_units.get(name)));
        let mut differing = units.chain(of_devices).filter_map(|(name, own, other)| {
            other.filter(|other| *other != own).map(|other| (name.as_str(), *own, *other))
        });
        differing.next()
    }

    /// Takes over what the other knows.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.features.extend(other.features.clone());
        self.variants.extend(other.variants.clone());
        self.units.extend(other.units.clone());
        self.device_units.extend(other.device_units.clone());
    }

    /// Takes over what a program declares: a feature that it gives no unit has none.
    pub(crate) fn declare(&mut self, declared: &Self) {
        self.declare_units(declared);
        self.extend(declared);
    }

    /// Takes over the units alone.
    pub(crate) fn declare_units(&mut self, declared: &Self) {
        self.units.retain(|name, _| !declared.features.contains_key(name));
        self.units.extend(declared.units.clone());
    }
}

fn changed<'a>(
    one: &'a BTreeMap<String, String>,
    other: &'a BTreeMap<String, String>,
) -> impl Iterator<Item = &'a str> {
    let changed = one.iter().filter(|(name, digest)| other.get(*name).is_some_and(|own| own != *digest));
    changed.map(|(name, _)| name.as_str())
}

fn hexadecimal(digest: u64) -> String {
    format!("{digest:016x}")
}
