//! The buffers and launches of one case.

use std::path::Path;
use std::time::Instant;

use nitro_stats::random::Random;

use super::step::{PlannedArgument, PlannedLaunch, Step};
use super::{Buffer, Case, Comparison, Element, Expression, Role, Set, Source, Workload, WorkloadError};
use crate::memory;

/// Of all buffers of a case: what a host can prepare in reasonable time.
const MOST_BYTES: f64 = (16u64 << 30) as f64;
const MOST_LAUNCHES: usize = 100_000;
/// Of all steps that are repeated, also of those in which nothing is launched.
const MOST_ROUNDS: usize = 1_000_000;
/// Elements that are made between two looks at the clock.
const ELEMENTS_AT_ONCE: usize = 1 << 16;

/// What one case needs to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// In the order of the workload.
    pub buffers: Vec<InputBuffer>,
    /// What counts.
    pub launches: Vec<Launch>,
    /// What runs after it, as it was compiled.
    pub judge: Vec<Launch>,
}

/// A buffer with what it holds at the beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct InputBuffer {
    /// For messages.
    pub name: String,
    /// What its elements are.
    pub element: Element,
    /// What becomes of it.
    pub role: Role,
    /// How its content is compared, where it is a result.
    pub comparison: Comparison,
    /// Little-endian elements; what an output holds before is up to who runs it.
    pub bytes: Vec<u8>,
}

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// By its name in the module.
    pub kernel: String,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Shared memory beside what the kernel declares.
    pub shared_bytes: u32,
    /// In order.
    pub arguments: Vec<Argument>,
}

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The address of a buffer, by its position.
    Buffer(usize),
    /// A number, little-endian.
    Scalar(Vec<u8>),
    /// A structure, laid out as C does: each member at a multiple of its own alignment.
    Struct(Vec<Argument>),
}

impl Argument {
    /// How many bytes the kernel takes for it.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        match self {
            Self::Buffer(_) => 8,
            Self::Scalar(bytes) => bytes.len(),
            Self::Struct(members) => {
                let end = members.iter().fold(0, |end: usize, member| {
                    end.next_multiple_of(member.alignment_bytes()) + member.size_bytes()
                });
                end.next_multiple_of(self.alignment_bytes())
            }
        }
    }

    fn alignment_bytes(&self) -> usize {
        match self {
            Self::Buffer(_) | Self::Scalar(_) => self.size_bytes().max(1),
            Self::Struct(members) => members.iter().map(Self::alignment_bytes).max().unwrap_or(1),
        }
    }

    /// Its bytes, where buffers have these addresses, by position.
    ///
    /// ```
    /// use nitro_evolve::workload::Argument;
    ///
    /// let pair = Argument::Struct(vec![Argument::Scalar(vec![7, 0]), Argument::Buffer(1)]);
    /// assert_eq!(pair.bytes(&[0x10, 0x20]), [7, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0]);
    /// ```
    ///
    /// # Panics
    /// If there is no such buffer.
    #[must_use]
    pub fn bytes(&self, addresses: &[u64]) -> Vec<u8> {
        match self {
            Self::Buffer(at) => addresses[*at].to_le_bytes().to_vec(),
            Self::Scalar(bytes) => bytes.clone(),
            Self::Struct(members) => {
                let mut bytes = Vec::with_capacity(self.size_bytes());
                for member in members {
                    bytes.resize(bytes.len().next_multiple_of(member.alignment_bytes()), 0);
                    bytes.extend(member.bytes(addresses));
                }
                bytes.resize(self.size_bytes(), 0);
                bytes
            }
        }
    }
}

impl Workload {
    /// The buffers and launches of a case.
    ///
    /// # Errors
    /// When its numbers make no sense, such as half a block, or a file cannot be read or has another length.
    ///
    /// # Panics
    /// If there is no such case.
    pub fn inputs(&self, set: Set, number: usize) -> Result<Inputs, WorkloadError> {
        self.inputs_of(self.of(set).nth(number).expect("there is such a case"))
    }

