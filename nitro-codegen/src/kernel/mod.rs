//! Kernels as data: what threads do, before it becomes the text of a language.

mod cuda;
mod display;
mod launch;
mod memory;
mod race;
mod run;
mod thread;

pub use launch::Launch;

use serde::{Deserialize, Serialize};

use crate::nest::affine::Affine;
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
    /// What the host does, in order.
    pub host: Vec<Host>,
}

/// What the host does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Host {
    /// Repeats for each value of an iterator, which kernels in it take.
    Loop(Range, Vec<Host>),
    /// Launches a kernel: its index in the program's list. It begins when the one before has ended.
    Launch(usize),
}

/// What each thread of a grid does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Kernel {
    /// Its name, that of no other kernel of the program.
    pub name: String,
    /// The iterators of the host's loops around its launch.
    pub host_iterators: Vec<usize>,
    /// What the grid covers along x, y and z: one to three ranges. There are as many blocks as it takes to have a thread for each value.
    pub grid: Vec<Extent>,
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Arrays of its own, whose indices come after those of the nest.
    pub locals: Vec<Local>,
    /// What a thread does.
    pub body: Vec<Instruction>,
}

/// Values that threads share out among them: from the largest lower bound to below the smallest upper one, each `step`-th.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Extent {
    /// There is one at least. Bounds are of sizes and iterators of the host.
    pub lower: Vec<Affine>,
    /// There is one at least.
    pub upper: Vec<Affine>,
    /// The distance of two values.
    pub step: i64,
}

/// An array that is not the nest's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub space: Space,
    /// The extent of each dimension, the slowest first.
    pub shape: Vec<i64>,
}

/// Where an array of a kernel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Space {
    /// One for each block.
    Shared,
    /// One for each thread.
    Register,
}

/// What a thread does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Instruction {
    /// An iterator gets the largest of these values.
    Define(usize, Vec<Affine>),
    /// Repeats for each value of an iterator.
    Loop(Range, Vec<Instruction>),
    /// What is done where all conditions hold.
    If(Vec<Condition>, Vec<Instruction>),
    /// An element becomes a value.
    Assign(Assignment),
    /// Waits for all threads of the block.
    Barrier,
}

impl Kernel {
    /// Threads of a block.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// The assignments, in the order in which they are written.
    pub(crate) fn assignments(&self) -> Vec<&Assignment> {
        fn gather<'a>(instructions: &'a [Instruction], found: &mut Vec<&'a Assignment>) {
            for instruction in instructions {
                match instruction {
                    Instruction::Loop(_, body) | Instruction::If(_, body) => gather(body, found),
                    Instruction::Assign(assignment) => found.push(assignment),
                    Instruction::Define(..) | Instruction::Barrier => {}
                }
            }
        }
        let mut found = Vec::new();
        gather(&self.body, &mut found);
        found
    }
}
