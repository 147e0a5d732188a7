//! Workloads: how a kernel is run and what of its results counts, as a text that a user writes.
//!
//! A [`Workload`] is read from TOML and checked once; [`Workload::inputs`] makes the buffers and launches of one of
//! its cases.

mod definitions;
mod expression;
mod inputs;
mod names;
mod read;
mod step;
#[cfg(test)]
mod tests;
mod unwritten;
mod written;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use self::expression::Expression;
pub use self::inputs::{Argument, InputBuffer, Inputs, Launch};
use self::step::Step;
pub(crate) use self::unwritten::LESS;

/// How a kernel is run: its buffers, its launches, and the inputs of three kinds that have nothing in common.
///
/// ```toml
/// max_error = 0.01                    # the most error that a result may have; left out: none
///
/// [let]                               # numbers that follow from those of a case
/// blocks = "ceil_div(n, 256)"
///
/// [[buffer]]
/// name = "x"
/// type = "f32"                        # u8 i8 u16 i16 u32 i32 u64 i64 f32 f64
/// length = "n"
/// role = "in"                         # in, out, inout (both), scratch (nobody looks at it)
/// values = "uniform(-1, 1)"           # of element i, drawn by the case's seed; left out: 0. Or file = "x.bin"
///
/// [[buffer]]
/// name = "y"
/// type = "f32"
/// length = "n"
/// role = "out"
/// error = "relative"                  # relative, absolute, share (of the elements that differ), exact
///
/// [[step]]                            # in this order; times = "steps" and index = "t" repeat what stands under [[step.step]]
/// kernel = "scale"
/// grid = ["blocks"]
/// block = [256]
/// arguments = ["x", "y", { f32 = 0.5 }, { i32 = "n" }]   # a structure is a list of its members: [{ i32 = "n" }, "x"]
///
/// [[search]]                          # what evolution sees
/// n = 100000
/// [[validation]]                      # what decides among its best
/// n = 70001
/// [[test]]                            # what accepts the last one, once
/// n = 1000000
/// seed = 7
/// ```
///
/// Formulas have `+ - * /`, parentheses, `ceil_div`, `floor_div`, `mod`, `min`, `max`, `pow`, `floor`, `abs`,
/// `sqrt`, `exp`, `ln`, `sin`, `cos`, and at random `uniform(a, b)` and `integer(a, b)`, both ends included. Steps
/// under `[[judge]]` run after those that count, untimed and always as they were compiled: what they write is
/// compared too, such as the labels that a trained classifier gives.
#[derive(Clone, Debug)]
pub struct Workload {
    file: PathBuf,
    /// As it was written.
    text: Arc<str>,
    max_error: f64,
    /// Numbers of a case, then what follows from them, then the indices of loops.
    names: Vec<String>,
    definitions: Vec<(usize, Expression)>,
    buffers: Vec<Buffer>,
    steps: Vec<Step>,
    judge: Vec<Step>,
    cases: Vec<Case>,
    /// When whatever prepares for running it has to be over.
    deadline: Option<Instant>,
}

/// For what a case is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Set {
    /// What evolution sees.
    Search,
    /// What decides among its best.
    Validation,
    /// What accepts the last one.
    Test,
}

/// The type of an element or an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // as the types of Rust
pub enum Element {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

/// What becomes of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Read; changing it is a defect.
    In,
    /// Written: filled with a pattern before, so that what was not written shows, and compared.
    Out,
    /// Read and written, and compared.
    InOut,
    /// Nobody looks at it.
    Scratch,
}

/// How far a result is from the original's: the most over its elements, or their share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// |x - g| / |g|, and |x| where g is 0.
    Relative,
    /// |x - g|.
    Absolute,
    /// The share of the elements that differ.
    Share,
    /// Any difference is one too much.
    Exact,
}

#[derive(Clone, Debug)]
struct Buffer {
    name: String,
    element: Element,
    length: Expression,
    role: Role,
    source: Source,
    comparison: Comparison,
}

#[derive(Clone, Debug)]
enum Source {
    /// A value for each element, of its position and at random.
    Values(Expression),
    /// Little-endian elements.
    File(PathBuf),
}

/// One input.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    set: Set,
    /// By the names of the workload.
    values: Vec<f64>,
    seed: u64,
}

/// What is wrong with a workload.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    Read {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is none of a workload.
    #[error("{}:{line}: {message}", file.display())]
    Text {
        /// Of the workload.
        file: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong and what to change.
        message: String,
    },
    /// A case makes no sense of what is right in itself.
    #[error("{}: with {case}, {message}", file.display())]
    Case {
        /// Of the workload.
        file: PathBuf,
        /// Its numbers.
        case: String,
        /// What is wrong and what to change.
        message: String,
    },
}

