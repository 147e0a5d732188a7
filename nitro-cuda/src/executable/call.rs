//! A call of an executable.

use nitro_launch::{Element, Integers, Launch};

use crate::{Argument, Buffer, CudaError, Stream};

/// The values that an executable is called with, in the order of its plan.
pub(super) struct Call<'a> {
    pub stream: Stream,
    pub sizes: &'a [i64],
    /// The bits of numbers of the type `element`.
    pub scalars: Vec<u64>,
    pub element: Element,
    /// Those of arrays of numbers, and then of subscripts.
    pub addresses: Vec<u64>,
    /// The number of arrays of numbers.
    pub arrays: usize,
    /// The elements of each temporary.
    pub temporaries: Vec<usize>,
    pub integers: Integers,
}

/// Bytes of a temporary that are allocated together.
const WORD: usize = size_of::<u32>();

impl Call<'_> {
    /// Returns what a kernel takes: integers, scalars, arrays, temporaries, subscripts.
    pub fn arguments(&self, launch: &Launch, temporaries: &[Buffer<u32>]) -> Vec<Argument<'static>> {
        let integers = launch.integers.iter().map(|value| match self.integers {
            Integers::Bits32 => Argument::from(*value as i32),
            Integers::Bits64 => Argument::from(*value),
        });
        let scalars = self.scalars.iter().map(|bits| match self.element {
            Element::F32 => Argument::from(*bits as u32),
            Element::F64 => Argument::from(*bits),
        });
        let (arrays, indices) = self.addresses.split_at(self.arrays);
        let addresses = arrays.iter().copied().chain(temporaries.iter().map(Buffer::pointer));
        let addresses = addresses.chain(indices.iter().copied());
        integers.chain(scalars).chain(addresses.map(Argument::pointer)).collect()
    }

    pub fn temporaries(&self) -> Result<Vec<Buffer<u32>>, CudaError> {
        let words = self.element.bytes() / WORD;
        self.temporaries.iter().map(|length| Buffer::uninit_on(self.stream, length * words)).collect()
    }
}
