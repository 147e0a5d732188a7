//! The buffers of a case on a device.

use nitro_cuda::{CudaError, GuardedBuffer, Module, Place, Stream, Variable};

use super::kernels::{self, Verdict, Verdicts};
use super::loaded::LoadedCode;
use crate::workload::{HostStep, InputBuffer, Inputs, Launch, Layout, Role};

/// The bytes of a page; mappings have whole ones.
const PAGE_BYTES: usize = 2 << 20;

/// A case that is ready to run.
pub(super) struct Case {
    pub(super) launches: Vec<Launch>,
    pub(super) host: Vec<HostStep>,
    /// What the host did in the last run, loops that it left early as far as they went.
    pub(super) done: Vec<HostStep>,
    pub(super) judge: Vec<Launch>,
    pub(super) buffers: Vec<CaseBuffer>,
    /// The time of the slowest timed run of the original; none before there was one.
    pub(super) slowest_ns: Option<f64>,
    /// The pattern of outputs before the original ran.
    golden_fill: u32,
}

/// A buffer that programs work on, with its content before and after the original.
pub(super) struct CaseBuffer {
    pub(super) name: String,
    pub(super) layout: Layout,
    pub(super) role: Role,
    /// The variable of modules that it is: programs work on theirs, and `work` has what goes there and comes from
    /// there.
    variable: Option<String>,
    /// The input, where it has pointers: these depend on where buffers are.
    pub(super) with_pointers: Option<Box<InputBuffer>>,
    pub(super) work: GuardedBuffer,
    /// The content at the beginning, unless that may be anything.
    pristine: Option<GuardedBuffer>,
    /// The result of the original, where it is a result.
    golden: Option<GuardedBuffer>,
    /// The distance of the original's results from run to run.
    pub(super) spread: f64,
}

/// Returns the pattern that fills buffers which may hold anything at the beginning.
///
/// It is not a number in every other run, and a very large one otherwise. The rest is of the run's number, so that no
/// two runs have the same.
pub(super) fn pattern(run: u64) -> u32 {
    let drawn = (run.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44) as u32; // 20 bits
    if run.is_multiple_of(2) { 0xfff0_0001 | drawn } else { 0x7e50_0000 | drawn }
}

/// Returns the byte beside buffers: another one in each run, so that results which depend on it differ.
fn canary(pattern: u32) -> u8 {
    pattern.to_le_bytes()[1]
}

/// Returns the bytes of a device's memory that a case takes.
pub(super) fn bytes(inputs: &Inputs) -> u64 {
    let mut total = 0;
    for buffer in &inputs.buffers {
        let copies = match buffer.role {
            Role::Scratch => 1,
            Role::In | Role::Out => 2,
            Role::InOut => 3,
        };
        total += (copies * buffer.bytes.len().max(1).next_multiple_of(PAGE_BYTES)) as u64;
    }
    total
}

impl Case {
    /// Brings a case to a device.
    pub(super) fn new(stream: Stream, inputs: Inputs) -> Result<Self, CudaError> {
        let Inputs { buffers, launches, host, judge } = inputs;
        let buffers = buffers.into_iter().map(|buffer| CaseBuffer::new(stream, buffer));
        let buffers = buffers.collect::<Result<_, _>>()?;
        Ok(Self { launches, host, done: Vec::new(), judge, buffers, slowest_ns: None, golden_fill: 0 })
    }

    /// Puts the buffers to one end of their mappings, and lets pointers point there.
    pub(super) fn place(&mut self, place: Place) -> Result<(), CudaError> {
        self.buffers.iter_mut().for_each(|buffer| buffer.work.place(place));
        let addresses: Vec<u64> = self.buffers.iter().map(|buffer| buffer.work.pointer()).collect();
        self.buffers.iter_mut().try_for_each(|buffer| match (&buffer.with_pointers, &mut buffer.pristine) {
            (Some(input), Some(pristine)) => pristine.copy_from_slice(&input.placed(&addresses)),
            _ => Ok(()),
        })
    }

    /// Fills all buffers as they are at the beginning.
    pub(super) fn restore(&mut self, pattern: u32) -> Result<(), CudaError> {
        self.buffers.iter_mut().try_for_each(|buffer| match &buffer.pristine {
            Some(pristine) => buffer.work.copy_from(pristine),
            None => buffer.work.fill(pattern),
        })
    }

