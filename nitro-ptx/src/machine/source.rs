//! Operands whose names are resolved: registers by number, variables by address.

/// The register that nobody reads, in each frame.
pub(crate) const SINK: u32 = 0;
/// The register of the carry ("Extended-Precision Integer Arithmetic Instructions").
pub(crate) const CARRY: u32 = 1;
/// The number of registers that a frame has before those of the text.
pub(crate) const OWN: u32 = 2;

/// The first address of a module's variables, and the bits of an offset in one; buffers lie below.
pub(crate) const VARIABLES: u64 = 1 << 60;
pub(crate) const APART: u32 = 36;
/// The first address of functions, which are [`FUNCTION_BYTES`] apart.
pub(crate) const FUNCTIONS: u64 = 1 << 59;
pub(crate) const FUNCTION_BYTES: u64 = 16;
/// The windows of generic addresses ("Generic Addressing").
pub(crate) const SHARED: u64 = 1 << 61;
pub(crate) const LOCAL: u64 = 1 << 61 | 1 << 60;
pub(crate) const PARAMETERS: u64 = 1 << 62;
/// The first offset of the shared memory whose size the launch says; what is declared lies below.
pub(crate) const DYNAMIC: u32 = 1 << 20;

const _: () = assert!(SHARED > FUNCTIONS);

/// A source of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    Register(u32),
    Constant(u64),
    /// An offset in the frame of this function in the thread's local memory.
    Frame(u32),
    Special(Special),
}

/// Zero, where an instruction has fewer sources than its function takes.
pub(crate) const ZERO: Source = Source::Constant(0);

/// A register that the hardware sets ("Special Registers"). Of three axes, x is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Special {
    Thread(u8),
    Threads(u8),
    Block(u8),
    Blocks(u8),
    Lane,
    Warp,
    Warps,
    /// Lanes that are equal, less, less or equal, greater, greater or equal.
    Mask(u8),
    Clock,
    /// What a device decides, and has one value here.
    Device(u8),
    DynamicShared,
    TotalShared,
}

/// The memory that an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    Global,
    /// A 64-bit address says it.
    Generic,
    Shared,
    Local,
    /// The parameters of the launch.
    Parameter,
}

/// An address operand: `[base+offset]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) area: Area,
    pub(crate) base: Source,
    pub(crate) offset: u64,
}

/// A parameter of a call: a register, or bytes of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    Value(Source),
    Bytes { offset: u32, bytes: u32 },
}

/// Returns true if what a caller hands over is what a function takes.
pub(crate) fn fit(given: &[Place], taken: &[Place]) -> bool {
    given.len() == taken.len() && given.iter().zip(taken).all(|(given, taken)| fits(*given, *taken))
}

fn fits(given: Place, taken: Place) -> bool {
    match (given, taken) {
        (Place::Bytes { bytes: given, .. }, Place::Bytes { bytes: taken, .. }) => given == taken,
        (Place::Value(_), Place::Value(_)) => true,
        // A register as wide as the parameter.
        (Place::Value(_), Place::Bytes { bytes, .. }) | (Place::Bytes { bytes, .. }, Place::Value(_)) => {
            bytes <= 8
        }
    }
}
