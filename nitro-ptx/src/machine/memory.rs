//! Global memory: buffers, and the variables of modules.

use super::bytes::Bytes;
use super::image::Image;
use super::source::{APART, VARIABLES};

/// The global memory of launches: buffers at addresses far from each other, so that an access beyond one is found.
///
/// ```
/// use nitro_ptx::emulate::Memory;
///
/// let mut memory = Memory::new();
/// let (first, second) = (memory.allocate(vec![1, 2, 3]), memory.allocate_uninitialised(8));
/// assert_ne!(first, second);
/// assert_eq!(memory.bytes(first), [1, 2, 3]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub(crate) buffers: Vec<Bytes>,
    /// The variables that are buffers, by their names, with the buffers' positions.
    bound: Vec<(String, usize)>,
    /// Of each module that has run, by its number.
    modules: Vec<(u64, Vec<Bytes>)>,
}

/// The value of bytes that nobody has written.
const FILLER: u8 = 0xcd;

impl Memory {
    /// Memory without buffers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A buffer with these bytes: the address of its first one, a multiple of every alignment that there is.
    pub fn allocate(&mut self, bytes: Vec<u8>) -> u64 {
        self.buffers.push(Bytes::written(bytes));
        (self.buffers.len() as u64) << APART
    }

    /// A buffer of so many bytes that nobody has written: with
    /// [`Options::uninitialised`](crate::emulate::Options::uninitialised) it is a fault to read them before.
    pub fn allocate_uninitialised(&mut self, length_bytes: usize) -> u64 {
        self.buffers.push(Bytes::unwritten(vec![FILLER; length_bytes]));
        (self.buffers.len() as u64) << APART
    }

    /// The bytes of a buffer.
    ///
    /// # Panics
    /// When the address is none that was given for a buffer.
    #[must_use]
    pub fn bytes(&self, buffer: u64) -> &[u8] {
        &self.buffers[index(buffer)].data
    }

    /// Writes bytes of a buffer from one of them on, as a host does between launches. Others stay as they are.
    ///
    /// ```
    /// use nitro_ptx::Module;
    /// use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};
    ///
    /// let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x) {\n\
    ///             .reg .b32 %r<2>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [x]; ld.global.u32 %r1, [%rd1+4]; ret; }";
    /// let emulator = Emulator::new(&Module::parse(text)?)?;
    /// let mut memory = Memory::new();
    /// let x = memory.allocate_uninitialised(8);
    /// let options = Options { uninitialised: true, ..Options::default() };
    /// let parameters = [x.to_le_bytes().to_vec()];
    /// let launch = Launch { kernel: "k", grid: [1; 3], block: [1; 3], shared_bytes: 0, parameters: &parameters };
    /// memory.write(x, 0, &[1, 2, 3, 4]);
    /// assert!(emulator.launch(&launch, &mut memory, &options).is_err(), "nobody has written the others");
    /// memory.write(x, 4, &[5, 6, 7, 8]);
    /// assert!(emulator.launch(&launch, &mut memory, &options).is_ok());
    /// assert_eq!(memory.bytes(x), [1, 2, 3, 4, 5, 6, 7, 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// When the address is none that was given for a buffer, or the buffer has fewer bytes.
    pub fn write(&mut self, buffer: u64, at: usize, bytes: &[u8]) {
        let own = &mut self.buffers[index(buffer)];
        own.data[at..at + bytes.len()].copy_from_slice(bytes);
        own.note_written(at, bytes.len());
    }

    /// Makes all bytes of a buffer 0, as a host does between launches.
    ///
    /// # Panics
    /// When the address is none that was given for a buffer.
    pub fn clear(&mut self, buffer: u64) {
        let bytes = &mut self.buffers[index(buffer)];
        *bytes = Bytes::written(vec![0; bytes.data.len()]);
    }

    /// Makes a buffer the variable of this name in whatever module runs, as where a host copies to it before and from
    /// it afterwards. It has to have the variable's size.
    ///
    /// ```
    /// use nitro_ptx::Module;
    /// use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};
    ///
    /// let text = ".version 9.0\n.target sm_90\n.address_size 64\n.const .u32 by;\n.visible .global .u32 sum;\n\
    ///             .visible .entry k() { .reg .b32 %r<3>; ld.const.u32 %r1, [by];\n\
    ///             atom.global.add.u32 %r2, [sum], %r1; ret; }";
    /// let emulator = Emulator::new(&Module::parse(text)?)?;
    /// let mut memory = Memory::new();
    /// let (by, sum) = (memory.allocate(vec![7, 0, 0, 0]), memory.allocate(vec![1, 0, 0, 0]));
    /// memory.bind("by", by);
    /// memory.bind("sum", sum);
    /// let launch = Launch { kernel: "k", grid: [2, 1, 1], block: [1; 3], shared_bytes: 0, parameters: &[] };
    /// emulator.launch(&launch, &mut memory, &Options::default())?;
    /// assert_eq!(memory.bytes(sum), [15, 0, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// When the address is none that was given for a buffer.
    pub fn bind(&mut self, variable: &str, buffer: u64) {
        let at = index(buffer);
        assert!(at < self.buffers.len(), "there is no buffer at {buffer:#x}");
        self.bound.push((variable.to_owned(), at));
    }

    /// Returns the buffers that variables of a module are, by the variables' positions; nothing where none is one.
    pub(crate) fn bound(&self, image: &Image) -> Vec<Option<usize>> {
        if self.bound.is_empty() {
            return Vec::new();
        }
        let buffer = |name: &str| self.bound.iter().find(|(bound, _)| bound == name).map(|(_, at)| *at);
        image.variables.iter().map(|variable| buffer(&variable.name)).collect()
    }

    /// The variables of a module, as they are since its last launch.
    pub(crate) fn variables(&self, module: u64) -> Option<&[Bytes]> {
        self.modules.iter().find(|(own, _)| *own == module).map(|(_, variables)| variables.as_slice())
    }

    /// Both, for a launch; variables of a module that runs first get their values.
    pub(crate) fn parts(&mut self, module: u64, image: &Image) -> (&mut [Bytes], &mut [Bytes]) {
        // A module's variables keep their values from launch to launch.
        let at = self.modules.iter().position(|(own, _)| *own == module).unwrap_or_else(|| {
            let initial = image.variables.iter().map(|variable| {
                // What is zero takes no memory until it is touched.
                let mut bytes = vec![0; variable.length_bytes];
                bytes[..variable.initial.len()].copy_from_slice(&variable.initial);
                Bytes::written(bytes)
            });
            self.modules.push((module, initial.collect()));
            self.modules.len() - 1
        });
        (&mut self.buffers, &mut self.modules[at].1)
    }
}

pub(crate) fn index(buffer: u64) -> usize {
    ((buffer >> APART) as usize).wrapping_sub(1)
}

/// Returns the number of the buffer, or of the module's variable, that an address is in, and the offset there.
#[inline]
pub(crate) fn split(address: u64) -> (usize, bool, u64) {
    let number = (address >> APART) as usize;
    let of_module = (VARIABLES >> APART) as usize;
    let offset = address & ((1 << APART) - 1);
    if number > of_module {
        (number - of_module - 1, true, offset)
    } else {
        (number.wrapping_sub(1), false, offset)
    }
}