    pub(super) fn inputs_of(&self, case: &Case) -> Result<Inputs, WorkloadError> {
        let wrong = |message: String| WorkloadError::Case {
            file: self.file.clone(),
            case: self.describe(case),
            message: message.replace(char::is_control, " "),
        };
        in_time(self.deadline).map_err(wrong)?;
        let values = self.values(case);
        let lengths = self.lengths(&values, memory::free_bytes).map_err(wrong)?;
        let launches = self.launches(&self.steps, &values).map_err(wrong)?;
        let judge = self.launches(&self.judge, &values).map_err(wrong)?;
        // Of an element's value: whoever launches something counts behind them.
        let numbers = case.values.len() + self.definitions.len();
        let buffers = self.buffers.iter().zip(lengths).enumerate().map(|(at, (buffer, length))| {
            let bytes =
                buffer.bytes(length, &values[..numbers], case.seed ^ (at as u64) << 32, self.deadline);
            let bytes = bytes.map_err(wrong)?;
            let Buffer { name, element, role, comparison, .. } = buffer.clone();
            Ok(InputBuffer { name, element, role, comparison, bytes })
        });
        Ok(Inputs { buffers: buffers.collect::<Result<_, WorkloadError>>()?, launches, judge })
    }

    /// Those of the case, what follows from them, and room for the indices of loops.
    pub(super) fn values(&self, case: &Case) -> Vec<f64> {
        let mut values = case.values.clone();
        values.resize(self.names.len(), 0.0);
        for (at, formula) in &self.definitions {
            values[*at] = formula.value(&values, &mut Random::new(case.seed));
        }
        values
    }

    /// The elements of each buffer, once it is sure that there is memory for all of them.
    pub(super) fn lengths(
        &self,
        values: &[f64],
        free_bytes: impl Fn() -> Option<u64>,
    ) -> Result<Vec<usize>, String> {
        let mut total = 0.0;
        let mut lengths = Vec::new();
        for buffer in &self.buffers {
            let length = whole(&buffer.length, values, 0.0, MOST_BYTES)?;
            total += length * buffer.element.bytes() as f64;
            if total > MOST_BYTES {
                return Err(format!("the buffers take more than {} GiB", MOST_BYTES / f64::from(1 << 30)));
            }
            lengths.push(length as usize);
        }
        memory::check("the buffers", total as u64, free_bytes)?;
        Ok(lengths)
    }

    pub(super) fn launches(&self, steps: &[Step], values: &[f64]) -> Result<Vec<Launch>, String> {
        let mut unrolled = Unrolled { values: values.to_vec(), launches: Vec::new(), rounds: 0 };
        unrolled.append(steps)?;
        Ok(unrolled.launches)
    }
}

/// Steps as they are launched one after the other.
struct Unrolled {
    values: Vec<f64>,
    launches: Vec<Launch>,
    rounds: usize,
}

impl Unrolled {
    fn append(&mut self, steps: &[Step]) -> Result<(), String> {
        for step in steps {
            match step {
                Step::Launch(launch) => self.launches.push(launch.at(&self.values)?),
                Step::Repeat { times, index, steps } => {
                    let times = whole(times, &self.values, 0.0, MOST_LAUNCHES as f64)? as usize;
                    // A round may have steps that are not repeated at all.
                    self.rounds += times * steps.len().max(1);
                    if self.rounds > MOST_ROUNDS {
                        return Err(format!("steps are repeated more than {MOST_ROUNDS} times"));
                    }
                    for time in 0..times {
                        self.values[*index] = time as f64;
                        self.append(steps)?;
                    }
                }
            }
            if self.launches.len() > MOST_LAUNCHES {
                return Err(format!("there are more than {MOST_LAUNCHES} launches"));
            }
        }
        Ok(())
    }
}

/// Fails where a moment is over.
fn in_time(deadline: Option<Instant>) -> Result<(), String> {
    match deadline.is_some_and(|deadline| Instant::now() >= deadline) {
        true => {
            Err("the time that was given was over before its inputs were made; give more (--minutes)"
                .to_owned())
        }
        false => Ok(()),
    }
}