    /// Marks what stands beside buffers, so that accesses there show in a run with this pattern.
    pub(super) fn set_canaries(&mut self, pattern: u32) -> Result<(), CudaError> {
        self.buffers.iter_mut().try_for_each(|buffer| buffer.work.fill_slack(canary(pattern)))
    }

    /// Fails where the original has no variable that a buffer is.
    pub(super) fn check_variables(&self, original: &LoadedCode) -> Result<(), String> {
        let is_missing = |buffer: &&CaseBuffer| {
            buffer.variable.is_some() && !original.modules().any(|module| buffer.variable(module).is_some())
        };
        match self.buffers.iter().find(is_missing) {
            Some(CaseBuffer { variable: Some(variable), .. }) => Err(format!(
                "the driver finds no variable `{variable}` in the PTX as it is; what no kernel uses an \
                 assembler leaves out"
            )),
            _ => Ok(()),
        }
    }

    /// Gives the variables of a program that are buffers what these hold.
    pub(super) fn set_variables(&self, program: &LoadedCode) -> Result<(), CudaError> {
        program.modules().try_for_each(|module| {
            let mut variables =
                self.buffers.iter().filter_map(|buffer| Some((buffer, buffer.variable(module)?)));
            variables.try_for_each(|(buffer, variable)| variable.copy_from(&buffer.work))
        })
    }

    /// Takes what a program has left in them. What it may write is in one module.
    pub(super) fn take_variables(&mut self, program: &LoadedCode) -> Result<(), CudaError> {
        program.modules().try_for_each(|module| {
            self.buffers.iter_mut().try_for_each(|buffer| match buffer.variable(module) {
                Some(variable) => variable.copy_to(&mut buffer.work),
                None => Ok(()),
            })
        })
    }

    /// Returns where a module finds each buffer.
    pub(super) fn addresses(&self, module: &Module) -> Vec<u64> {
        self.buffers.iter().map(|buffer| buffer.address(module)).collect()
    }

    /// Keeps the buffers as the results of the original, which was given this pattern.
    pub(super) fn keep_results(&mut self, pattern: u32) -> Result<(), CudaError> {
        self.golden_fill = pattern;
        self.buffers.iter_mut().try_for_each(|buffer| match &mut buffer.golden {
            Some(golden) => golden.copy_from(&buffer.work),
            None => Ok(()),
        })
    }

    /// Counts the numbers of each member of each buffer that the original changes, as far as comparisons tell.
    pub(super) fn written(&mut self, stream: Stream) -> Result<Vec<Vec<u64>>, CudaError> {
        // With the same pattern as the original, what neither wrote is the same in elements of few bits, too.
        self.restore(self.golden_fill)?;
        let untouched = self.verdicts(stream, self.golden_fill)?;
        let changed = |of_members: &Vec<Verdict>| {
            of_members.iter().map(|verdict| verdict.strayed + verdict.differing).collect()
        };
        Ok(untouched.iter().map(changed).collect())
    }

    /// Compares the buffers after a run that was given this pattern, each member by itself. Waits for it.
    pub(super) fn verdicts(&self, stream: Stream, pattern: u32) -> Result<Vec<Vec<Verdict>>, CudaError> {
        let members = self.buffers.iter().map(|buffer| buffer.layout.members.len());
        let verdicts = Verdicts::new(stream, members.clone().sum())?;
        let mut at = 0;
        for buffer in &self.buffers {
            buffer.judge(&verdicts, at, [pattern, self.golden_fill])?;
            at += buffer.layout.members.len();
        }
        let mut all = verdicts.to_vec()?.into_iter();
        Ok(members.map(|members| all.by_ref().take(members).collect()).collect())
    }
}

impl CaseBuffer {
    /// Brings a buffer to a device, with the copies that it is compared with.
    fn new(stream: Stream, input: InputBuffer) -> Result<Self, CudaError> {
        let with_pointers = input.targets().next().is_some().then(|| Box::new(input.clone()));
        let InputBuffer { name, layout, variable, role, bytes } = input;
        let (mut pristine, mut golden) = (None, None);
        if matches!(role, Role::In | Role::InOut) {
            let copy = pristine.insert(GuardedBuffer::new(stream, bytes.len())?);
            copy.copy_from_slice(&bytes)?;
        }
        if matches!(role, Role::Out | Role::InOut) {
            golden = Some(GuardedBuffer::new(stream, bytes.len())?);
        }
        let work = GuardedBuffer::new(stream, bytes.len())?;
        Ok(Self { name, layout, role, variable, with_pointers, work, pristine, golden, spread: 0.0 })
    }

