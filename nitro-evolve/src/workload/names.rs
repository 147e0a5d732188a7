//! The names of numbers in formulas, with the positions of their values.

use std::collections::HashMap;

use crate::words::several;

/// The names of a workload's numbers, each with its position among the values.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// An empty one cannot be named.
    listed: Vec<String>,
    positions: HashMap<String, usize>,
}

impl Names {
    /// Returns the position of a name's value.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// Adds a name, or a value without one where it is empty.
    pub(super) fn push(&mut self, name: &str) {
        if !name.is_empty() {
            self.positions.insert(name.to_owned(), self.listed.len());
        }
        self.listed.push(name.to_owned());
    }

    /// Takes the last one out.
    pub(super) fn pop(&mut self) {
        if let Some(name) = self.listed.pop() {
            self.positions.remove(&name);
        }
    }

    /// Takes a name from its value, so that another value may have it.
    pub(super) fn hide(&mut self, at: usize) {
        if let Some(name) = self.listed.get_mut(at) {
            self.positions.remove(name);
            name.clear();
        }
    }

    /// Returns the number of values.
    pub(super) fn len(&self) -> usize {
        self.listed.len()
    }

    /// Returns all of them, the empty ones too.
    pub(super) fn listed(&self) -> &[String] {
        &self.listed
    }

    /// Returns the first of them in a sentence.
    pub(super) fn several(&self) -> String {
        let named: Vec<&String> = self.listed.iter().filter(|name| !name.is_empty()).collect();
        if named.is_empty() { "none".to_owned() } else { several(&named) }
    }
}

impl<Name: AsRef<str>> FromIterator<Name> for Names {
    fn from_iter<All: IntoIterator<Item = Name>>(all: All) -> Self {
        let mut names = Self::default();
        all.into_iter().for_each(|name| names.push(name.as_ref()));
        names
    }
}
