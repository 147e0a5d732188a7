//! Digests of what names stand for: what a feature computes, and what a variant's constraint and parameters say.

use std::collections::BTreeMap;

use nitro_core::Function;
use serde::{Deserialize, Serialize};

use crate::unique;

/// Digests of a function's declaration, by name; what is absent is not known.
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
}

impl Meanings {
    /// Returns the digests of a function as the program declares it.
    #[must_use]
    pub fn of(function: &Function) -> Self {
        let features = function.features().iter().zip(function.feature_digests());
        let variants = function.variants().iter();
        Self {
            features: features.map(|(name, digest)| ((*name).to_owned(), hexadecimal(*digest))).collect(),
            variants: variants
                .filter_map(|one| Some((one.name().to_owned(), hexadecimal(one.digest()?))))
                .collect(),
        }
    }

    /// Returns whether nothing is known.
    pub(crate) fn is_unknown(&self) -> bool {
        self.features.is_empty() && self.variants.is_empty()
    }

    /// Returns what is known of both and differs, as a reader is told.
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

    /// Takes over what the other knows.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.features.extend(other.features.clone());
        self.variants.extend(other.variants.clone());
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
