//! The inputs of a recording: built-in names, or files.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use globset::{GlobBuilder, GlobSet};

use super::error::RecordError;
use super::folder::{files, portable};

/// Where a session's inputs come from.
#[derive(Clone, Copy, Debug)]
pub enum Inputs<'a> {
    /// Names of built-in inputs.
    Generated(&'a [String]),
    /// The files in a folder and the folders below it.
    Folder(&'a Path),
}

/// What a session hands out.
pub(super) struct InputList<'a> {
    source: Inputs<'a>,
    /// Names of the inputs.
    names: Vec<String>,
    /// For each name what the closure gets: the path of a file, or the name itself.
    paths: Vec<String>,
    /// Inputs, by position in `names`, that the closure knows of.
    handed_out: RefCell<BTreeSet<usize>>,
}

impl<'a> InputList<'a> {
    /// # Errors
    /// When the folder cannot be read; the message names it.
    pub(super) fn new(source: Inputs<'a>) -> Result<Self, RecordError> {
        let (names, paths) = match source {
            Inputs::Generated(names) => (names.to_vec(), names.to_vec()),
            Inputs::Folder(folder) => {
                let files = files(folder)
                    .map_err(|source| RecordError::Folder { folder: folder.to_owned(), source })?;
                files.into_iter().map(|(name, path)| (name, path.to_string_lossy().into_owned())).unzip()
            }
        };
        Ok(Self { source, names, paths, handed_out: RefCell::default() })
    }

    /// Hands out none of these.
    pub(super) fn leave_out<'n>(&self, names: impl IntoIterator<Item = &'n String>) {
        let position = |name: &String| self.names.iter().position(|own| own == name);
        self.handed_out.borrow_mut().extend(names.into_iter().filter_map(position));
    }

    /// Whether nothing can be handed out, whatever is asked for.
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// What to say where a function asked for inputs and there are none.
    pub(super) fn none_for(&self, function: &'static str) -> RecordError {
        match self.source {
            Inputs::Generated(_) => RecordError::NoInputs { function },
            Inputs::Folder(folder) => RecordError::NoFiles { folder: folder.to_owned(), function },
        }
    }

    /// Names and paths of the inputs that match and were not handed out before.
    ///
    /// # Errors
    /// When the pattern is none.
    pub(super) fn hand_out(&self, pattern: &str) -> Result<Vec<(&str, &str)>, globset::Error> {
        let glob = GlobBuilder::new(pattern).empty_alternates(true).build()?;
        // A set of one, since a single matcher would panic where the pattern is too large to compile.
        let pattern = GlobSet::new([glob])?;
        let mut handed_out = self.handed_out.borrow_mut();
        let all = self.names.iter().zip(&self.paths).enumerate();
        let new = all.filter(|(index, (_, path))| self.matches(&pattern, path) && handed_out.insert(*index));
        Ok(new.map(|(_, (name, path))| (name.as_str(), path.as_str())).collect())
    }

    /// Whether a file's name, with or without an ending `.gz`, is of the pattern; built-in inputs are of every one.
    fn matches(&self, pattern: &GlobSet, path: &str) -> bool {
        match self.source {
            Inputs::Generated(_) => true,
            Inputs::Folder(_) => {
                let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
                let plain = file.strip_suffix(".gz").unwrap_or(file);
                pattern.is_match(file) || pattern.is_match(plain)
            }
        }
    }

    /// A file's name is its path below the folder of inputs; any other name is itself.
    pub(super) fn name_of(&self, name: &str) -> String {
        match self.source {
            Inputs::Folder(folder) => {
                Path::new(name).strip_prefix(folder).map_or_else(|_| name.to_owned(), portable)
            }
            Inputs::Generated(_) => name.to_owned(),
        }
    }
}