impl PlannedLaunch {
    fn at(&self, values: &[f64]) -> Result<Launch, String> {
        let dimensions = |formulas: &[Expression], most: [u32; 3]| {
            let mut dimensions = [1; 3];
            for ((dimension, formula), most) in dimensions.iter_mut().zip(formulas).zip(most) {
                *dimension = whole(formula, values, 1.0, f64::from(most))? as u32;
            }
            Ok::<_, String>(dimensions)
        };
        let shared_bytes =
            self.shared_bytes.as_ref().map(|bytes| whole(bytes, values, 0.0, f64::from(1 << 20)));
        let arguments = self.arguments.iter().map(|argument| argument.at(values));
        Ok(Launch {
            kernel: self.kernel.clone(),
            grid: dimensions(&self.grid, [i32::MAX as u32, 65_535, 65_535])?,
            block: dimensions(&self.block, [1024, 1024, 64])?,
            shared_bytes: shared_bytes.transpose()?.unwrap_or(0.0) as u32,
            arguments: arguments.collect(),
        })
    }
}

impl PlannedArgument {
    fn at(&self, values: &[f64]) -> Argument {
        match self {
            Self::Buffer(at) => Argument::Buffer(*at),
            Self::Scalar(element, formula) => {
                let mut bytes = Vec::new();
                element.append(formula.value(values, &mut Random::new(0)), &mut bytes);
                Argument::Scalar(bytes)
            }
            Self::Struct(members) => {
                Argument::Struct(members.iter().map(|member| member.at(values)).collect())
            }
        }
    }
}

/// The value of a formula that has to be a whole number in a range.
fn whole(formula: &Expression, values: &[f64], least: f64, most: f64) -> Result<f64, String> {
    let value = formula.value(values, &mut Random::new(0));
    match value {
        _ if value.fract() != 0.0 || value.is_nan() => Err(format!(
            "`{}` is {value}, which is no whole number; ceil_div rounds up, floor_div down",
            formula.text
        )),
        _ if value < least || value > most => {
            Err(format!("`{}` is {value}, and has to be from {least} to {most}", formula.text))
        }
        _ => Ok(value),
    }
}

impl Buffer {
    fn bytes(
        &self,
        length: usize,
        values: &[f64],
        seed: u64,
        deadline: Option<Instant>,
    ) -> Result<Vec<u8>, String> {
        let size = length * self.element.bytes();
        let mut bytes = Vec::new();
        match &self.source {
            Source::File(file) => return self.read(file, length),
            // Nobody looks at what it holds before.
            Source::Values(_) if matches!(self.role, Role::Out | Role::Scratch) => return self.zeros(size),
            Source::Values(formula) => {
                bytes.try_reserve_exact(size).map_err(|_| self.no_memory(size))?;
                let mut values = values.to_vec();
                let at = values.len();
                values.push(0.0);
                let mut random = Random::new(seed);
                for element in 0..length {
                    if element.is_multiple_of(ELEMENTS_AT_ONCE) {
                        in_time(deadline)?;
                    }
                    values[at] = element as f64;
                    self.element.append(formula.value(&values, &mut random), &mut bytes);
                }
            }
        }
        Ok(bytes)
    }

    fn zeros(&self, size: usize) -> Result<Vec<u8>, String> {
        // Pages that are never touched take no memory, unlike those that are filled.
        Vec::<u8>::new().try_reserve_exact(size).map_err(|_| self.no_memory(size))?;
        Ok(vec![0; size])
    }

    fn no_memory(&self, size: usize) -> String {
        format!("there is no memory for the {size} bytes of `{}`; make it smaller", self.name)
    }

    fn read(&self, file: &Path, length: usize) -> Result<Vec<u8>, String> {
        let expected = (length * self.element.bytes()) as u64;
        let found = std::fs::metadata(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?
            .len();
        if found != expected {
            return Err(format!(
                "{} has {found} bytes, and `{}` takes {expected}",
                file.display(),
                self.name
            ));
        }
        nitro_core::files::read(file, expected)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))
    }
}