    /// Returns the variable of a module that it is; none where it is memory of its own, or the module has none: what
    /// nothing names an assembler leaves out.
    pub(super) fn variable<'m>(&self, module: &'m Module) -> Option<Variable<'m>> {
        module.variable(self.variable.as_ref()?).ok()
    }

    /// Returns where a module finds it.
    pub(super) fn address(&self, module: &Module) -> u64 {
        self.variable(module).map_or(self.work.pointer(), |variable| variable.pointer())
    }

    /// Puts verdicts on it, the first of which has this number: one on each member.
    fn judge(&self, verdicts: &Verdicts, first: usize, fills: [u32; 2]) -> Result<(), CudaError> {
        verdicts.beside(first, &self.work, canary(fills[0]))?;
        match (&self.golden, &self.pristine) {
            (Some(golden), pristine) => {
                let fills = pristine.is_none().then_some(fills);
                for (at, member) in (first..).zip(&self.layout.members) {
                    verdicts.compare(at, (&self.work, golden), (member, self.layout.bytes), fills)?;
                }
                Ok(())
            }
            (None, Some(pristine)) => verdicts.changed(first, &self.work, pristine),
            (None, None) => Ok(()),
        }
    }

    /// Returns the number of its elements, margins included.
    pub(super) fn elements(&self) -> usize {
        self.work.len() / self.layout.bytes
    }

    /// Returns the distance of a result from the original's, by the verdicts on its members.
    pub(super) fn error(&self, verdicts: &[Verdict]) -> f64 {
        let members = self.layout.members.iter().zip(verdicts);
        let errors =
            members.map(|(member, own)| own.error(member.comparison, self.elements() * member.count));
        errors.fold(0.0, f64::max)
    }

    /// Gives an element of a result the original's value, unless the original changes it.
    pub(super) fn excuse(&self, stream: Stream, element: usize) -> Result<(), CudaError> {
        let Some((golden, pristine)) = self.golden.as_ref().zip(self.pristine.as_ref()) else {
            return Ok(());
        };
        let bytes = self.layout.bytes;
        let of = |buffer: &GuardedBuffer| buffer.pointer() + (element * bytes) as u64;
        kernels::excuse(stream, [&self.work, golden, pristine].map(of), bytes)
    }

    /// Describes what was done to memory that may not be written.
    pub(super) fn damage(&self, verdicts: &[Verdict]) -> Option<String> {
        let (name, bytes) = (&self.name, verdicts.iter().map(|verdict| verdict.damaged).sum::<u64>());
        (bytes > 0).then(|| match self.role {
            Role::In => format!("it changed the input `{name}`, or wrote beside it"),
            _ => format!("it wrote {bytes} bytes beside the buffer `{name}`"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Comparison, Element};

    #[test]
    fn what_outputs_hold_before_differs_from_run_to_run_and_is_no_number_every_other_time() {
        let patterns: Vec<u32> = (0..1000).map(pattern).collect();
        for (run, &pattern) in patterns.iter().enumerate() {
            let wide = u64::from(pattern) << 32 | u64::from(pattern);
            let is_number = run % 2 == 1;
            assert_eq!(!f32::from_bits(pattern).is_nan(), is_number, "{pattern:x}");
            assert_eq!(!f64::from_bits(wide).is_nan(), is_number, "{pattern:x}");
            assert!(!is_number || f32::from_bits(pattern) > 1e37, "{pattern:x}");
            assert_ne!(Some(&pattern), patterns.get(run + 2), "{run}");
            let next = patterns.get(run + 1);
            assert_ne!(Some(canary(pattern)), next.map(|&pattern| canary(pattern)), "{run}");
        }
    }

    #[test]
    fn memory_is_counted_in_pages_and_copies() {
        let buffer = |role, bytes| InputBuffer {
            name: "x".to_owned(),
            layout: Layout::numbers(Element::U8, Comparison::Exact),
            role,
            variable: None,
            bytes: vec![0; bytes],
        };
        let buffers =
            vec![buffer(Role::InOut, PAGE_BYTES + 1), buffer(Role::Scratch, 0), buffer(Role::In, 1)];
        let inputs = Inputs { buffers, launches: Vec::new(), host: Vec::new(), judge: Vec::new() };
        assert_eq!(bytes(&inputs), (6 + 1 + 2) * PAGE_BYTES as u64);
    }
}
