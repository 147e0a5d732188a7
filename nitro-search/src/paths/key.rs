//! Keys of nodes and names of parts.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The key of a node: nodes of the same key are one.
///
/// ```
/// use nitro_search::NodeKey;
///
/// let key = NodeKey::new("tile").statements([2, 0]).shape([3, 2]);
/// assert_eq!(key, NodeKey::new("tile").statements([0, 2]).shape([3, 2]));
/// assert_eq!(key.to_string(), "tile{0,2}[3,2]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeKey {
    /// The kind of decision, such as `partition` or `tile`.
    phase: Cow<'static, str>,
    /// For which statements, ascending.
    statements: Vec<u32>,
    /// The other things that the options depend on, such as the depth of a band and its number of parallel dimensions.
    shape: Vec<i64>,
}

impl NodeKey {
    /// Creates the key of a decision that is made once.
    #[must_use]
    pub fn new(phase: impl Into<Cow<'static, str>>) -> Self {
        Self { phase: phase.into(), statements: Vec::new(), shape: Vec::new() }
    }

    /// Adds a set of statements.
    #[must_use]
    pub fn statements(mut self, statements: impl IntoIterator<Item = u32>) -> Self {
        self.statements = statements.into_iter().collect();
        self.statements.sort_unstable();
        self.statements.dedup();
        self
    }

    /// Adds a shape.
    #[must_use]
    pub fn shape(mut self, shape: impl IntoIterator<Item = i64>) -> Self {
        self.shape = shape.into_iter().collect();
        self
    }
}

impl fmt::Display for NodeKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.phase)?;
        if !self.statements.is_empty() {
            let statements: Vec<String> = self.statements.iter().map(u32::to_string).collect();
            write!(formatter, "{{{}}}", statements.join(","))?;
        }
        if !self.shape.is_empty() {
            let shape: Vec<String> = self.shape.iter().map(i64::to_string).collect();
            write!(formatter, "[{}]", shape.join(","))?;
        }
        Ok(())
    }
}

/// The name of a part of a program, such as a kernel, that has a time of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Part(Cow<'static, str>);

impl Part {
    /// Creates the part of this name.
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }
}

impl From<String> for Part {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

impl From<&'static str> for Part {
    fn from(name: &'static str) -> Self {
        Self::new(name)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
