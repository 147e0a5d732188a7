//! The inputs of a recording: built-in names, or files.

use std::cell::{Cell, RefCell};
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

impl Inputs<'_> {
    /// The names; none of a folder that cannot be read.
    pub(crate) fn names(self) -> Vec<String> {
        InputList::new(self).map(|list| list.names).unwrap_or_default()
    }
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
    /// The patterns that were asked for.
    patterns: RefCell<BTreeSet<String>>,
    /// Whether there was an input of one of them.
    has_matched: Cell<bool>,
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
        let (handed_out, patterns, has_matched) = Default::default();
        Ok(Self { source, names, paths, handed_out, patterns, has_matched })
    }

    /// Hands out none of these.
    pub(super) fn leave_out<'n>(&self, names: impl IntoIterator<Item = &'n String>) {
        let position = |name: &String| self.names.iter().position(|own| own == name);
        self.handed_out.borrow_mut().extend(names.into_iter().filter_map(position));
    }

    /// Tells if the closure asked for inputs, and none is what it asked for.
    pub(super) fn was_asked_in_vain(&self) -> bool {
        !self.patterns.borrow().is_empty() && !self.has_matched.get()
    }

    /// What to say where a function asked for inputs and there are none.
    pub(super) fn none_for(&self, function: &'static str) -> RecordError {
        match self.source {
            Inputs::Generated(_) => RecordError::NoInputs { function },
            Inputs::Folder(folder) if self.names.is_empty() => {
                RecordError::NoFiles { folder: folder.to_owned(), function }
            }
            Inputs::Folder(folder) => RecordError::NoMatch {
                folder: folder.to_owned(),
                function,
                files: self.names.len(),
                patterns: readable(&self.patterns.borrow()),
            },
        }
    }

    /// Names and paths of the inputs that match and were not handed out before.
    ///
    /// # Errors
    /// When the pattern is none.
    pub(super) fn hand_out(&self, pattern: &str) -> Result<Vec<(&str, &str)>, globset::Error> {
        self.patterns.borrow_mut().insert(pattern.to_owned());
        let glob = GlobBuilder::new(pattern).empty_alternates(true).build()?;
        // A set of one, since a single matcher would panic where the pattern is too large to compile.
        let pattern = GlobSet::new([glob])?;
        let mut handed_out = self.handed_out.borrow_mut();
        let all = self.names.iter().zip(&self.paths).enumerate();
        let matching = all.filter(|(_, (_, path))| self.matches(&pattern, path));
        let new = matching.filter(|(index, _)| {
            self.has_matched.set(true);
            handed_out.insert(*index)
        });
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

/// Lists patterns for a message. The one that only built-in inputs are of is left out.
fn readable(patterns: &BTreeSet<String>) -> String {
    let named: Vec<String> =
        patterns.iter().filter(|own| !own.is_empty()).map(|own| format!("`{own}`")).collect();
    if named.is_empty() { "no files".to_owned() } else { format!("{}, also as .gz", named.join(" and ")) }
}
