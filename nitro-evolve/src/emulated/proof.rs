//! The proof that a patched program gives the original's bits with all data.
//!
//! Both run on the emulator with symbols for data. Where each byte that they leave is the same term, the bits are the
//! same with whatever data, at these sizes.

use std::time::Duration;

use nitro_ptx::emulate::{Emulator, Fault, Memory, Options, Races, SymbolicBytes, Symbols};

use super::case::{self, allocate_all};
use crate::deadline::Deadline;
use crate::exactness::Exactness;
use crate::words::NO_TIME;
use crate::workload::{Inputs, Role};

/// The longest that the proof of a patch may take.
const MOST_TIME: Duration = Duration::from_secs(60);
/// The instructions of the original over all cases, so that what is proved is the same on any machine.
const MOST_INSTRUCTIONS: u64 = 100_000;
/// The most terms of a case: more take too much memory.
const MOST_TERMS: usize = 1 << 20;

/// The condition of a proof where the text says no rounding of some products and their sums ("mul", "add").
const FUSED_ALIKE: &str = "the assembler fuses the same products and sums in both, as it did in the test";

/// The data that are symbols.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Data {
    All,
    /// Integers are as they were drawn, since control and addresses depend on them.
    Floats,
}

/// Proves that two programs leave the same bits in these cases, the most important first, or says why not.
///
/// Where the time is over, what is proved is so for the sizes until then.
pub(super) fn prove<'a>(
    original: &Emulator,
    patched: &Emulator,
    cases: impl Iterator<Item = (&'a str, &'a Inputs, u64)> + Clone,
    until: Deadline,
) -> Exactness {
    let until = until.within(MOST_TIME);
    let mut why = String::new();
    for data in [Data::All, Data::Floats] {
        let (mut proved, mut last, mut may_be_fused, mut total) = (0, "", false, 0);
        for (name, inputs, instructions) in cases.clone() {
            total += instructions;
            if proved > 0 && total > MOST_INSTRUCTIONS {
                break;
            }
            match in_case(original, patched, inputs, data, until) {
                Ok(fused) => may_be_fused |= fused,
                Err(_) if until.is_over() => {
                    NO_TIME.clone_into(&mut why);
                    break;
                }
                Err(reason) => {
                    (why, proved) = (format!("with {name}, {reason}"), 0);
                    break;
                }
            }
            (proved, last) = (proved + 1, name);
        }
        if proved > 0 {
            let data = match data {
                Data::All => "all data",
                Data::Floats => "all floats, with the integers that were drawn,",
            };
            let over = match proved {
                1 => format!("{data} with {last}"),
                _ => format!("{data} at {proved} sizes up to {last}"),
            };
            let provided = may_be_fused.then(|| FUSED_ALIKE.to_owned());
            return Exactness::Proved { over, provided };
        }
    }
    Exactness::Tested { why }
}

/// Proves that two programs leave the same bits in one case. Returns true if the assembler may fuse some of it.
fn in_case(
    original: &Emulator,
    patched: &Emulator,
    inputs: &Inputs,
    data: Data,
    until: Deadline,
) -> Result<bool, String> {
    let mut symbols = Symbols::new(MOST_TERMS);
    let options = Options {
        deadline: until.moment(),
        races: Races::Refused,
        // With other data what is written may be another value.
        same_value_races: true,
        ..Options::default()
    };
    let expected = left(original, inputs, data, &options, &mut symbols).map_err(|why| why.to_string())?;
    // Races that one order of threads hides another one shows.
    for (seed, adversarial) in [(0, false), (1, true)] {
        let options = Options { seed, adversarial, ..options };
        let found = left(patched, inputs, data, &options, &mut symbols).map_err(|why| why.to_string())?;
        for ((buffer, found), expected) in inputs.buffers.iter().zip(&found).zip(&expected) {
            if let Some(at) = found.first_difference(expected) {
                let element = at / buffer.element.bytes();
                return Err(format!("element {element} of `{}` is not the same term", buffer.name));
            }
        }
    }
    Ok(symbols.may_be_fused())
}

/// Runs the launches of a case, and returns what they leave in each buffer that somebody reads afterwards.
fn left(
    program: &Emulator,
    inputs: &Inputs,
    data: Data,
    options: &Options,
    symbols: &mut Symbols,
) -> Result<Vec<SymbolicBytes>, Fault> {
    let mut memory = Memory::new();
    let addresses = allocate_all(&mut memory, inputs);
    symbols.begin();
    for (buffer, &address) in inputs.buffers.iter().zip(&addresses) {
        let (length, element) = (buffer.bytes.len(), buffer.element);
        match buffer.role {
            // Each program finds something else there.
            Role::Scratch => symbols.unknown(address, length),
            Role::Out => symbols.data(address, length, element.bytes()),
            Role::In | Role::InOut if data == Data::All || element.is_float() => {
                symbols.data(address, length, element.bytes());
            }
            Role::In | Role::InOut => {}
        }
    }
    for launch in &inputs.launches {
        let parameters = launch.parameters(&addresses);
        program.launch_symbolic(&case::emulated(launch, &parameters), &mut memory, options, symbols)?;
    }
    let mut left = Vec::new();
    for (buffer, &address) in inputs.buffers.iter().zip(&addresses) {
        // Those who judge the results may read what is scratch.
        let is_read = buffer.role != Role::Scratch || !inputs.judge.is_empty();
        left.push(if is_read { symbols.left(address, &memory) } else { SymbolicBytes::default() });
    }
    Ok(left)
}
