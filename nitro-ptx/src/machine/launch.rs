//! Launches: what is asked for, what comes of it, and whether it can be.

use std::time::Instant;

use super::error::{Fault, Race};
use super::image::{Function, Image};

/// One launch of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// The size of `extern __shared__` memory.
    pub shared_bytes: u32,
    /// The bytes of each parameter.
    pub parameters: &'a [Vec<u8>],
}

/// Options of a launch: its order, its limits, and what counts as a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The seed of the order of blocks, warps and threads, and of memory that nobody has written.
    /// Every seed is a legal run.
    pub seed: u64,
    /// The most instructions that all warps may execute; then the launch is endless.
    pub max_instructions: u64,
    /// When the launch is given up, whatever it has done until then; none where it may take as long as it likes.
    pub deadline: Option<Instant>,
    /// The treatment of races.
    pub races: Races,
    /// Set where races count in which what was written was there already, as where many threads mark one thing.
    pub same_value_races: bool,
    /// Set where it is a fault to read what nobody has written.
    pub uninitialised: bool,
    /// Set where threads of a warp go on one by one or a few at a time. They leave each other as far behind as is
    /// legal. This takes longer, and finds what relies on threads of a warp being together.
    pub adversarial: bool,
}

/// The treatment of races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Races {
    /// Nobody looks for them, which is faster.
    Ignored,
    /// They are listed, each pair of instructions once.
    Listed,
    /// The first one is a fault.
    Refused,
}

impl Default for Options {
    /// Races that make a difference are refused; up to 2³² instructions.
    fn default() -> Self {
        Self {
            seed: 0,
            max_instructions: 1 << 32,
            deadline: None,
            races: Races::Refused,
            same_value_races: false,
            uninitialised: false,
            adversarial: false,
        }
    }
}

/// The work of a launch, and the races that it had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launched {
    /// Instructions that warps have executed.
    pub instructions: u64,
    /// Instructions that threads have executed.
    pub thread_instructions: u64,
    /// A modelled time, which is a count and no claim about any GPU: see [the module](crate::emulate#modelled-time).
    pub cycles: u64,
    /// Races, if they were to be listed: each pair of instructions once.
    pub races: Vec<Race>,
}

/// The sizes of a launch, which are allowed.
pub(crate) struct Geometry {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    pub(crate) warps: u32,
    pub(crate) shared_bytes: u32,
    /// Laid out as the kernel has them.
    pub(crate) parameters: Vec<u8>,
}

const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
const MAX_THREADS: u64 = 1024;
const MAX_SHARED: u32 = 227 << 10;
/// The most bytes of the registers and the memory of a block's threads here.
const MAX_BLOCK_BYTES: u64 = 1 << 30;

impl Geometry {
    /// Checks a launch as the driver and the device would, and lays out its parameters.
    pub(crate) fn new(image: &Image, launch: &Launch, options: &Options) -> Result<Self, Fault> {
        let Some(kernel) = image.kernel(launch.kernel) else {
            return Err(Fault::Launch(format!("there is no kernel `{}`", launch.kernel)));
        };
        let (grid, block) = (launch.grid, launch.block);
        let is_block = is_within(block, MAX_BLOCK) && product(block) <= MAX_THREADS.into();
        require(is_block, || format!("there are no blocks of {block:?} threads"))?;
        let threads = product(block) as u32;
        let is_compiled_for = kernel.required_block.is_none_or(|required| required == block)
            && kernel.most_threads.is_none_or(|most| threads <= most);
        require(is_compiled_for, || {
            format!("`{}` was not compiled for blocks of {block:?} threads", kernel.name)
        })?;
        require(is_within(grid, MAX_GRID), || format!("there are no grids of {grid:?} blocks"))?;
        // Threads are counted by 32 bits, and each warp executes at least one instruction.
        let warps = threads.div_ceil(32);
        let (all, least) = (product(grid) * u128::from(threads), product(grid) * u128::from(warps));
        let is_short = all < u128::from(u32::MAX) && least <= u128::from(options.max_instructions);
        require(is_short, || {
            format!("a grid of {grid:?} blocks takes more than {} instructions", options.max_instructions)
        })?;
        Self::check_memory(kernel, launch, threads)?;
        let parameters = parameters(kernel, launch.parameters)?;
        let (blocks, shared_bytes) = (product(grid) as u32, launch.shared_bytes);
        Ok(Self { grid, block, blocks, threads, warps, shared_bytes, parameters })
    }

    /// Returns the index of a block along x, y and z.
    pub(crate) fn block_at(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.grid;
        [number % x, number / x % y, number / x / y]
    }

    fn check_memory(kernel: &Function, launch: &Launch, threads: u32) -> Result<(), Fault> {
        let declared: u64 = kernel.shared.iter().map(|&(from, to)| u64::from(to - from)).sum();
        if declared + u64::from(launch.shared_bytes) > MAX_SHARED.into() {
            let why = format!("`{}` takes more than {MAX_SHARED} bytes of shared memory", kernel.name);
            return Err(Fault::Launch(why));
        }
        // This machine has less memory for a block than a device may have registers.
        let of_thread = u64::from(kernel.registers) * 8 + u64::from(kernel.frame_bytes);
        if of_thread * u64::from(threads) > MAX_BLOCK_BYTES {
            let why = format!("a block of `{}` takes more than {MAX_BLOCK_BYTES} bytes here", kernel.name);
            return Err(Fault::Launch(why));
        }
        Ok(())
    }
}

fn require(holds: bool, why: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault::Launch(why())) }
}

fn product([x, y, z]: [u32; 3]) -> u128 {
    u128::from(x) * u128::from(y) * u128::from(z)
}

fn is_within(sizes: [u32; 3], most: [u32; 3]) -> bool {
    (0..3).all(|axis| (1..=most[axis]).contains(&sizes[axis]))
}

/// Lays out parameters one after the other.
fn parameters(kernel: &Function, given: &[Vec<u8>]) -> Result<Vec<u8>, Fault> {
    let taken: Vec<usize> = kernel.parameters.iter().map(|&(_, bytes)| bytes as usize).collect();
    let lengths: Vec<usize> = given.iter().map(Vec::len).collect();
    require(taken == lengths, || {
        format!("`{}` takes parameters of {taken:?} bytes and was given {lengths:?}", kernel.name)
    })?;
    let mut laid_out = Vec::new();
    for (&(offset, _), bytes) in kernel.parameters.iter().zip(given) {
        laid_out.resize(offset as usize, 0);
        laid_out.extend(bytes);
    }
    Ok(laid_out)
}
