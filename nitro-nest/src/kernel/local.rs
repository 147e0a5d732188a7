//! Arrays of kernels.

use nitro_launch::{Element, Storage};
use serde::{Deserialize, Serialize};

use super::Space;

/// An array that is not the nest's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// The memory that it is in.
    pub space: Space,
    /// The extent of each dimension, the slowest first.
    pub shape: Vec<i64>,
    /// The form of its elements.
    #[serde(default, skip_serializing_if = "Storage::is_number")]
    pub storage: Storage,
    /// Rows are 128 bytes, and the 16 bytes at a place are elsewhere in their row: their number xor that of the row.
    ///
    /// So eight rows at one place are in different banks, as matrix units read them (PTX ISA, *Swizzling Modes*).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_swizzled: bool,
}

impl Local {
    /// Returns an array of the nest's numbers.
    #[must_use]
    pub fn new(name: impl Into<String>, space: Space, shape: Vec<i64>) -> Self {
        Self { name: name.into(), space, shape, storage: Storage::default(), is_swizzled: false }
    }

    /// Returns the multiple of bytes at which it begins in shared memory: eight rows where they are swizzled.
    pub(crate) fn alignment(&self) -> i64 {
        if self.is_swizzled { 1024 } else { 16 }
    }

    /// Returns the bytes that it takes in shared memory, where others may begin behind it.
    pub(crate) fn bytes(&self, element: Element) -> i64 {
        let bytes = self.shape.iter().product::<i64>() * bytes_of(self.storage, element);
        bytes.unsigned_abs().next_multiple_of(16) as i64
    }
}

/// Returns the bytes of an element in this form.
pub(crate) fn bytes_of(storage: Storage, element: Element) -> i64 {
    if storage.is_number() { element.bytes() as i64 } else { 2 }
}
