//! The subject of an evolution: a PTX text with a workload.

use std::sync::Arc;

use nitro_ptx::emulate::{Emulator, Unsupported};
use nitro_ptx::{Base, DeviceVariable, Edit, Module, ParseError, PatchError, Proposal, Reason};

use crate::runner::{Assemble, Code};
use crate::words::several;
use crate::workload::{Argument, BufferVariable, Launch, Role, Set, Workload, WorkloadError};

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
    /// A kernel that the workload launches does what only a GPU can.
    #[error("{0}; with --device cuda:0 it runs on a GPU, where nothing has to be emulated")]
    NotEmulated(#[from] Unsupported),
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
        Some(known) if known.is_constant && role != Role::In => {
            format!("no kernel writes `{name}`, which is a constant; its role is \"in\"")
        }
        Some(_) => return Ok(()),
    };
    Err(WorkloadError::Text { file: workload.file().to_owned(), line, message }.into())
}

impl Subject {
    /// Reads a text, and checks that the launches of the workload fit it.
    ///
    /// # Errors
    /// When the text is no PTX, a kernel is not there, or takes other arguments.
    pub fn new(ptx: &str, workload: Workload) -> Result<Self, SubjectError> {
        let module = Module::parse(ptx)?;
        workload.variables().try_for_each(|variable| check_variable(&module, &workload, variable))?;
        let kernels = workload.kernels();
        // The host reads such a variable, of which each part has one of its own.
        let is_read = workload.variables().any(|(.., role)| role != Role::In);
        let apart = if is_read { vec![kernels] } else { module.apart(&kernels) };
        let apart = apart.into_iter().map(|group| group.into_iter().map(str::to_owned).collect()).collect();
        let subject = Self {
            base: Base::new(module).editing(&workload.kernels()),
            original: Code::text(Arc::from(ptx)),
            apart,
            workload,
        };
        let inputs = subject.workload.inputs(Set::Search, 0)?;
        inputs.launches.iter().chain(&inputs.judge).try_for_each(|launch| subject.check(launch))?;
        Ok(subject.proposing(Vec::new()))
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

    /// Returns the constants that launched kernels lead to and that begin with zeros, unless a buffer says what they
    /// hold: in the program they are from the host has set them.
    pub(crate) fn unset_constants(&self) -> Vec<String> {
        let all = self.base.module().variables_of(&self.workload.all_kernels());
        let is_set = |name: &str| self.workload.variables().any(|(variable, ..)| variable.name == name);
        let unset =
            all.into_iter().filter(|one| one.is_constant && !one.is_initialised && !is_set(&one.name));
        unset.map(|one| one.name).collect()
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
mod tests {
    use std::path::Path;
    use std::sync::Mutex;

    use nitro_ptx::Patch;

    use super::*;

    const PTX: &str = "\
.version 9.0
.target sm_90
.address_size 64
.const .u32 m = 7;
.visible .entry one() { .reg .b32 %r<3>; ld.const.u32 %r1, [m]; add.s32 %r2, %r1, 1; ret; }
.visible .entry other() { .reg .b32 %r<3>; ld.const.u32 %r1, [m]; ret; }
";
    const RUN: &str = "\
[[buffer]]
name = \"y\"
type = \"u32\"
length = \"1\"
role = \"out\"
[[step]]
kernel = \"one\"
grid = [1]
block = [1]
arguments = []
[[step]]
kernel = \"other\"
grid = [1]
block = [1]
arguments = []
[[search]]
[[validation]]
seed = 1
[[test]]
seed = 2
";

    /// Returns the texts that are assembled of a candidate, and the number of its images.
    fn texts(subject: &Subject, edits: &str, images: usize) -> (Vec<String>, usize) {
        let seen = Mutex::new(Vec::new());
        let patch = format!("patch of {}\n{edits}", subject.base().module().digest());
        let candidate = subject.kernels(&patch.parse::<Patch>().unwrap().edits).unwrap();
        let code = subject.assembled(&candidate, &|text| {
            seen.lock().unwrap().push(text.clone());
            Ok(Code { ptx: text.into(), images: vec![Arc::from(&b"code"[..]); images] })
        });
        let code = code.unwrap();
        assert_eq!(*code.ptx, candidate.to_string());
        (seen.into_inner().unwrap(), code.images.len())
    }

    #[test]
    fn arithmetic_is_approximate_only_where_an_error_is_permitted() {
        let ptx = PTX.replace("add.s32 %r2, %r1, 1;", "sqrt.rn.f32 %r2, %r1;");
        let subject = Subject::new(&ptx, Workload::parse(Path::new("k.toml"), RUN).unwrap()).unwrap();
        let proposed = |subject: &Subject| -> Vec<String> {
            let all = subject.base().proposed().filter(|own| own.reason == Reason::Precision);
            all.map(|proposal| proposal.operation.to_string()).collect()
        };
        assert!(proposed(&subject).is_empty());
        assert_eq!(proposed(&subject.clone().within(0.01)), ["approximate b1"]);
        assert!(proposed(&subject.within(0.01).within(0.0)).is_empty());
    }

    #[test]
    fn kernels_that_have_nothing_to_do_with_each_other_are_assembled_one_by_one() {
        let of = |ptx: &str| Subject::new(ptx, Workload::parse(Path::new("k.toml"), RUN).unwrap()).unwrap();
        let subject = of(PTX);
        let (before, images) = texts(&subject, "", 1);
        assert_eq!((before.len(), images), (2, 2));
        assert!(before[0].contains(".entry one") && !before[0].contains(".entry other"));
        let (after, _) = texts(&subject, "delete b1\n", 1);
        assert!(after[0] != before[0] && after[1] == before[1], "one of two is as it was");
        let (all, images) = texts(&subject, "", 0);
        let last = all.last().unwrap();
        assert!(
            images == 0 && last.contains(".entry one") && last.contains(".entry other"),
            "the driver takes it as a whole"
        );
        let sharing =
            of(&PTX.replace(".const .u32 m = 7;", ".global .u32 m = 7;").replace("ld.const", "ld.global"));
        assert_eq!(texts(&sharing, "", 1).0.len(), 1, "one could write what the other reads");
    }

    /// The workload with a buffer that is a variable.
    fn with_variable(lines: &str) -> String {
        format!("[[buffer]]\nname = \"m\"\ntype = \"u32\"\n{lines}\n{RUN}")
    }

    #[test]
    fn a_variable_has_to_be_there_as_large_as_its_buffer_and_no_result_where_it_is_a_constant() {
        let said = |ptx: &str, lines: &str| {
            let workload = Workload::parse(Path::new("k.toml"), &with_variable(lines)).unwrap();
            Subject::new(ptx, workload).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(said(PTX, "length = 1\nrole = \"in\"\nvariable = \"m\""), Ok(()));
        let known = [
            (
                "length = 1\nrole = \"in\"\nvariable = \"mm\"",
                "k.toml:6: there is no variable `mm` in the PTX, only m",
            ),
            (
                "length = 2\nrole = \"in\"\nvariable = \"m\"",
                "k.toml:6: the variable `m` has 4 bytes, and this buffer 8",
            ),
            (
                "length = 1\nrole = \"inout\"\nvariable = \"m\"",
                "k.toml:6: no kernel writes `m`, which is a constant; its role is \"in\"",
            ),
        ];
        for (lines, expected) in known {
            assert_eq!(said(PTX, lines), Err(expected.to_owned()));
        }
        let without =
            PTX.replace(".const .u32 m = 7;", "").replace("ld.const.u32 %r1, [m]", "mov.u32 %r1, 7");
        assert_eq!(
            said(&without, "length = 1\nrole = \"in\"\nvariable = \"m\""),
            Err("k.toml:6: there is no variable `m` in the PTX, which has none".to_owned())
        );
    }

    #[test]
    fn constants_that_no_buffer_sets_are_named_unless_the_text_does() {
        let of = |ptx: &str, run: &str| {
            Subject::new(ptx, Workload::parse(Path::new("k.toml"), run).unwrap()).unwrap()
        };
        let zeros = PTX.replace("m = 7;", "m;\n.const .u32 unread;");
        assert_eq!(of(PTX, RUN).unset_constants(), Vec::<String>::new());
        assert_eq!(of(&zeros, RUN).unset_constants(), ["m"]);
        let set = with_variable("length = 1\nrole = \"in\"\nvariable = \"m\"");
        assert_eq!(of(&zeros, &set).unset_constants(), Vec::<String>::new());
    }

    #[test]
    fn kernels_are_assembled_together_where_the_host_reads_a_variable() {
        let of = |role: &str| {
            let ptx = PTX.replace(".const .u32 m = 7;", ".const .u32 m = 7;\n.global .u32 v;");
            let lines = format!("length = 1\nrole = \"{role}\"\nvariable = \"v\"");
            let subject =
                Subject::new(&ptx, Workload::parse(Path::new("k.toml"), &with_variable(&lines)).unwrap());
            texts(&subject.unwrap(), "", 1).1
        };
        assert_eq!((of("in"), of("inout")), (2, 1));
    }
}
