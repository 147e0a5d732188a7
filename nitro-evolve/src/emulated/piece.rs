//! Pieces of large cases: the first blocks of one launch, with whatever memory may hold.
//!
//! Some instructions are executed at large sizes alone, and whole cases of these take too long; others with data that
//! small cases do not come to. What a program does to memory is compared in one launch of it, whatever was in memory
//! before.

use std::sync::Arc;

use nitro_ptx::emulate::{Emulator, Guards, Options, Races};
use nitro_stats::random::Random;

use super::case::{self, RunResult};
use crate::workload::{Case, HostStep, Inputs, Role, Scalar, Workload};

/// The blocks along an axis: the first two do what others do, but for the last.
const BLOCKS: u32 = 2;
/// The sizes along each number: so many times the largest that whole cases have, and halves of that.
const BEYOND: u64 = 4;
const HALVES: u32 = 8;
/// The most pieces that are kept.
const MOST_PIECES: usize = 16;

/// A pass over kernels and large sizes.
struct Pass {
    /// The most bytes of the buffers of a piece.
    most_bytes: usize,
    /// The most instructions of a piece, and of all that are tried.
    most_instructions: u64,
    most_of_all: u64,
}

/// The most bytes of a piece for proofs, where each element is a term.
const MOST_BYTES_PROVED: usize = 1 << 20;

/// The passes: pieces that are small enough for proofs, then those that others show more of.
const PASSES: [Pass; 2] = [
    Pass { most_bytes: MOST_BYTES_PROVED, most_instructions: 100_000, most_of_all: 400_000 },
    Pass { most_bytes: 16 << 20, most_instructions: 400_000, most_of_all: 1_200_000 },
];
/// The bytes of inputs that take as long to draw as an instruction of a warp.
const BYTES_AS_INSTRUCTION: u64 = 16;

/// A piece in which the original does what it does in no whole case.
pub(super) struct Piece {
    pub(super) name: String,
    pub(super) inputs: Inputs,
    /// The result of the original.
    pub(super) expected: RunResult,
}

impl Piece {
    /// Tells whether each element of its inputs may be a term.
    pub(super) fn is_small(inputs: &Inputs) -> bool {
        Self::bytes(inputs) <= MOST_BYTES_PROVED
    }

    fn bytes(inputs: &Inputs) -> usize {
        inputs.buffers.iter().map(|buffer| buffer.bytes.len()).sum()
    }
}

/// Returns pieces in which the original shows more than `guards` has noted, the largest sizes first.
pub(super) fn pieces(workload: &Workload, original: &Arc<Emulator>, guards: &mut Guards) -> Vec<Piece> {
    let cases = large_cases(workload);
    let mut found = Vec::new();
    for pass in &PASSES {
        let mut total = 0;
        for case in &cases {
            if guards.hidden() == 0 || found.len() >= MOST_PIECES || total >= pass.most_of_all {
                break;
            }
            let Some(whole) = workload.inputs_within(case, pass.most_bytes) else { continue };
            total += Piece::bytes(&whole) as u64 / BYTES_AS_INSTRUCTION;
            for kernel in workload.kernels() {
                let Some(inputs) = of_kernel(&whole, kernel).filter(|_| total < pass.most_of_all) else {
                    continue;
                };
                let options = Options {
                    // In memory that nobody has made fit together threads may race.
                    races: Races::Refused,
                    same_value_races: true,
                    max_instructions: pass.most_instructions,
                    deadline: workload.deadline(),
                    ..Options::default()
                };
                let hidden = guards.hidden();
                let result = case::run_guarded(original, original, &inputs, options, Some(guards));
                // A fault takes about as long as what ends well.
                total += result.as_ref().map_or(pass.most_instructions / 8, |result| result.instructions);
                let Ok(expected) = result else { continue };
                if guards.hidden() < hidden {
                    let name = format!("the first blocks of {kernel} with {}", workload.describe(case));
                    found.push(Piece { name, inputs, expected });
                }
            }
        }
    }
    found
}

/// Returns the small case, and one that has few of all, with large sizes in the place of each number, then in the place
/// of all.
fn large_cases(workload: &Workload) -> Vec<Case> {
    let counts = workload.counts();
    let mut cases = Vec::new();
    for halves in 0..HALVES {
        let size = |most: u64| (most.saturating_mul(BEYOND) >> halves).max(1) as f64;
        for others in workload.small_case().iter().chain(&workload.few()) {
            cases.extend(counts.iter().map(|&(at, most)| others.with(at, size(most))));
        }
        let small = workload.small_case();
        cases.extend(
            small.map(|case| counts.iter().fold(case, |case, &(at, most)| case.with(at, size(most)))),
        );
    }
    cases
}

/// Returns the first blocks of the first launch of a kernel, with numbers from 0 to 1 in all memory.
fn of_kernel(whole: &Inputs, kernel: &str) -> Option<Inputs> {
    let mut launch = whole.launches.iter().find(|launch| launch.kernel == kernel)?.clone();
    launch.grid = launch.grid.map(|blocks| blocks.min(BLOCKS));
    let mut buffers = whole.buffers.clone();
    let mut random = Random::new(buffers.len() as u64);
    for buffer in buffers.iter_mut().filter(|buffer| matches!(buffer.role, Role::Out | Role::Scratch)) {
        for element in buffer.bytes.chunks_exact_mut(buffer.layout.bytes) {
            for Scalar { element: own, offset_bytes, .. } in buffer.layout.scalars() {
                // Integers may be positions: 0 is one.
                let number = if own.is_float() { random.unit() } else { 0.0 };
                let mut bytes = Vec::with_capacity(own.bytes());
                own.append(number, &mut bytes);
                element[offset_bytes..offset_bytes + own.bytes()].copy_from_slice(&bytes);
            }
        }
        buffer.role = Role::InOut;
    }
    Some(Inputs { buffers, launches: vec![launch], host: vec![HostStep::Launch(0)], judge: Vec::new() })
}
