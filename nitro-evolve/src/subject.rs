//! The subject of an evolution: a PTX text with a workload.

use std::collections::HashSet;
use std::sync::Arc;

use nitro_ptx::emulate::{Emulator, Unsupported};
use nitro_ptx::{
    Base, DeviceVariable, Edit, Module, ParseError, PatchError, Proposal, Reason, TextureAccess,
};

use crate::runner::{Assemble, Code};
use crate::words::several;
use crate::workload::{
    Argument, BufferVariable, HostStep, Inputs, Launch, Role, Set, Workload, WorkloadError,
};

/// A PTX text with a workload that fits it.
#[derive(Clone, Debug)]
pub struct Subject {
    workload: Workload,
    base: Base,
    original: Code,
    /// The edited kernels, in groups that can be assembled apart.
    apart: Vec<Vec<String>>,
}

/// An error of a text and a workload that do not fit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubjectError {
    /// The text is not PTX.
    #[error(transparent)]
    Ptx(#[from] ParseError),
    /// A case of the workload makes no sense.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The workload launches what is not there.
    #[error("there is no kernel `{kernel}` in the PTX, {}", only(known))]
    NoKernel {
        /// The kernel that is launched.
        kernel: String,
        /// The kernels that there are.
        known: Vec<String>,
    },
    /// A launch has arguments that the kernel does not take.
    #[error(
        "`{kernel}` takes arguments of {} bytes, and the workload gives it some of {}",
        listed(taken),
        listed(given)
    )]
    Arguments {
        /// The kernel.
        kernel: String,
        /// Bytes of each parameter.
        taken: Vec<usize>,
        /// Bytes of each argument.
        given: Vec<usize>,
    },
    /// A kernel that the workload launches takes a texture or a surface.
    #[error("{}`{}` in `{}` takes a texture or a surface, which a workload cannot bind; a kernel that loads from a \
             buffer instead, as by `__ldg`, can be evolved, and so can the PTX's other kernels",
            at_line(.0.line), .0.opcode, .0.function)]
    Texture(TextureAccess),
    /// A kernel that the workload launches does what only a GPU can.
    #[error("{0}; with --device cuda:0 it runs on a GPU, where nothing has to be emulated")]
    NotEmulated(#[from] Unsupported),
}

/// Says on which line something stands.
fn at_line(line: Option<usize>) -> String {
    line.map(|line| format!("line {line}: ")).unwrap_or_default()
}

/// Says which kernels there are.
fn only(known: &[String]) -> String {
    match known {
        [] => "which has no kernel at all".to_owned(),
        _ => format!("only {}; `kernel` under [[step]] names one", several(known)),
    }
}

