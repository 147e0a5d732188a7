//! The values that were used last.

use std::sync::{Arc, Mutex, PoisonError};

/// A few values by their keys: the one that was not used for longest goes first.
pub(crate) struct Recent<K, V> {
    most: usize,
    /// The one used last first.
    entries: Mutex<Vec<(K, Arc<V>)>>,
}

impl<K, V: Default> Recent<K, V> {
    pub(crate) const fn new(most: usize) -> Self {
        Self { most, entries: Mutex::new(Vec::new()) }
    }

    /// The value whose key `is_wanted`; the default value with a new key if there is none.
    pub(crate) fn get(&self, is_wanted: impl Fn(&K) -> bool, key: impl FnOnce() -> K) -> Arc<V> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let dropped = match entries.iter().position(|(key, _)| is_wanted(key)) {
            Some(index) => {
                entries[..=index].rotate_right(1);
                None
            }
            None => {
                let last = (entries.len() == self.most).then(|| entries.pop());
                entries.insert(0, (key(), Arc::default()));
                last
            }
        };
        let value = Arc::clone(&entries[0].1);
        drop(entries); // what is dropped may take its time
        drop(dropped);
        value
    }

    /// All values, the one used last first.
    pub(crate) fn values(&self) -> Vec<Arc<V>> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().map(|(_, value)| Arc::clone(value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::OnceLock;

    #[test]
    fn what_was_not_used_for_longest_is_dropped() {
        let recent = Recent::<u32, OnceLock<u32>>::new(3);
        let get = |key: u32| recent.get(|known| *known == key, || key);
        let put = |key: u32| get(key).set(10 * key);
        for key in [1, 2, 3] {
            put(key).unwrap();
        }
        assert_eq!(get(1).get(), Some(&10), "and 2 is now the oldest");
        put(4).unwrap();
        assert_eq!([1, 3, 4].map(|key| get(key).get().copied()), [Some(10), Some(30), Some(40)]);
        assert_eq!(get(2).get(), None);
    }

    #[test]
    fn what_somebody_holds_outlives_its_entry() {
        let recent = Recent::<u32, OnceLock<u32>>::new(1);
        let held = recent.get(|_| false, || 1);
        recent.get(|_| false, || 2);
        held.set(10).unwrap();
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
