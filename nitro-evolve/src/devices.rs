//! Which benches a command line asks for.

use nitro_train::BoxError;

use crate::Subject;
use crate::bench::{Bench, Code};
use crate::emulated::{EmulatorBench, EmulatorCheck};
use crate::evaluate::Assemble;
use crate::refine::Check;

/// What runs candidates, and what prepares and checks them.
pub(crate) struct Devices {
    pub benches: Vec<Box<dyn Bench>>,
    pub assemble: Box<Assemble<'static>>,
    pub checks: Vec<Box<dyn Check>>,
    /// Times are counted, and the same again.
    pub is_counted: bool,
}

/// The name of the emulator among devices.
const EMULATOR: &str = "emulator";

/// The devices of these names.
pub(crate) fn devices(names: &[String], subject: &Subject) -> Result<Devices, BoxError> {
    let is_counted = names.iter().any(|name| name == EMULATOR);
    if is_counted && names.len() > 1 {
        return Err(
            "--device emulator goes alone: what it counts and what a GPU takes cannot be compared".into()
        );
    }
    let [_] = names else { return Err("cuda".into()) };
    Ok(emulated(subject))
}

/// As many as there are cores.
fn emulated(subject: &Subject) -> Devices {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Devices {
        benches: (0..cores).map(|_| Box::new(EmulatorBench::new()) as _).collect(),
        assemble: Box::new(|text| Ok(Code { ptx: text.into(), image: None })),
        checks: race_check(subject).into_iter().collect(),
        is_counted: true,
    }
}

/// Looks for races where the PTX can be emulated.
fn race_check(subject: &Subject) -> Option<Box<dyn Check>> {
    let check = EmulatorCheck::new(subject.workload(), &subject.original().ptx);
    check.ok().map(|check| Box::new(check) as _)
}

/// Runs candidates for the process that started this one, on the device of this name.
pub(crate) fn serve(_names: &[String]) -> Result<(), BoxError> {
    Err("cuda".into())
}