/// Lists numbers of bytes.
fn listed(bytes: &[usize]) -> String {
    match bytes {
        [] => "no".to_owned(),
        _ => bytes.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// Checks that a buffer is a variable of a module, which has as many bytes.
fn check_variable(
    module: &Module,
    workload: &Workload,
    (variable, bytes, role): (&BufferVariable, u64, Role),
) -> Result<(), SubjectError> {
    let (name, line) = (&variable.name, variable.line);
    let known: Vec<DeviceVariable> = module.variables().collect();
    let message = match known.iter().find(|known| known.name == *name) {
        None => {
            let names: Vec<&str> = known.iter().map(|known| known.name.as_str()).collect();
            let only = if names.is_empty() {
                "which has none".to_owned()
            } else {
                format!("only {}", several(&names))
            };
            format!("there is no variable `{name}` in the PTX, {only}")
        }
        Some(known) if known.bytes as u64 != bytes => {
            format!("the variable `{name}` has {} bytes, and this buffer {bytes}", known.bytes)
        }
        Some(known) if known.is_constant && matches!(role, Role::Out | Role::InOut) => {
            format!(
                "no kernel writes `{name}`, which is a constant; its role is \"in\", or \"scratch\" for a copy"
            )
        }
        Some(_) => return Ok(()),
    };
    Err(of_workload(workload, line, &message))
}

/// Returns the error of a line of a workload.
fn of_workload(workload: &Workload, line: usize, message: &str) -> SubjectError {
    // Names are whatever somebody wrote.
    let message = message.replace(char::is_control, " ");
    WorkloadError::Text { file: workload.file().to_owned(), line, message }.into()
}

impl Subject {
    /// Reads a text, and checks that the launches of the workload fit it.
    ///
    /// # Errors
    /// When the text is no PTX, a kernel is not there, takes other arguments or a texture, or a buffer is a variable
    /// that is not there.
    pub fn new(ptx: &str, workload: Workload) -> Result<Self, SubjectError> {
        let module = Module::parse(ptx)?;
        workload.variables().try_for_each(|variable| check_variable(&module, &workload, variable))?;
        let kernels = workload.kernels();
        let constants: HashSet<String> =
            module.variables().filter(|one| one.is_constant).map(|one| one.name).collect();
        // The host looks at others, of which each part has one of its own.
        let are_constants = workload.variables().all(|(variable, ..)| constants.contains(&variable.name));
        let apart = if are_constants { module.apart(&kernels) } else { vec![kernels] };
        let apart = apart.into_iter().map(|group| group.into_iter().map(str::to_owned).collect()).collect();
        let subject = Self {
            base: Base::new(module).editing(&workload.kernels()),
            original: Code::text(Arc::from(ptx)),
            apart,
            workload,
        };
        let inputs = subject.workload.inputs(Set::Search, 0)?;
        subject.check_cleared(&inputs, &constants)?;
        inputs.launches.iter().chain(&inputs.judge).try_for_each(|launch| subject.check(launch))?;
        match subject.base.module().texture_access(&subject.workload.all_kernels()) {
            Some(found) => Err(SubjectError::Texture(found)),
            None => Ok(subject.proposing(Vec::new())),
        }
    }

    /// Checks that the host clears no constant, since what clears on a device is a kernel.
    fn check_cleared(&self, inputs: &Inputs, constants: &HashSet<String>) -> Result<(), SubjectError> {
        let cleared = inputs.host.iter().filter_map(|step| match step {
            HostStep::Clear(buffer) => inputs.buffers[*buffer].variable.as_ref(),
            _ => None,
        });
        let Some(name) = cleared.into_iter().find(|name| constants.contains(*name)) else { return Ok(()) };
        let named = self.workload.variables().find(|(variable, ..)| variable.name == *name);
        let line = named.map_or(1, |(variable, ..)| variable.line);
        let message = format!("nothing clears `{name}`, which is a constant; copy zeros to it");
        Err(of_workload(&self.workload, line, &message))
    }

    /// Checks that a kernel takes the arguments of a launch.
    fn check(&self, launch: &Launch) -> Result<(), SubjectError> {
        let module = self.base.module();
        let kernel = launch.kernel.clone();
        let Some(taken) = module.parameter_bytes(&kernel) else {
            return Err(SubjectError::NoKernel {
                kernel,
                known: module.kernel_names().map(str::to_owned).collect(),
            });
        };
        let given: Vec<usize> = launch.arguments.iter().map(Argument::size_bytes).collect();
        match taken == given {
            true => Ok(()),
            false => Err(SubjectError::Arguments { kernel, taken, given }),
        }
    }

    /// Checks that the emulator knows all that is launched.
    ///
    /// # Errors
    /// The first thing that it does not know, in the kernels that the workload launches or what these call. On a
    /// GPU the text may run all the same.
    pub fn check_emulated(&self) -> Result<(), SubjectError> {
        Emulator::for_kernels(self.base.module(), &self.workload.all_kernels())?;
        Ok(())
    }

    /// Returns the variables that launched kernels lead to and that begin with zeros, unless a buffer is one: in the
    /// program they are from the host may have set them, or have read them.
    pub(crate) fn unnamed_variables(&self) -> Vec<DeviceVariable> {
        let mut all = self.base.module().variables_of(&self.workload.all_kernels());
        let is_named = |name: &str| self.workload.variables().any(|(variable, ..)| variable.name == name);
        all.retain(|one| !one.is_initialised && !is_named(&one.name));
        all
    }

    /// Returns the same with these among the edits that are drawn, beside those that the text itself suggests.
    #[must_use]
    pub fn proposing(self, mut proposals: Vec<Proposal>) -> Self {
        let is_exact = self.workload.max_error() == 0.0;
        let of_text = self.base.rewrites();
        proposals.extend(of_text.into_iter().filter(|own| !is_exact || own.reason != Reason::Precision));
        Self { base: self.base.proposing(proposals), ..self }
    }

    /// Returns the same with another permitted error than the workload's. Forgets what was proposed.
    #[must_use]
    pub fn within(self, max_error: f64) -> Self {
        Self { workload: self.workload.within(max_error), ..self }.proposing(Vec::new())
    }

    /// Returns the workload.
    #[must_use]
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// Returns the text as data, with the edits that it permits.
    #[must_use]
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// Returns the text as it was compiled.
    #[must_use]
    pub fn original(&self) -> &Code {
        &self.original
    }

    /// Returns the text of a candidate: the edited kernels, and what they call.
    ///
    /// # Errors
    /// When the edits cannot be made together.
    pub fn candidate(&self, edits: &[Edit]) -> Result<String, PatchError> {
        Ok(self.kernels(edits)?.to_string())
    }

    /// Assembles a candidate, or another form of it. Kernels that share nothing are assembled one by one.
    pub(crate) fn assembled(&self, candidate: &Module, assemble: &Assemble<'_>) -> Result<Code, String> {
        let whole = candidate.to_string();
        let mut images = Vec::with_capacity(self.apart.len());
        for group in self.apart.iter().filter(|_| self.apart.len() > 1) {
            let names: Vec<&str> = group.iter().map(String::as_str).collect();
            let text = candidate.text_of(&names).ok_or("a kernel is not there any more")?;
            images.extend(assemble(text)?.images);
        }
        // Without an assembler there are no parts.
        if images.is_empty() { assemble(whole) } else { Ok(Code { ptx: whole.into(), images }) }
    }

    /// Assembles the kernels without any edit.
    pub(crate) fn unedited(&self, assemble: &Assemble<'_>) -> Result<Code, String> {
        let kernels = self.kernels(&[]).map_err(|error| error.to_string())?;
        self.assembled(&kernels, assemble)
    }

    /// Returns a candidate as data: the edited kernels, and what they call.
    pub(crate) fn kernels(&self, edits: &[Edit]) -> Result<Module, PatchError> {
        let edited = self.base.apply(edits)?;
        Ok(edited.kernels(&self.workload.kernels()).unwrap_or(edited))
    }

    /// Returns the whole text with these edits.
    ///
    /// # Errors
    /// As [`Subject::candidate`].
    pub fn patched(&self, edits: &[Edit]) -> Result<String, PatchError> {
        Ok(self.base.apply(edits)?.to_string())
    }
}

#[cfg(test)]
mod tests;
