//! Lists of inputs from files.

use std::path::Path;

use anyhow::{Context, Result, bail};
use nitro_core::files;

use crate::evaluate::Split;
use crate::recordings::Recordings;

/// A million names have some 50 MiB.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The split that two files of input names decide, as far as they are given.
pub(super) fn read(recordings: &Recordings, train: Option<&Path>, test: Option<&Path>) -> Result<Split> {
    let train = train.map(names).transpose()?;
    let test = test.map(names).transpose()?;
    Ok(Split::from_lists(recordings, train.as_deref(), test.as_deref())?)
}

/// The names in a file, one a line; empty lines do not count.
fn names(path: &Path) -> Result<Vec<String>> {
    let named = || path.display().to_string();
    let bytes = files::read(path, MAX_FILE_BYTES).with_context(named)?;
    let text = String::from_utf8(bytes).context("it is not UTF-8 text").with_context(named)?;
    let names: Vec<String> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if names.is_empty() {
        bail!("{}: no names of inputs: write one a line", path.display());
    }
    Ok(names)
}
