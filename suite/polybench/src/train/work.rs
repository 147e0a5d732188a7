//! The data that a function works on, and how it is called while its variants are measured.

use nitro_cuda::{Cuda, Executable, LaunchError, Stream};
use nitro_nest::{Nest, Program};
use nitro_train::{Artifact, BoxError, Session};

use crate::gpu::{Arrays, Error, Results, agree};

/// A nest's arrays on a device, and the nest as plain loops.
pub struct Work<'a> {
    arrays: Arrays<'a>,
    plain: Executable,
    device: Cuda,
}

impl<'a> Work<'a> {
    fn new(nest: &'a Nest, plain: &Program, sizes: Vec<i64>, device: Cuda) -> Result<Self, Error> {
        let plain = Executable::new(plain.plan(), device)?;
        Ok(Self { arrays: Arrays::new(nest, sizes, device)?, plain, device })
    }

    /// Returns the number of elements of all arrays.
    pub(super) fn elements(&self) -> usize {
        self.arrays.elements()
    }

    /// Runs a thread for each point of parallel loops, every sum in its order.
    pub(super) fn run_plain(&mut self) -> Result<(), LaunchError> {
        self.arrays.launch(&self.plain)
    }

    /// Runs generated code.
    pub(super) fn run(&mut self, kernel: Artifact) -> Result<(), LaunchError> {
        self.arrays.launch(&*Executable::of_artifact(kernel, self.device)?)
    }

    /// Calls a function on fresh data.
    fn call(&mut self, function: Call) -> Result<Results, Error> {
        self.arrays.restore()?;
        function(self)?;
        Ok(self.arrays.results()?)
    }
}

/// A function with variants.
pub(super) type Call = fn(&mut Work<'_>) -> Result<(), LaunchError>;

/// Records a function on inputs, each with its sizes: every variant has to give what plain loops give.
pub(super) fn record(
    session: &mut Session<'_>,
    nest: &Nest,
    plain: &Program,
    sizes: impl Fn(&str) -> Option<Vec<i64>>,
    function: Call,
) -> Result<(), BoxError> {
    for name in session.inputs("*") {
        let sizes = sizes(name).ok_or_else(|| format!("`{name}` is no input of {}", nest.name()))?;
        let mut work = Work::new(nest, plain, sizes, Stream::current()?.device())?;
        let same = |expected: &Result<Results, Error>, found: &Result<Results, Error>| match (expected, found)
        {
            (Ok(expected), Ok(found)) => agree(expected, found).is_ok_and(|agrees| agrees),
            _ => false,
        };
        session.checked_input(name, || work.call(function), same)?;
    }
    Ok(())
}

/// Lets a kernel be compiled for the architecture of a device. What goes wrong is told when it is launched.
pub(super) fn prepare(kernel: Artifact, device: &str) {
    if let Some(Ok(device)) = nitro_cuda::parse(device) {
        let _ = Executable::prepare(kernel, device.architecture(), nitro_cuda::Integers::Bits32);
    }
}
