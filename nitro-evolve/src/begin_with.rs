//! Patches that were found elsewhere and begin an evolution.

use nitro_ptx::{Base, Edit, Patch, PatchError};

/// The most patches that an evolution begins with.
pub(crate) const MOST_PATCHES: usize = 64;
/// The most bytes of a file with one.
pub(crate) const MOST_FILE_BYTES: u64 = 64 << 10;
/// The most edits of one.
const MOST_EDITS: usize = 256;
/// The most bytes of all as text: they are one line of the log.
const MOST_BYTES: usize = 384 << 10;

/// An error of a patch with which an evolution cannot begin.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum BeginWithError {
    /// It does not fit the PTX.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// It has no edits.
    #[error("the patch has no edits, so there is nothing to begin with")]
    Empty,
    /// It has too many edits.
    #[error("the patch has {0} edits, and an evolution begins with at most {MOST_EDITS} in one")]
    Edits(usize),
    /// There are too many patches.
    #[error("there are {0} patches, and an evolution begins with at most {MOST_PATCHES}")]
    Patches(usize),
    /// Together the patches are too long.
    #[error("the patches take {0} bytes, and an evolution begins with at most {MOST_BYTES}")]
    Bytes(usize),
}

/// Returns the edits of a patch that can be made on a base, ascending.
pub(crate) fn edits(base: &Base, patch: &Patch) -> Result<Vec<Edit>, BeginWithError> {
    let mut edits = base.check(patch)?.edits.clone();
    edits.sort();
    edits.dedup();
    if edits.is_empty() {
        return Err(BeginWithError::Empty);
    }
    if edits.len() > MOST_EDITS {
        return Err(BeginWithError::Edits(edits.len()));
    }
    base.apply(&edits)?;
    Ok(edits)
}

/// Returns the edits of each of these patches, each once, in an order that does not depend on theirs.
pub(crate) fn all(base: &Base, patches: &[Patch]) -> Result<Vec<Vec<Edit>>, BeginWithError> {
    if patches.len() > MOST_PATCHES {
        return Err(BeginWithError::Patches(patches.len()));
    }
    let mut all = patches.iter().map(|patch| edits(base, patch)).collect::<Result<Vec<_>, _>>()?;
    all.sort();
    all.dedup();
    let bytes = all.iter().flatten().map(|edit| edit.to_string().len()).sum();
    if bytes > MOST_BYTES { Err(BeginWithError::Bytes(bytes)) } else { Ok(all) }
}
