//! The lists of inputs in files.

use std::path::Path;

use nitro_core::files;
use nitro_learn::evaluate::Split;
use nitro_store::recordings::Recordings;

use super::error::TrainError;
use super::request::InputLists;

/// The most bytes of a list; a million names have some 50 MiB.
const MAX_FILE_BYTES: u64 = 256 << 20;

impl InputLists {
    /// Returns the split that the files decide, as far as they are given.
    pub(super) fn split(&self, recordings: &Recordings) -> Result<Split, TrainError> {
        let train = self.train.as_deref().map(names).transpose()?;
        let test = self.test.as_deref().map(names).transpose()?;
        Ok(Split::from_lists(recordings, train.as_deref(), test.as_deref())?)
    }
}

/// Returns the names in a file, one a line; empty lines do not count.
fn names(path: &Path) -> Result<Vec<String>, TrainError> {
    let file = path.to_owned();
    let bytes = match files::read(path, MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(source) => return Err(TrainError::InputList { file, source }),
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(source) => return Err(TrainError::InputListNotText { file, source }),
    };
    let names: Vec<String> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if names.is_empty() { Err(TrainError::InputListEmpty { file }) } else { Ok(names) }
}
