//! The inputs of a session: built-in names, or files.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::Path;

use globset::{GlobBuilder, GlobSet};

use super::error::RecordError;
use super::folder::{files, portable};

/// The source of a session's inputs.
#[derive(Clone, Copy, Debug)]
pub enum Inputs<'a> {
    /// Names of built-in inputs.
    Generated(&'a [String]),
    /// The files in a folder and the folders below it.
    Folder(&'a Path),
}

impl Inputs<'_> {
    /// Lists the names; none of a folder that cannot be read.
    pub(crate) fn names(self) -> Vec<String> {
        InputList::new(self).map(|list| list.names).unwrap_or_default()
    }
}

/// The inputs that a session hands out.
pub(super) struct InputList<'a> {
    source: Inputs<'a>,
    /// Names of the inputs.
    names: Vec<String>,
    /// The text that the closure gets for each name: the path of a file, or the name itself.
    paths: Vec<String>,
    /// Inputs, by position in `names`, that the closure knows of.
    handed_out: RefCell<BTreeSet<usize>>,
    /// The patterns that were asked for.
    patterns: RefCell<BTreeSet<String>>,
    /// Set once there was an input of one of them.
    has_matched: Cell<bool>,
}

impl<'a> InputList<'a> {
    /// Lists the inputs of a source.
    ///
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

    /// Leaves these inputs out of what is handed out.
    pub(super) fn leave_out<'n>(&self, names: impl IntoIterator<Item = &'n String>) {
        for name in names {
            let at = self.names.iter().position(|own| own == name);
            self.handed_out.borrow_mut().extend(at);
        }
    }

    /// Returns true if the closure asked for inputs, and none was what it asked for.
    pub(super) fn was_asked_in_vain(&self) -> bool {
        !self.patterns.borrow().is_empty() && !self.has_matched.get()
    }

    /// Creates the error of a function that asked for inputs where there are none.
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

    /// Hands out the names and paths of the inputs that match and were not handed out before.
    ///
    /// # Errors
    /// When the pattern is none.
    pub(super) fn hand_out(&self, pattern: &str) -> Result<Vec<(&str, &str)>, globset::Error> {
        self.patterns.borrow_mut().insert(pattern.to_owned());
        let glob = GlobBuilder::new(pattern).empty_alternates(true).build()?;
        // A set of one, since a single matcher would panic where the pattern is too large to compile.
        let pattern = GlobSet::new([glob])?;
        let mut handed_out = self.handed_out.borrow_mut();
        let mut new = Vec::new();
        for (index, (name, path)) in self.names.iter().zip(&self.paths).enumerate() {
            if self.matches(&pattern, path) {
                self.has_matched.set(true);
                if handed_out.insert(index) {
                    new.push((name.as_str(), path.as_str()));
                }
            }
        }
        Ok(new)
    }

    /// Returns true if a file's name, with or without an ending `.gz`, is of the pattern.
    ///
    /// Built-in inputs are of every pattern.
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

    /// Returns the name of an input: of a file its path below the folder, of any other the name itself.
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
