//! Kernels as data: what threads do, before it becomes the text of a language.

mod cuda;
pub(crate) mod display;
#[cfg(feature = "search")]
mod length;
mod local;
pub(crate) mod matrix;
mod memory;
mod plan;
mod race;
mod run;
mod thread;
mod units;

#[cfg(feature = "search")]
pub(crate) use length::MOST_WRITTEN_OUT;
pub use local::Local;
pub(crate) use local::bytes_of;
pub use matrix::{FragmentLoad, FragmentProduct, GroupOperand, GroupProduct, PartSplit};
use nitro_launch::Element;
pub use nitro_launch::{Extent, Host, Integers, Launch};
#[cfg(feature = "search")]
pub(crate) use plan::part;

use serde::{Deserialize, Serialize};

use crate::limits::STATIC_SHARED_BYTES;
use crate::nest::affine::Affine;
use crate::nest::expression::{Access, Binary, Expression};
use crate::nest::{Assignment, Condition, Nest, Range};

/// Kernels and the order in which the host launches them: a nest that was mapped to a GPU.
///
/// [`cuda`](Self::cuda) writes the kernels in CUDA C++, [`run`](Self::run) interprets them, with threads in any order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Program {
    /// The nest, whose sizes, scalars and arrays the kernels take.
    pub nest: Nest,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// The launches, in the order of the host.
    pub host: Vec<Host>,
}

/// A kernel: the code of each thread of a grid.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Kernel {
    /// Its name, that of no other kernel of the program.
    pub name: String,
    /// The statements of the nest that it runs.
    pub statements: Vec<usize>,
    /// The iterators of the host's loops around its launch.
    pub host_iterators: Vec<usize>,
    /// The names of iterators of its own, whose indices come after those of the nest.
    pub iterators: Vec<String>,
    /// The ranges that the grid covers along x, y and z, and maybe further dimensions.
    ///
    /// There are as many blocks as it takes to cover each value. Along dimensions after the third, a block has one
    /// value; blocks of such a grid are numbered along x.
    pub grid: Vec<Extent>,
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Values that each thread covers along x, y and z.
    pub points: [u32; 3],
    /// The least number of blocks for which a multiprocessor has registers at the same time; 0: as it comes out.
    pub resident_blocks: u32,
    /// Arrays of its own, whose indices come after those of the nest.
    pub locals: Vec<Local>,
    /// Arrays of the nest whose elements go through caches in another way than the usual one.
    #[serde(default)]
    pub caching: Vec<Caching>,
    /// The code of a thread.
    pub body: Vec<Instruction>,
}

/// The way of elements of an array through caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Caching {
    /// The array.
    pub array: usize,
    /// The way of elements that are read.
    pub reads: Cache,
    /// The way of elements that are written.
    pub writes: Cache,
}

/// The caches that keep an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cache {
    /// Those that a compiler chooses.
    #[default]
    Usual,
    /// The cache of the device alone, not that of a multiprocessor.
    Device,
    /// It is evicted first: nobody touches it again.
    Streaming,
}

/// The memory of an array of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Space {
    /// One for each block.
    Shared,
    /// One for each thread.
    Register,
}

/// The neighbours that a thread copies at once: 16 bytes.
pub const WIDE: u32 = 4;

/// The neighbours of 16 bits that are 16 bytes.
pub(crate) const WIDEST: u32 = 8;

