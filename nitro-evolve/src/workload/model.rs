//! The parts of a workload, as they are meant.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use nitro_stats::random::Random;
use serde::{Deserialize, Serialize};

use super::expression::Expression;
use super::layout::{Layout, Member};
use super::step::Step;

/// A description of how a kernel is run: buffers, launches, and inputs of three kinds that have nothing in common.
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
/// margin = 1                          # elements beside it that the program reads, as beside many an array; left out: 0
/// role = "out"
/// error = "relative"                  # relative, absolute, share (of the elements that differ), exact
///
/// [[buffer]]
/// name = "far"
/// variable = "ff_variable"            # a __constant__ or __device__ variable by its name in the PTX,
/// type = "f32"                        # which the host sets before, or reads afterwards
/// length = 5                          # as large as it is
/// role = "in"
/// values = "uniform(1, 2)"
///
/// [[buffer]]
/// name = "points"
/// length = "n"
/// role = "in"
/// [[buffer.member]]                   # in the place of `type`: structures, laid out as C does
/// name = "weight"
/// type = "f32"
/// values = "uniform(1, 2)"
/// [[buffer.member]]
/// name = "center"
/// type = "i64"
/// count = 2                           # an array; j counts its elements in values
/// values = "i + j"
/// [[buffer.member]]
/// name = "of"
/// pointer = "x"                       # in the place of `type`: the address of an element of that buffer
/// values = "i"                        # which element
///
/// [[step]]                            # in this order; times = "steps" and index = "t" repeat [[step.step]],
///                                     # with while = "x" up to the first round that leaves x at 0;
///                                     # copy = { from = "x", to = "y" } and clear = "y" are steps too
/// kernel = "scale"
/// grid = ["blocks"]
/// block = [256]
/// arguments = ["x", "y", { f32 = 0.5 }, { i32 = "n" }]   # a structure is a list: [{ i32 = "n" }, "x"]
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
/// `sqrt`, `exp`, `ln`, `sin`, `cos`, and at random `uniform(a, b)` and `integer(a, b)`, both ends included.
///
/// Steps under `[[judge]]` run after those that count, untimed and always as they were compiled. Their results are
/// compared too, such as the labels that a trained classifier gives.
#[derive(Clone, Debug)]
pub struct Workload {
    pub(super) file: PathBuf,
    /// The text as it was written.
    pub(super) text: Arc<str>,
    pub(super) max_error: f64,
    /// The names of a case's numbers, then of what follows from them, then of the indices of loops.
    pub(super) names: Vec<String>,
    pub(super) definitions: Vec<(usize, Expression)>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) steps: Vec<Step>,
    pub(super) judge: Vec<Step>,
    pub(super) cases: Vec<Case>,
    /// The moment at which all preparations have to be over.
    pub(super) deadline: Option<Instant>,
}

/// The purpose of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Set {
    /// Evolution sees it.
    Search,
    /// It decides among the best of evolution.
    Validation,
    /// It accepts a patch, once.
    Test,
}

/// The use of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Read; changing it is a defect.
    In,
    /// Written: filled with a pattern before, so that what was not written shows, and compared.
    Out,
    /// Read and written, and compared.
    InOut,
    /// Working memory at which nobody looks.
    Scratch,
}

/// A measure of the distance of a result from the original's: the most over its elements, or their share.
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

/// A buffer, with formulas for what depends on the case.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) layout: Layout,
    pub(super) length: Expression,
    /// The elements beside it, at each end, that programs may reach.
    pub(super) margin: Option<Expression>,
    /// The variable of the module that it is.
    pub(super) variable: Option<BufferVariable>,
    pub(super) role: Role,
    pub(super) source: Source,
}

/// A variable of the module that a buffer is, as `__constant__` and `__device__` declare them.
#[derive(Clone, Debug)]
pub(crate) struct BufferVariable {
    pub(crate) name: String,
    /// The line of the workload that names it.
    pub(crate) line: usize,
}

/// The source of what a buffer holds at the beginning.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A formula for each member of an element, of its position and at random.
    Values(Vec<Expression>),
    /// A file of little-endian elements.
    File(PathBuf),
}

/// One input.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(super) set: Set,
    /// The values of its numbers, in the order of the workload's names.
    pub(super) values: Vec<f64>,
    pub(super) seed: u64,
}

impl Workload {
    /// Returns the buffers, or members of their structures, that hold the same in every case, and not 0 alone.
    ///
    /// A patch may rely on that, and no input of the test shows it.
    pub fn undrawn(&self) -> impl Iterator<Item = String> {
        let numbers = self.cases.first().map_or(0, |case| case.values.len()) + self.definitions.len();
        self.buffers.iter().flat_map(move |buffer| buffer.undrawn(numbers))
    }

