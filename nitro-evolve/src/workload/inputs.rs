//! The buffers and launches of one case.

use std::borrow::Cow;
use std::time::Instant;

use nitro_stats::random::Random;

use super::error::WorkloadError;
use super::expression::Expression;
use super::layout::{Layout, Scalar};
use super::model::{Buffer, Case, Role, Set, Workload};
use super::step::{PlannedArgument, PlannedLaunch};
use super::unroll::HostStep;
use crate::memory;

/// The most bytes of all buffers of a case: what a host can prepare in reasonable time.
pub(super) const MOST_BYTES: f64 = (16u64 << 30) as f64;

/// The buffers and launches of one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// The buffers, in the order of the workload.
    pub buffers: Vec<InputBuffer>,
    /// The launches that count, all that there may be.
    pub launches: Vec<Launch>,
    /// The steps of the host, in order: launches, and what decides which of them there are.
    pub host: Vec<HostStep>,
    /// The launches that run after them, as they were compiled.
    pub judge: Vec<Launch>,
}

impl Inputs {
    /// Returns `true` if a loop ends by the buffer of this number.
    pub(crate) fn is_flag(&self, buffer: usize) -> bool {
        self.host.iter().any(|step| matches!(step, HostStep::Leave { flag, .. } if *flag == buffer))
    }

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
    /// The layout of its elements.
    pub layout: Layout,
    /// The variable of the module that it is, by its name in the PTX; none where it is memory of its own.
    pub variable: Option<String>,
    /// Its use.
    pub role: Role,
    /// Its little-endian elements. The content of an output before a run is up to the runner. A pointer is how far it
    /// points behind the beginning of its buffer, until that has an address.
    pub bytes: Vec<u8>,
}

impl InputBuffer {
    /// Returns the buffers that its elements point to, by their positions; some more than once.
    pub(crate) fn targets(&self) -> impl Iterator<Item = usize> {
        self.layout.members.iter().filter_map(|member| member.pointer)
    }

    /// Returns its elements where buffers have these addresses, by position.
    pub(crate) fn placed(&self, addresses: &[u64]) -> Cow<'_, [u8]> {
        if self.targets().next().is_none() {
            return Cow::Borrowed(&self.bytes);
        }
        let mut bytes = self.bytes.clone();
        for element in bytes.chunks_exact_mut(self.layout.bytes) {
            for Scalar { offset_bytes, pointer, .. } in self.layout.scalars() {
                let Some(to) = pointer else { continue };
                if let Some(place) = element[offset_bytes..].first_chunk_mut() {
                    *place = u64::from_le_bytes(*place).wrapping_add(addresses[to]).to_le_bytes();
                }
            }
        }
        Cow::Owned(bytes)
    }
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
    /// An address behind the beginning of a buffer.
    Within {
        /// The position of the buffer.
        buffer: usize,
        /// How far behind its beginning.
        offset_bytes: u64,
    },
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
            Self::Buffer(_) | Self::Within { .. } => 8,
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
            Self::Buffer(_) | Self::Within { .. } | Self::Scalar(_) => self.size_bytes().max(1),
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
            Self::Within { buffer, offset_bytes } => {
                (addresses[*buffer] + offset_bytes).to_le_bytes().to_vec()
            }
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
        let (launches, host) = self.unrolled(&self.steps, &values)?;
        let (judge, _) = self.unrolled(&self.judge, &values)?;
        // An element's value may name these; the indices of loops come behind them.
        let numbers = case.values.len() + self.definitions.len();
        let mut buffers = Vec::with_capacity(lengths.len());
        for (at, (buffer, &length)) in self.buffers.iter().zip(&lengths).enumerate() {
            let margin = buffer.margin(&values)?;
            let seed = case.seed ^ (at as u64) << 32;
            let mut bytes = buffer.bytes((length, margin), &values[..numbers], seed, self.deadline)?;
            self.point(buffer, &mut bytes, &values, &lengths)?;
            let variable = buffer.variable.as_ref().map(|variable| variable.name.clone());
            let (name, layout) = (buffer.name.clone(), buffer.layout.clone());
            buffers.push(InputBuffer { name, layout, variable, role: buffer.role, bytes });
        }
        Ok(Inputs { buffers, launches, host, judge })
    }

    /// Turns the numbers of elements that pointers of a buffer have into bytes behind the beginnings of their buffers.
    fn point(
        &self,
        buffer: &Buffer,
        bytes: &mut [u8],
        values: &[f64],
        lengths: &[usize],
    ) -> Result<(), String> {
        let scalars: Vec<Scalar> =
            buffer.layout.scalars().filter(|scalar| scalar.pointer.is_some()).collect();
        for element in bytes.chunks_exact_mut(buffer.layout.bytes).filter(|_| !scalars.is_empty()) {
            for Scalar { offset_bytes, pointer, .. } in &scalars {
                let Some((to, place)) = pointer.zip(element[*offset_bytes..].first_chunk_mut()) else {
                    continue;
                };
                let target = &self.buffers[to];
                let at = i64::from_le_bytes(*place).saturating_add(target.margin(values)? as i64);
                if !(0..=lengths[to] as i64).contains(&at) {
                    return Err(format!("`{}` points beside `{}`", buffer.name, target.name));
                }
                *place = (at as u64 * target.layout.bytes as u64).to_le_bytes();
            }
        }
        Ok(())
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

    /// Returns the number of elements of each buffer with its margins, unless there is no memory for all of them.
    pub(super) fn lengths(
        &self,
        values: &[f64],
        free_bytes: impl Fn() -> Option<u64>,
    ) -> Result<Vec<usize>, String> {
        let mut total = 0.0;
        let mut lengths = Vec::new();
        for buffer in &self.buffers {
            let margin = buffer.margin(values)?;
            let length = whole(&buffer.length, values, 0.0, MOST_BYTES)? + 2.0 * margin as f64;
            total += length * buffer.layout.bytes as f64;
            if total > MOST_BYTES {
                return Err(format!("the buffers take more than {} GiB", MOST_BYTES / f64::from(1 << 30)));
            }
            lengths.push(length as usize);
        }
        memory::check("the buffers", total as u64, free_bytes)?;
        Ok(lengths)
    }
}

/// Fails where a moment is over.
pub(super) fn in_time(deadline: Option<Instant>) -> Result<(), String> {
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
    pub(super) fn at(&self, values: &[f64]) -> Result<Launch, String> {
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
            Self::Buffer(at, None) => Argument::Buffer(*at),
            Self::Buffer(at, Some((bytes, margin))) => {
                let margin = margin.value(values, &mut Random::new(0)) as u64;
                Argument::Within { buffer: *at, offset_bytes: margin * *bytes as u64 }
            }
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
pub(super) fn whole(formula: &Expression, values: &[f64], least: f64, most: f64) -> Result<f64, String> {
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
