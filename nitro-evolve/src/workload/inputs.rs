//! The buffers and launches of one case.

use std::path::Path;
use std::time::Instant;

use nitro_stats::random::Random;

use super::element::Element;
use super::error::WorkloadError;
use super::expression::Expression;
use super::model::{Buffer, Case, Comparison, Role, Set, Source, Workload};
use super::step::{PlannedArgument, PlannedLaunch, Step};
use crate::memory;

/// The most bytes of all buffers of a case: what a host can prepare in reasonable time.
const MOST_BYTES: f64 = (16u64 << 30) as f64;
const MOST_LAUNCHES: usize = 100_000;
/// The most rounds of all repeated steps, also of those in which nothing is launched.
const MOST_ROUNDS: usize = 1_000_000;
/// The elements that are made between two looks at the clock.
const ELEMENTS_AT_ONCE: usize = 1 << 16;

/// The buffers and launches of one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// The buffers, in the order of the workload.
    pub buffers: Vec<InputBuffer>,
    /// The launches that count.
    pub launches: Vec<Launch>,
    /// The launches that run after them, as they were compiled.
    pub judge: Vec<Launch>,
}

impl Inputs {
    /// Returns the number of threads in all launches that count.
    pub(crate) fn threads(&self) -> u64 {
        let mut threads = 0u64;
        for launch in &self.launches {
            let [blocks, of_block] =
                [launch.grid, launch.block].map(|sizes| sizes.map(u64::from).iter().product());
            threads = threads.saturating_add(u64::saturating_mul(blocks, of_block));
        }
        threads
    }
}

/// A buffer with its content at the beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct InputBuffer {
    /// The name, for messages.
    pub name: String,
    /// The type of its elements.
    pub element: Element,
    /// Its use.
    pub role: Role,
    /// The comparison of its content, where it is a result.
    pub comparison: Comparison,
    /// Its little-endian elements. The content of an output before a run is up to the runner.
    pub bytes: Vec<u8>,
}

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The name of the kernel in the module.
    pub kernel: String,
    /// The blocks along x, y and z.
    pub grid: [u32; 3],
    /// The threads of a block along x, y and z.
    pub block: [u32; 3],
    /// The shared memory beside what the kernel declares.
    pub shared_bytes: u32,
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
}

impl Launch {
    /// Returns the bytes of each argument, where buffers have these addresses, by position.
    pub(crate) fn parameters(&self, addresses: &[u64]) -> Vec<Vec<u8>> {
        self.arguments.iter().map(|argument| argument.bytes(addresses)).collect()
    }
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
    /// Returns the bytes that the kernel takes for it.
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

    /// Returns the bytes of which its address is a multiple.
    fn alignment_bytes(&self) -> usize {
        match self {
            Self::Buffer(_) | Self::Scalar(_) => self.size_bytes().max(1),
            Self::Struct(members) => members.iter().map(Self::alignment_bytes).max().unwrap_or(1),
        }
    }

    /// Returns its bytes, where buffers have these addresses, by position.
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
    /// Makes the buffers and launches of a case.
    ///
    /// # Errors
    /// When its numbers make no sense, such as half a block, or a file cannot be read or has another length.
    ///
    /// # Panics
    /// If there is no such case.
    pub fn inputs(&self, set: Set, number: usize) -> Result<Inputs, WorkloadError> {
        self.inputs_of(self.of(set).nth(number).expect("there is such a case"))
    }

    /// Makes the buffers and launches of a case, as [`Workload::inputs`] does.
    pub(super) fn inputs_of(&self, case: &Case) -> Result<Inputs, WorkloadError> {
        self.made(case).map_err(|message| WorkloadError::Case {
            file: self.file.clone(),
            case: self.describe(case),
            message: message.replace(char::is_control, " "),
        })
    }

    /// Makes the buffers and launches of a case, or says why it makes no sense.
    fn made(&self, case: &Case) -> Result<Inputs, String> {
        in_time(self.deadline)?;
        let values = self.values(case);
        let lengths = self.lengths(&values, memory::free_bytes)?;
        let launches = self.launches(&self.steps, &values)?;
        let judge = self.launches(&self.judge, &values)?;
        // An element's value may name these; the indices of loops come behind them.
        let numbers = case.values.len() + self.definitions.len();
        let mut buffers = Vec::with_capacity(lengths.len());
        for (at, (buffer, length)) in self.buffers.iter().zip(lengths).enumerate() {
            let seed = case.seed ^ (at as u64) << 32;
            let bytes = buffer.bytes(length, &values[..numbers], seed, self.deadline)?;
            let Buffer { name, element, role, comparison, .. } = buffer.clone();
            buffers.push(InputBuffer { name, element, role, comparison, bytes });
        }
        Ok(Inputs { buffers, launches, judge })
    }

    /// Returns the numbers of a case, what follows from them, and room for the indices of loops.
    pub(super) fn values(&self, case: &Case) -> Vec<f64> {
        let mut values = case.values.clone();
        values.resize(self.names.len(), 0.0);
        for (at, formula) in &self.definitions {
            values[*at] = formula.value(&values, &mut Random::new(case.seed));
        }
        values
    }

    /// Returns the number of elements of each buffer, unless there is no memory for all of them.
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

    /// Returns the launches of steps, one after the other.
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
    /// Adds the launches of steps.
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
    /// Returns the launch for these numbers.
    fn at(&self, values: &[f64]) -> Result<Launch, String> {
        let shared_bytes = match &self.shared_bytes {
            Some(bytes) => whole(bytes, values, 0.0, f64::from(1 << 20))?,
            None => 0.0,
        };
        Ok(Launch {
            kernel: self.kernel.clone(),
            grid: dimensions(&self.grid, values, [i32::MAX as u32, 65_535, 65_535])?,
            block: dimensions(&self.block, values, [1024, 1024, 64])?,
            shared_bytes: shared_bytes as u32,
            arguments: self.arguments.iter().map(|argument| argument.at(values)).collect(),
        })
    }
}

/// Returns the dimensions of a grid or a block, those that are missing as 1.
fn dimensions(formulas: &[Expression], values: &[f64], most: [u32; 3]) -> Result<[u32; 3], String> {
    let mut dimensions = [1; 3];
    for ((dimension, formula), most) in dimensions.iter_mut().zip(formulas).zip(most) {
        *dimension = whole(formula, values, 1.0, f64::from(most))? as u32;
    }
    Ok(dimensions)
}

impl PlannedArgument {
    /// Returns the argument for these numbers.
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

/// Returns the value of a formula that has to be a whole number in a range.
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
    /// Makes the content of a case, with a value of each element by its position.
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

    /// Makes a content of zeros.
    fn zeros(&self, size: usize) -> Result<Vec<u8>, String> {
        // Pages that are never touched take no memory, unlike those that are filled.
        Vec::<u8>::new().try_reserve_exact(size).map_err(|_| self.no_memory(size))?;
        Ok(vec![0; size])
    }

    /// Says that there is no memory.
    fn no_memory(&self, size: usize) -> String {
        format!("there is no memory for the {size} bytes of `{}`; make it smaller", self.name)
    }

    /// Reads the content from a file of that length.
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
