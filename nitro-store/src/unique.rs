//! Objects of JSON whose keys are there once: of two values a map would keep one without a word.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use crate::printable::excerpt;

/// The keys of one object so far.
#[derive(Default)]
pub struct Keys(HashSet<String>);

impl Keys {
    /// Refuses a key that is there twice.
    pub fn add<E: Error>(&mut self, key: &str) -> Result<(), E> {
        match self.0.insert(key.to_owned()) {
            true => Ok(()),
            false => Err(E::custom(format_args!("`{}` is there twice; remove one of the two", excerpt(key)))),
        }
    }
}

/// An object as a map, for what is nothing else.
#[derive(serde::Deserialize)]
#[serde(transparent, bound = "V: Deserialize<'de>")]
pub struct Map<V>(#[serde(deserialize_with = "map")] pub BTreeMap<String, V>);

/// A key of a map: a name, or a number in quotes.
pub trait Key<'de>: Deserialize<'de> + Ord + ToString {}

impl<'de, K: Deserialize<'de> + Ord + ToString> Key<'de> for K {}

/// Deserializes an object as a map, for `#[serde(deserialize_with)]`.
pub fn map<'de, K: Key<'de>, V: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<K, V>, D::Error> {
    struct Entries<K, V>(PhantomData<(K, V)>);

    impl<'de, K: Key<'de>, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
        type Value = BTreeMap<K, V>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let (mut entries, mut keys) = (BTreeMap::new(), Keys::default());
            while let Some(key) = map.next_key::<K>()? {
                keys.add(&key.to_string())?;
                entries.insert(key, map.next_value()?);
            }
            Ok(entries)
        }
    }

    deserializer.deserialize_map(Entries(PhantomData))
}
