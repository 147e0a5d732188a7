//! A cache of machine code: edits touch a kernel or two, and the others are assembled once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nitro_core::Artifact;

/// The most bytes of the cache; then all of it goes, which costs as much as it saved once.
const MOST_BYTES: usize = 64 << 20;

/// A cache of machine code by the digests of texts.
#[derive(Debug, Default)]
pub(crate) struct Images(Mutex<Cache>);

/// Machine code, or why there is none.
type Image = Result<Arc<[u8]>, String>;

/// The content, with its size.
#[derive(Debug, Default)]
struct Cache {
    images: HashMap<Artifact, Image>,
    bytes: usize,
}

impl Images {
    /// Returns the machine code of a text, which is made unless it is there.
    ///
    /// Two threads may make the same at the same time.
    pub(crate) fn of(&self, text: &str, make: impl FnOnce(&str) -> Image) -> Image {
        let key = Artifact::of(text);
        if let Some(image) = self.lock().images.get(&key) {
            return image.clone();
        }
        let image = make(text);
        self.lock().keep(key, image.clone());
        image
    }

    /// Locks the cache.
    fn lock(&self) -> MutexGuard<'_, Cache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    /// Adds machine code.
    fn keep(&mut self, key: Artifact, image: Image) {
        self.bytes += image.as_ref().map_or_else(String::len, |image| image.len());
        if self.bytes > MOST_BYTES {
            *self = Self::default();
        }
        self.images.insert(key, image);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn what_was_made_or_refused_is_not_made_again_as_long_as_there_is_room() {
        let (images, calls) = (Images::default(), Cell::new(0));
        let of = |text: &str, bytes: usize| {
            images.of(text, |text| {
                calls.set(calls.get() + 1);
                if text == "wrong" { Err("line 1".to_owned()) } else { Ok(vec![1; bytes].into()) }
            })
        };
        for _ in 0..3 {
            assert_eq!(of("one", 9).unwrap().len(), 9);
            assert_eq!(of("wrong", 9), Err("line 1".to_owned()));
        }
        assert_eq!(calls.get(), 2);
        of("large", MOST_BYTES).unwrap();
        of("one", 9).unwrap();
        assert_eq!(calls.get(), 4, "it had to go");
    }
}