/// A step of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Instruction {
    /// An iterator gets the largest of these values.
    Define(usize, Vec<Affine>),
    /// An iterator begins with a value, and [`Set`](Self::Set) may give it others.
    ///
    /// A compiler takes it for any value, and computes nothing that follows from it ahead: what is kept for later
    /// takes registers.
    Begin(usize, Affine),
    /// An iterator that has begun gets another value.
    Set(usize, Affine),
    /// Divides an integer by another one: an iterator gets the quotient, another one the remainder.
    ///
    /// Of one that is negative, it only may matter whether there is a remainder.
    Divide {
        /// The iterator that gets the quotient.
        quotient: usize,
        /// The iterator that gets the remainder.
        remainder: usize,
        /// The dividend.
        value: Affine,
        /// The divisor, at least 1.
        divisor: Affine,
    },
    /// Repeats for each value of an iterator.
    Loop(Range, Unroll, Vec<Instruction>),
    /// Runs the first list where all conditions hold, and the other one elsewhere.
    If(Vec<Condition>, Vec<Instruction>, Vec<Instruction>),
    /// An element becomes a value.
    Assign(Assignment),
    /// A register becomes another one where all conditions hold.
    ///
    /// No code is passed over for that, so that a compiler computes what the other register has only once, whatever
    /// registers want it.
    Choose {
        /// The conditions.
        conditions: Vec<Condition>,
        /// The register that may change.
        target: Access,
        /// The register whose value it gets.
        value: Access,
    },
    /// Adds a register to an element, atomically.
    ///
    /// Where `lanes` is not 1 it is a warp's 32 threads, all of which come here: their registers are summed up by
    /// shuffles and added once.
    Add {
        /// The element that is added to.
        target: Access,
        /// The register.
        value: Access,
        /// The number of threads that add up before: 1, or 32.
        lanes: u32,
    },
    /// Adds [`WIDE`] neighbouring registers to as many elements, each atomically.
    ///
    /// The first is at a multiple of that in both arrays. One operation from compute capability 9.0 on.
    AddWide {
        /// The first of those that are added to.
        target: Access,
        /// The first register.
        value: Access,
    },
    /// Combines a register of so many neighbouring lanes by shuffles: each gets the result. All 32 of a warp come here.
    ///
    /// The operation gives the same for both orders of its operands. Lanes pair up (a butterfly), first those half as
    /// many apart.
    Combine {
        /// The register.
        register: Access,
        /// The operation.
        operator: Binary,
        /// The number of lanes, a power of two.
        lanes: u32,
    },
    /// Gives each of a warp's 32 threads, all of which come here, what the registers up to its own come to (a scan).
    ///
    /// In each round a lane takes the value of another one, twice as far before it (Hillis and Steele, "Data parallel
    /// algorithms", 1986).
    Scan {
        /// The register.
        register: Access,
        /// The operation.
        operator: Binary,
    },
    /// Loads fragments of 16-bit numbers from shared memory, by a warp, all of whose threads come here.
    LoadFragment(FragmentLoad),
    /// Adds a product of fragments to a third one, on the matrix units of a warp, all of whose threads come here.
    Multiply(FragmentProduct),
    /// Splits operands into parts in shared memory.
    Split(PartSplit),
    /// Begins to add a product to sums, on the matrix units of four warps. Compute capability 9.0 alone has it.
    BeginProduct(GroupProduct),
    /// Waits for products that the threads of four warps have begun, all of which come here.
    AwaitProduct {
        /// Their sums, or some.
        sums: Vec<Access>,
        /// The last ones, so many, are not waited for.
        but: u32,
    },
    /// Begins to copy elements of the nest's to shared memory.
    ///
    /// They are there once this thread has awaited them.
    Fetch {
        /// The place in shared memory, or the first of several that are neighbours.
        target: Access,
        /// The element that is copied, or the first of several that are neighbours.
        source: Access,
        /// The number of them: 1, [`WIDE`] or, of 16 bits, 8; then the first is at a multiple of it.
        width: u32,
    },
    /// Copies neighbours at once.
    Copy {
        /// The first of those that they come to.
        target: Access,
        /// The first of those that are copied.
        source: Access,
        /// The number of them: [`WIDE`], or 2 of the nest's numbers. The first is at a multiple of it in both arrays.
        width: u32,
    },
    /// Makes a group of all that this thread has begun to fetch since the last one.
    Commit,
    /// Waits until at most so many of the groups that this thread fetches are on their way: the last ones.
    Await(u32),
    /// Waits for all threads of the block.
    Barrier,
}

impl Instruction {
    /// Assigns a value to an element.
    pub(crate) fn assign(target: Access, value: Expression) -> Self {
        Self::Assign(Assignment { target, value })
    }

    /// Copies [`WIDE`] neighbours.
    pub(crate) fn copy(target: Access, source: Access) -> Self {
        Self::Copy { target, source, width: WIDE }
    }
}

/// The iterations of a loop that a compiler writes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unroll {
    /// As many as it likes.
    Free,
    /// So many.
    By(u32),
    /// All: their number is constant.
    All,
}