impl Workload {
    /// The buffers that hold the same in every case, as far as it goes, and not 0 alone: a patch may rely on that,
    /// and no input of the test shows it.
    pub fn undrawn(&self) -> impl Iterator<Item = &str> {
        let is_undrawn = |buffer: &&Buffer| match &buffer.source {
            Source::Values(values) => {
                matches!(buffer.role, Role::In | Role::InOut) && !values.is_drawn() && values.text != "0"
            }
            Source::File(_) => false, // whoever has data knows what they are
        };
        self.buffers.iter().filter(is_undrawn).map(|buffer| buffer.name.as_str())
    }

    /// The file that it is of: what files are named in it stand beside that.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// As it was written, from which another process reads it again.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The most error that a result may have; 0 where it has to be the original's.
    #[must_use]
    pub fn max_error(&self) -> f64 {
        self.max_error
    }

    /// The same, with another [`max_error`](Self::max_error) than was written.
    #[must_use]
    pub fn within(self, max_error: f64) -> Self {
        Self { max_error, ..self }
    }

    /// Returns the same, for which nothing is prepared beyond a moment: no input is made, and no original run.
    #[must_use]
    pub fn until(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Returns when what prepares for running it has to be over.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The kernels that are launched in what counts, each once, in the order of their first launches.
    #[must_use]
    pub fn kernels(&self) -> Vec<&str> {
        let mut kernels = Vec::new();
        self.steps.iter().for_each(|step| step.kernels(&mut kernels));
        kernels
    }

    /// Those kernels, and the ones that judge.
    pub(crate) fn all_kernels(&self) -> Vec<&str> {
        let mut kernels = self.kernels();
        self.judge.iter().for_each(|step| step.kernels(&mut kernels));
        kernels
    }

    /// How many cases of a kind there are.
    #[must_use]
    pub fn cases(&self, set: Set) -> usize {
        self.of(set).count()
    }

    /// A case in words, such as `n=1000 seed=1`.
    ///
    /// # Panics
    /// If there is no such case.
    #[must_use]
    pub fn case_name(&self, set: Set, number: usize) -> String {
        self.describe(self.of(set).nth(number).expect("there is such a case"))
    }

    /// A number of a case by its name; none where its cases have no such number.
    ///
    /// # Panics
    /// If there is no such case.
    #[must_use]
    pub fn number(&self, set: Set, number: usize, name: &str) -> Option<f64> {
        let case = self.of(set).nth(number).expect("there is such a case");
        self.names.iter().zip(&case.values).find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    /// Over which sizes the cases go, such as `n from 4 to 8, steps from 0 to 2`.
    #[must_use]
    pub fn summary(&self) -> String {
        let range = |at: usize| {
            let values = || self.cases.iter().map(|case| case.values[at]);
            let (least, most) =
                (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
            let name = &self.names[at];
            if least == most { format!("{name} {least}") } else { format!("{name} from {least} to {most}") }
        };
        let sizes = self.cases.first().map_or(0, |case| case.values.len());
        (0..sizes).map(range).collect::<Vec<_>>().join(", ")
    }

    fn of(&self, set: Set) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(move |case| case.set == set)
    }

    pub(crate) fn describe(&self, case: &Case) -> String {
        let numbers = self.names.iter().zip(&case.values).map(|(name, value)| format!("{name}={value} "));
        numbers.collect::<String>() + &format!("seed={}", case.seed)
    }
}

impl Element {
    /// How many bytes one takes.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether it is a floating-point number.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The number that little-endian bytes of this type are.
    pub(crate) fn value(self, bytes: &[u8]) -> f64 {
        macro_rules! of {
            ($type:ty) => {
                bytes.try_into().map_or(f64::NAN, |bytes| <$type>::from_le_bytes(bytes) as f64)
            };
        }
        match self {
            Self::U8 => of!(u8),
            Self::I8 => of!(i8),
            Self::U16 => of!(u16),
            Self::I16 => of!(i16),
            Self::U32 => of!(u32),
            Self::I32 => of!(i32),
            Self::U64 => of!(u64),
            Self::I64 => of!(i64),
            Self::F32 => of!(f32),
            Self::F64 => of!(f64),
        }
    }

    /// Appends a number as this type has it, whole numbers cut to their ranges.
    pub(crate) fn append(self, value: f64, bytes: &mut Vec<u8>) {
        match self {
            Self::U8 => bytes.push(value as u8),
            Self::I8 => bytes.extend((value as i8).to_le_bytes()),
            Self::U16 => bytes.extend((value as u16).to_le_bytes()),
            Self::I16 => bytes.extend((value as i16).to_le_bytes()),
            Self::U32 => bytes.extend((value as u32).to_le_bytes()),
            Self::I32 => bytes.extend((value as i32).to_le_bytes()),
            Self::U64 => bytes.extend((value as u64).to_le_bytes()),
            Self::I64 => bytes.extend((value as i64).to_le_bytes()),
            Self::F32 => bytes.extend((value as f32).to_le_bytes()),
            Self::F64 => bytes.extend(value.to_le_bytes()),
        }
    }
}
