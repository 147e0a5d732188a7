//! Pieces of large cases: the first blocks of one launch, with whatever memory may hold.
//!
//! Some instructions are executed at large sizes alone, and whole cases of these take too long. What a program does to
//! memory is compared in one launch of it, whatever was in memory before.

use std::sync::Arc;

use nitro_ptx::emulate::{Emulator, Guards, Options, Races};
use nitro_stats::random::Random;

use super::case;
use crate::workload::{Case, Inputs, Role, Workload};

/// The most bytes of the buffers of a piece: each element is a term in a proof.
const MOST_BYTES: usize = 1 << 20;
/// The most instructions of a piece.
const MOST_INSTRUCTIONS: u64 = 100_000;
/// The most instructions of all that are tried.
const MOST_OF_ALL: u64 = 400_000;
/// The blocks along an axis: the first two do what others do, but for the last.
const BLOCKS: u32 = 2;
/// The most pieces that are kept.
const MOST_PIECES: usize = 4;
/// The sizes along each number: the largest, and halves of it.
const HALVES: u32 = 6;

/// A piece in which the original does what it does in no whole case.
pub(super) struct Piece {
    pub(super) name: String,
    pub(super) inputs: Inputs,
    /// The instructions of the original.
    pub(super) instructions: u64,
}

/// Returns pieces in which the original shows more than `guards` has noted, the largest sizes first.
pub(super) fn pieces(workload: &Workload, original: &Arc<Emulator>, guards: &mut Guards) -> Vec<Piece> {
    let (mut found, mut total) = (Vec::new(), 0);
    for case in large_cases(workload) {
        if guards.hidden() == 0 || found.len() >= MOST_PIECES || total >= MOST_OF_ALL {
            break;
        }
        let Some(whole) = workload.inputs_within(&case, MOST_BYTES) else { continue };
        for kernel in workload.kernels() {
            let Some(inputs) = of_kernel(&whole, kernel).filter(|_| total < MOST_OF_ALL) else { continue };
            let deadline = workload.deadline();
            let options = Options {
                // In memory that nobody has made fit together threads may race.
                races: Races::Refused,
                same_value_races: true,
                max_instructions: MOST_INSTRUCTIONS,
                deadline,
                ..Options::default()
            };
            let hidden = guards.hidden();
            let result = case::run_guarded(original, original, &inputs, options, Some(guards));
            // A fault takes about as long as what ends well.
            total += result.as_ref().map_or(MOST_INSTRUCTIONS / 8, |result| result.instructions);
            let Ok(result) = result else { continue };
            if guards.hidden() < hidden {
                let name = format!("the first blocks of {kernel} with {}", workload.describe(&case));
                found.push(Piece { name, inputs, instructions: result.instructions });
            }
        }
    }
    found
}

/// Returns the small case with large sizes in the place of each number, then in the place of all.
fn large_cases(workload: &Workload) -> Vec<Case> {
    let Some(small) = workload.small_case() else { return Vec::new() };
    let counts = workload.counts();
    let mut cases = Vec::new();
    for halves in 0..HALVES {
        let size = |most: u64| (most >> halves).max(1) as f64;
        cases.extend(counts.iter().map(|&(at, most)| small.with(at, size(most))));
        cases.push(counts.iter().fold(small.clone(), |case, &(at, most)| case.with(at, size(most))));
    }
    cases
}

/// Returns the first blocks of the first launch of a kernel, with numbers in all memory.
fn of_kernel(whole: &Inputs, kernel: &str) -> Option<Inputs> {
    let mut launch = whole.launches.iter().find(|launch| launch.kernel == kernel)?.clone();
    launch.grid = launch.grid.map(|blocks| blocks.min(BLOCKS));
    let mut buffers = whole.buffers.clone();
    let mut random = Random::new(buffers.len() as u64);
    for buffer in buffers.iter_mut().filter(|buffer| matches!(buffer.role, Role::Out | Role::Scratch)) {
        let elements = buffer.bytes.len() / buffer.element.bytes();
        buffer.bytes.clear();
        for _ in 0..elements {
            // Integers may be positions: 0 is one.
            let number = if buffer.element.is_float() { random.unit() } else { 0.0 };
            buffer.element.append(number, &mut buffer.bytes);
        }
        buffer.role = Role::InOut;
    }
    Some(Inputs { buffers, launches: vec![launch], judge: Vec::new() })
}