impl Kernel {
    /// Returns the caches through which elements of an array are read and written.
    pub(crate) fn caches(&self, array: usize) -> [Cache; 2] {
        let found = self.caching.iter().find(|caching| caching.array == array);
        found.map_or([Cache::Usual; 2], |caching| [caching.reads, caching.writes])
    }

    /// Returns `true` if its grid has more dimensions than a device: then its blocks are numbered along x.
    pub(crate) fn has_numbered_blocks(&self) -> bool {
        self.grid.len() > 3
    }

    /// Returns the threads of a block.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Returns the bytes of shared memory that a launch has to ask for: none where static memory suffices.
    pub(crate) fn dynamic_shared_bytes(&self, element: Element) -> u32 {
        let all = self.shared_places(element).last().map_or(0, |[_, end]| *end);
        if all > STATIC_SHARED_BYTES { all as u32 } else { 0 }
    }

    /// Returns the bytes of shared memory at which each array in it begins and ends.
    pub(crate) fn shared_places(&self, element: Element) -> Vec<[i64; 2]> {
        let mut end = 0;
        let shared = self.locals.iter().filter(|local| local.space == Space::Shared);
        let places = shared.map(|local| {
            let begin = (end as u64).next_multiple_of(local.alignment() as u64) as i64;
            end = begin + local.bytes(element);
            [begin, end]
        });
        places.collect()
    }

    /// Returns the elements that it writes, in the order in which they are written.
    pub(crate) fn targets(&self) -> Vec<&Access> {
        let mut found = Vec::new();
        visit(&self.body, &mut |instruction| match instruction {
            Instruction::Assign(assignment) => found.push(&assignment.target),
            Instruction::Add { target, .. }
            | Instruction::AddWide { target, .. }
            | Instruction::Choose { target, .. }
            | Instruction::Combine { register: target, .. }
            | Instruction::Scan { register: target, .. }
            | Instruction::Fetch { target, .. }
            | Instruction::Copy { target, .. } => found.push(target),
            Instruction::Multiply(product) => found.extend(&product.sums),
            Instruction::BeginProduct(product) => found.extend(&product.sums),
            Instruction::Split(split) => found.push(&split.target),
            Instruction::LoadFragment(load) => found.push(&load.target),
            _ => {}
        });
        found
    }

    /// Returns `true` if one of its instructions is such.
    pub(crate) fn has(&self, is_such: impl Fn(&Instruction) -> bool) -> bool {
        let mut found = false;
        visit(&self.body, &mut |instruction| found |= is_such(instruction));
        found
    }
}

/// Returns `true` if one of the instructions waits for all threads of a block.
pub(crate) fn has_barrier(instructions: &[Instruction]) -> bool {
    let mut found = false;
    visit(instructions, &mut |instruction| found |= *instruction == Instruction::Barrier);
    found
}

/// Returns `true` if a loop of unknown length is among these instructions.
pub(crate) fn has_open_loop(instructions: &[Instruction]) -> bool {
    let mut found = false;
    visit(instructions, &mut |instruction| {
        found |= matches!(instruction, Instruction::Loop(range, ..) if iterations(range).is_none());
    });
    found
}

/// Returns the number of iterations of a loop over numbers.
fn iterations(range: &Range) -> Option<u64> {
    let is_constant = range.lower.iter().chain(&range.upper).all(|bound| bound.terms().is_empty());
    let lower = range.lower.iter().map(Affine::constant).max()?;
    let upper = range.upper.iter().map(Affine::constant).min()?;
    is_constant.then(|| (upper - lower).max(0).unsigned_abs().div_ceil(range.step.unsigned_abs().max(1)))
}

/// Calls `visitor` with all instructions, in the order in which they are written.
fn visit<'a>(instructions: &'a [Instruction], visitor: &mut dyn FnMut(&'a Instruction)) {
    for instruction in instructions {
        visitor(instruction);
        match instruction {
            Instruction::Loop(_, _, body) => visit(body, visitor),
            Instruction::If(_, body, otherwise) => {
                visit(body, visitor);
                visit(otherwise, visitor);
            }
            _ => {}
        }
    }
}
