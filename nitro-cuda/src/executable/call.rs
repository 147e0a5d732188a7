//! A call of an executable.

use nitro_launch::{Integers, Launch};

use crate::{Argument, Buffer, CudaError, Stream};

/// The values that an executable is called with, in the order of its plan.
pub(super) struct Call<'a> {
    pub stream: Stream,
    pub sizes: &'a [i64],
    pub scalars: &'a [f32],
    pub addresses: Vec<u64>,
    /// The elements of each temporary.
    pub temporaries: Vec<usize>,
    pub integers: Integers,
}

impl Call<'_> {
    /// Returns what a kernel takes: integers, scalars, arrays.
    pub fn arguments(&self, launch: &Launch, temporaries: &[Buffer<f32>]) -> Vec<Argument<'static>> {
        let integers = launch.integers.iter().map(|value| match self.integers {
            Integers::Bits32 => Argument::from(*value as i32),
            Integers::Bits64 => Argument::from(*value),
        });
        let scalars = self.scalars.iter().map(|value| Argument::from(*value));
        let addresses = self.addresses.iter().copied().chain(temporaries.iter().map(Buffer::pointer));
        integers.chain(scalars).chain(addresses.map(Argument::pointer)).collect()
    }

    pub fn temporaries(&self) -> Result<Vec<Buffer<f32>>, CudaError> {
        self.temporaries.iter().map(|length| Buffer::uninit_on(self.stream, *length)).collect()
    }
}
