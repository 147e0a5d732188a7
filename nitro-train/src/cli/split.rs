//! Lists of inputs from files.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::evaluate::Split;
use crate::recordings::Recordings;

/// The split that two files of input names decide, as far as they are given.
pub(super) fn read(recordings: &Recordings, train: Option<&Path>, test: Option<&Path>) -> Result<Split> {
    let train = train.map(names).transpose()?;
    let test = test.map(names).transpose()?;
    Ok(Split::from_lists(recordings, train.as_deref(), test.as_deref())?)
}

/// The names in a file, one a line; empty lines do not count.
fn names(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    let names: Vec<String> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if names.is_empty() {
        bail!("{}: no names of inputs: write one a line", path.display());
    }
    Ok(names)
}
