//! Two stores by their addresses that come to hold the same.

use std::fs;

use super::{StoreError, SyncReport, exists, open, shown, sync};

/// [`sync`] of the stores that two addresses name. One of them may be a file that is still to be made.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_store::store;
///
/// let folder = tempfile::tempdir()?;
/// let [mine, copy] = ["my.db", "copy.db"].map(|name| folder.path().join(name).display().to_string());
/// assert!(store::sync_at(&mine, &copy).is_err(), "there is neither");
/// store::open(&mine)?.import(&recordings)?;
/// assert_eq!(store::sync_at(&mine, &copy)?.into_second.functions, 1); // or with `redis://host:6379/0`
/// assert_eq!(store::sync_at(&mine, &copy)?.into_second.functions, 0, "it has it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StoreError::NeitherExists`], [`StoreError::SameStore`], and as [`open`] and [`sync`].
pub fn sync_at(first: &str, second: &str) -> Result<SyncReport, StoreError> {
    if !exists(first) && !exists(second) {
        return Err(StoreError::NeitherExists { first: shown(first), second: shown(second) });
    }
    if is_same(first, second) {
        return Err(StoreError::SameStore { first: shown(first), second: shown(second) });
    }
    // A store that is not there yet is made last: nothing of it is left if the other cannot be opened.
    let (mut first, mut second) = match exists(first) {
        true => {
            let first = open(first)?;
            (first, open(second)?)
        }
        false => {
            let second = open(second)?;
            (open(first)?, second)
        }
    };
    sync(&mut *first, &mut *second)
}

fn is_same(first: &str, second: &str) -> bool {
    let [first_path, second_path] = [first, second].map(|url| fs::canonicalize(url).ok());
    first == second || first_path.is_some() && first_path == second_path
}
