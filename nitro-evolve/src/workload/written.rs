//! A workload as it is written in TOML.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use super::element::Element;
use super::model::{Comparison, Role};

/// Text with where it stands, for messages.
pub(super) type Text = Spanned<String>;

/// The whole text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) struct WrittenWorkload {
    #[serde(default)]
    pub max_error: Option<Spanned<f64>>,
    #[serde(default, rename = "let")]
    pub definitions: BTreeMap<String, Spanned<Formula>>,
    #[serde(default, rename = "buffer")]
    pub buffers: Vec<WrittenBuffer>,
    #[serde(default, rename = "step")]
    pub steps: Vec<Spanned<WrittenStep>>,
    #[serde(default)]
    pub judge: Vec<Spanned<WrittenStep>>,
    #[serde(default)]
    pub search: Vec<Spanned<WrittenCase>>,
    #[serde(default)]
    pub validation: Vec<Spanned<WrittenCase>>,
    #[serde(default)]
    pub test: Vec<Spanned<WrittenCase>>,
}

/// A buffer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenBuffer {
    pub name: Text,
    #[serde(default, rename = "type")]
    pub element: Option<Spanned<Element>>,
    #[serde(default)]
    pub pointer: Option<Text>,
    #[serde(default, rename = "member")]
    pub members: Vec<WrittenMember>,
    pub length: Spanned<Formula>,
    #[serde(default)]
    pub margin: Option<Spanned<Formula>>,
    #[serde(default)]
    pub variable: Option<Text>,
    pub role: Role,
    #[serde(default)]
    pub values: Option<Spanned<Formula>>,
    #[serde(default)]
    pub file: Option<Spanned<PathBuf>>,
    #[serde(default)]
    pub error: Option<Spanned<Comparison>>,
}

/// A member of the structures that are elements of a buffer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenMember {
    pub name: Text,
    #[serde(default, rename = "type")]
    pub element: Option<Spanned<Element>>,
    #[serde(default)]
    pub pointer: Option<Text>,
    /// The members of a structure in the structure.
    #[serde(default, rename = "member")]
    pub members: Vec<Self>,
    #[serde(default)]
    pub count: Option<Spanned<usize>>,
    #[serde(default)]
    pub align: Option<Spanned<usize>>,
    #[serde(default)]
    pub values: Option<Spanned<Formula>>,
    #[serde(default)]
    pub error: Option<Comparison>,
}

/// A launch, steps that are repeated, or what the host does between launches.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenStep {
    #[serde(default)]
    pub kernel: Option<Text>,
    #[serde(default)]
    pub grid: Vec<Spanned<Formula>>,
    #[serde(default)]
    pub block: Vec<Spanned<Formula>>,
    #[serde(default)]
    pub shared_bytes: Option<Spanned<Formula>>,
    #[serde(default)]
    pub arguments: Vec<Spanned<WrittenArgument>>,
    #[serde(default)]
    pub times: Option<Spanned<Formula>>,
    #[serde(default, rename = "while")]
    pub flag: Option<Text>,
    #[serde(default)]
    pub index: Option<Text>,
    #[serde(default, rename = "step")]
    pub steps: Vec<Spanned<WrittenStep>>,
    #[serde(default)]
    pub clear: Option<Text>,
    #[serde(default)]
    pub copy: Option<WrittenCopy>,
}

/// A copy of a buffer to another one, as many elements as that has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenCopy {
    pub from: Text,
    pub to: Text,
    /// The number of the first element that is copied.
    #[serde(default)]
    pub at: Option<Spanned<Formula>>,
}

/// An argument: the name of a buffer, a value with its type, or a structure of such.
///
/// A value is written `{ f32 = 0.5 }` or `{ i32 = "rows" }`, a structure `["x", { i32 = "rows" }]`.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum WrittenArgument {
    Buffer(String),
    Scalar(BTreeMap<Element, Formula>),
    Struct(Vec<WrittenArgument>),
}

/// A number, or a formula as text.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Formula {
    Integer(i64),
    Number(f64),
    Text(String),
}

impl Formula {
    /// Returns the formula as text.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Integer(number) => number.to_string(),
            Self::Number(number) => format!("{number}"),
            Self::Text(text) => text.clone(),
        }
    }
}

/// A case: sizes by their names, and `seed`.
pub(super) type WrittenCase = BTreeMap<String, f64>;