    /// Returns the variables of the module that buffers are, with the bytes and the use of each.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&BufferVariable, u64, Role)> {
        self.buffers.iter().filter_map(|buffer| {
            let variable = buffer.variable.as_ref()?;
            let length = buffer.length.value(&[], &mut Random::new(0));
            Some((variable, (length * buffer.layout.bytes as f64) as u64, buffer.role))
        })
    }

    /// Returns the path of its file. Files that are named in it stand beside that.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the text as it was written, from which another process reads it again.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the most error that a result may have; 0 where it has to be the original's.
    #[must_use]
    pub fn max_error(&self) -> f64 {
        self.max_error
    }

    /// Returns the same with another [`max_error`](Self::max_error) than was written.
    #[must_use]
    pub fn within(self, max_error: f64) -> Self {
        Self { max_error, ..self }
    }

    /// Returns the same with a moment after which no input is made and no original is run.
    #[must_use]
    pub fn until(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Returns the moment at which all preparations have to be over.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns the kernels of the launches that count, each once, in the order of their first launches.
    #[must_use]
    pub fn kernels(&self) -> Vec<&str> {
        let mut kernels = Vec::new();
        self.steps.iter().for_each(|step| step.kernels(&mut kernels));
        kernels
    }

    /// Returns those kernels, and the ones that judge.
    pub(crate) fn all_kernels(&self) -> Vec<&str> {
        let mut kernels = self.kernels();
        self.judge.iter().for_each(|step| step.kernels(&mut kernels));
        kernels
    }

    /// Returns the number of cases of a set.
    #[must_use]
    pub fn cases(&self, set: Set) -> usize {
        self.of(set).count()
    }

    /// Describes a case: `n=1000 seed=1`.
    ///
    /// # Panics
    /// If there is no such case.
    #[must_use]
    pub fn case_name(&self, set: Set, number: usize) -> String {
        self.describe(self.of(set).nth(number).expect("there is such a case"))
    }

    /// Returns a number of a case by its name, if its cases have it.
    ///
    /// # Panics
    /// If there is no such case.
    #[must_use]
    pub fn number(&self, set: Set, number: usize, name: &str) -> Option<f64> {
        let case = self.of(set).nth(number).expect("there is such a case");
        self.names.iter().zip(&case.values).find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    /// Describes the sizes of all cases: `n from 4 to 8, steps from 0 to 2`.
    #[must_use]
    pub fn summary(&self) -> String {
        let sizes = self.cases.first().map_or(0, |case| case.values.len());
        let mut ranges = Vec::new();
        for (at, name) in self.names.iter().enumerate().take(sizes) {
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for case in &self.cases {
                (least, most) = (least.min(case.values[at]), most.max(case.values[at]));
            }
            ranges.push(match least == most {
                true => format!("{name} {least}"),
                false => format!("{name} from {least} to {most}"),
            });
        }
        ranges.join(", ")
    }

    /// Returns the cases of a set.
    pub(super) fn of(&self, set: Set) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(move |case| case.set == set)
    }

    /// Describes a case: `n=1000 seed=1`.
    pub(crate) fn describe(&self, case: &Case) -> String {
        let numbers = self.names.iter().zip(&case.values).map(|(name, value)| format!("{name}={value} "));
        numbers.collect::<String>() + &format!("seed={}", case.seed)
    }
}

impl Buffer {
    /// Returns what of it holds the same whatever the seed, where so many numbers stand before the element's among those
    /// that formulas name. Whoever names a file knows the data.
    fn undrawn(&self, numbers: usize) -> Vec<String> {
        let Source::Values(formulas) = &self.source else { return Vec::new() };
        if !matches!(self.role, Role::In | Role::InOut) {
            return Vec::new();
        }
        let members = self.layout.members.iter().zip(formulas);
        // What is a number of the case, as a scalar argument may be, is another one in others.
        let is_scalar = |values: &Expression| {
            let positions = values.positions();
            !positions.is_empty() && !positions.contains(&numbers)
        };
        let may_be_others = |member: &Member, values: &Expression| {
            !values.is_drawn() && values.text != "0" && member.pointer.is_none() && !is_scalar(values)
        };
        let undrawn = members.filter(|(member, values)| may_be_others(member, values));
        undrawn.map(|(member, _)| member.name_in(&self.name)).collect()
    }
}
