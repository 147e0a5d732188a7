//! Kernels that are compiled and run here.

use nitro_ptx::Module;
use nitro_ptx::emulate::{Emulator, Fault, Launch, Launched, Memory, Options};

use crate::support::{compile, nvcc};

/// The kernels of `kernels.cu`; none leaves the test out.
pub fn kernels() -> Option<Module> {
    let text = compile(&nvcc()?, include_str!("kernels.cu"));
    Some(Module::parse(&text).unwrap())
}

pub fn emulator(module: &Module, kernel: &str) -> Emulator {
    Emulator::new(&module.kernels(&[kernel]).unwrap()).unwrap_or_else(|unsupported| panic!("{unsupported}"))
}

/// What a thread does not know of its order, and what is looked for.
pub fn orders() -> impl Iterator<Item = Options> {
    let options =
        |(seed, adversarial)| Options { seed, adversarial, uninitialised: true, ..Options::default() };
    (0..4).flat_map(|seed| [(seed, false), (seed, true)]).map(options)
}

/// A launch with one dimension each.
pub fn launch(
    emulator: &Emulator,
    kernel: &str,
    (grid, block): ([u32; 3], [u32; 3]),
    parameters: &[Vec<u8>],
    memory: &mut Memory,
    options: &Options,
) -> Result<Launched, Fault> {
    emulator.launch(&Launch { kernel, grid, block, shared_bytes: 1024, parameters }, memory, options)
}

/// Values as they are in memory, and back.
pub trait Bytes: Sized + Copy {
    fn to_bytes(self) -> Vec<u8>;
    fn of_bytes(bytes: &[u8]) -> Self;
}

macro_rules! bytes {
    ($($kind:ty),*) => { $(
        impl Bytes for $kind {
            fn to_bytes(self) -> Vec<u8> { self.to_le_bytes().to_vec() }
            fn of_bytes(bytes: &[u8]) -> Self { Self::from_le_bytes(bytes.try_into().unwrap()) }
        }
    )* };
}
bytes!(u8, i32, u32, i64, u64, f32, f64);

pub fn pack<T: Bytes>(values: &[T]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_bytes()).collect()
}

pub fn unpack<T: Bytes>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks(size_of::<T>()).map(T::of_bytes).collect()
}
