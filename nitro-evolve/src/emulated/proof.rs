//! The proof that a patched program gives the original's bits with all data.
//!
//! Both run on the emulator with symbols for data. Where each byte that they leave is the same term, the bits are the
//! same with whatever data, at these sizes.

use std::time::Duration;

use nitro_ptx::Same;
use nitro_ptx::emulate::{Emulator, Fault, Memory, Options, Races, SymbolicBytes, Symbols};

use super::case::{self, allocate_all};
use super::check::{MOST_MORE, MOST_TIMES};
use super::shown::Changes;
use crate::deadline::Deadline;
use crate::exactness::Exactness;
use crate::words::NO_TIME;
use crate::workload::{HostCopy, HostStep, InputBuffer, Inputs, Role, Scalar};

/// The longest that the proof of a patch may take.
const MOST_TIME: Duration = Duration::from_secs(60);
/// The instructions of the original over all cases, so that what is proved is the same on any machine.
const MOST_INSTRUCTIONS: u64 = 100_000;
/// The instructions up to which further cases are looked at for what those do not show.
const MOST_OF_FURTHER: u64 = 1_000_000;
/// The most terms of a case: more take too much memory.
const MOST_TERMS: usize = 1 << 20;

/// The condition of a proof where the text says no rounding of some products and their sums ("mul", "add").
const FUSED_ALIKE: &str = "the assembler fuses the same products and sums in both, as it did in the test";

/// The condition of a proof that looks at what may happen in launches of the workload's kind alone.
pub(super) const SUCH_LAUNCHES: &str = "launches have the workload's blocks, and no smaller integers";

/// The data that are symbols.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Data {
    All,
    /// Integers are as they were drawn, since control and addresses depend on them.
    Floats,
    /// Branches and addresses are as with the floats that were drawn, too: those of both programs by the same terms.
    Branches,
}

impl Data {
    /// Names the data, of which something is proved.
    fn words(self) -> &'static str {
        match self {
            Self::All => "all data",
            Self::Floats => "all floats, with the integers that were drawn,",
            Self::Branches => {
                "all floats with the branches and addresses of those that were drawn, and with the integers that were drawn,"
            }
        }
    }
}

/// A reason for which two programs are not proved to leave the same bits.
#[derive(Debug, thiserror::Error)]
enum Unproved {
    #[error("{0}")]
    Fault(#[from] Fault),
    #[error("branches or addresses depend on something else of the data")]
    Decisions,
    #[error("whether the loop of `{0}` ends depends on data")]
    Loop(String),
    #[error("element {element} of `{buffer}` is not the same term")]
    Term { element: usize, buffer: String },
}

/// A case with its name and the instructions that the original takes there.
pub(super) type ProofCase<'a> = (&'a str, &'a Inputs, u64);

/// Returns what is proved of two texts that do the same at all sizes.
pub(super) fn by_text(Same { may_be_fused }: Same) -> Exactness {
    let provided = may_be_fused.then(|| FUSED_ALIKE.to_owned());
    Exactness::Proved { over: "all data at all sizes".to_owned(), provided }
}

/// Proves that two programs leave the same bits in these cases, the most important first, or says why not.
///
/// Where the time is over, what is proved is so for the sizes until then.
pub(super) fn prove<'a>(
    mut changes: Changes<'a>,
    cases: impl Iterator<Item = ProofCase<'a>>,
    pieces: impl Iterator<Item = ProofCase<'a>>,
    until: Deadline,
) -> Exactness {
    let until = until.within(MOST_TIME);
    let Chosen { cases, whole, needed, hidden } = match chosen(&mut changes, cases, pieces, until) {
        Ok(chosen) => chosen,
        Err(why) => return Exactness::Tested { why },
    };
    let [original, patched] = changes.programs;
    let (mut why, mut is_undecided, mut is_another) = (String::new(), true, false);
    for data in [Data::All, Data::Floats, Data::Branches] {
        // What is another term is so whatever branches do.
        if data == Data::Branches && !is_undecided {
            break;
        }
        let (mut proved, mut may_be_fused) = (0, false);
        for &(name, inputs, _) in &cases {
            match in_case(original, patched, inputs, data, until) {
                Ok(fused) => may_be_fused |= fused,
                Err(_) if until.is_over() => {
                    (why, is_another) = (NO_TIME.to_owned(), false);
                    break;
                }
                Err(unproved) => {
                    (why, proved) = (format!("with {name}, {unproved}"), 0);
                    is_undecided = matches!(unproved, Unproved::Fault(Fault::Undecided { .. }));
                    is_another = matches!(unproved, Unproved::Decisions | Unproved::Term { .. });
                    break;
                }
            }
            proved += 1;
        }
        if proved >= needed {
            if let Some(why) = hidden {
                return Exactness::Tested { why };
            }
            let sizes = proved.min(whole);
            let (data, last) = (data.words(), cases[sizes - 1].0);
            let over = match (sizes, proved - sizes) {
                (1, 0) => format!("{data} with {last}"),
                (_, 0) => format!("{data} at {sizes} sizes up to {last}"),
                (_, pieces) => {
                    format!("{data} at {sizes} sizes up to {last}, and in {pieces} parts of larger ones")
                }
            };
            let provided = may_be_fused.then(|| FUSED_ALIKE.to_owned());
            return Exactness::Proved { over, provided };
        }
    }
    if is_another { Exactness::ByChance { why } } else { Exactness::Tested { why: hidden.unwrap_or(why) } }
}

/// Cases that show all that is done where two programs differ.
struct Chosen<'a> {
    /// Whole ones, then pieces.
    cases: Vec<ProofCase<'a>>,
    /// The number of whole ones.
    whole: usize,
    /// The number of the first ones that show it, at least one.
    needed: usize,
    /// What none of them shows: then nothing is proved, but they may show that the programs differ.
    hidden: Option<String>,
}

/// Chooses cases that show all that is done where the programs differ: the first ones, and of the others, and then of
/// the pieces of large ones, those that show more.
fn chosen<'a>(
    changes: &mut Changes<'_>,
    cases: impl Iterator<Item = ProofCase<'a>>,
    pieces: impl Iterator<Item = ProofCase<'a>>,
    until: Deadline,
) -> Result<Chosen<'a>, String> {
    let (mut chosen, mut total, mut needed) = (Vec::new(), 0, 1);
    for case in cases {
        total += case.2;
        let is_first = chosen.is_empty() || total <= MOST_INSTRUCTIONS;
        if !is_first && (changes.not_shown().is_none() || total > MOST_OF_FURTHER) {
            break;
        }
        let shows_more = changes.run_case(case, until)?;
        chosen.extend((is_first || shows_more).then_some(case));
        needed = if shows_more { chosen.len() } else { needed };
    }
    let whole = chosen.len();
    for piece in pieces {
        if changes.not_shown().is_some() && changes.run_case(piece, until)? {
            chosen.push(piece);
            needed = chosen.len();
        }
    }
    let hidden = changes.not_shown().map(|hidden| format!("no small input shows all that `{hidden}` may do"));
    if hidden.is_some() && until.is_over() {
        return Err(NO_TIME.to_owned());
    }
    Ok(Chosen { cases: chosen, whole, needed, hidden })
}

impl Changes<'_> {
    /// Runs a case, and returns true if it shows more.
    fn run_case(
        &mut self,
        (name, inputs, instructions): ProofCase<'_>,
        until: Deadline,
    ) -> Result<bool, String> {
        let hidden = self.hidden();
        let most = instructions.saturating_mul(MOST_TIMES[0]).saturating_add(MOST_MORE);
        match self.run(inputs, most, until) {
            Ok(()) => Ok(self.hidden() < hidden),
            Err(_) if until.is_over() => Err(NO_TIME.to_owned()),
            Err(fault) => Err(format!("with {name}, {fault}")),
        }
    }
}

/// Proves that two programs leave the same bits in one case. Returns true if the assembler may fuse some of it.
fn in_case(
    original: &Emulator,
    patched: &Emulator,
    inputs: &Inputs,
    data: Data,
    until: Deadline,
) -> Result<bool, Unproved> {
    let mut symbols = match data {
        Data::Branches => Symbols::deciding(MOST_TERMS),
        Data::All | Data::Floats => Symbols::new(MOST_TERMS),
    };
    let options = Options {
        deadline: until.moment(),
        races: Races::Refused,
        // With other data what is written may be another value.
        same_value_races: true,
        ..Options::default()
    };
    let expected = left(original, inputs, data, &options, &mut symbols)?;
    let decisions = symbols.decisions();
    // Races that one order of threads hides another one shows.
    for (seed, adversarial) in [(0, false), (1, true)] {
        let options = Options { seed, adversarial, ..options };
        let found = left(patched, inputs, data, &options, &mut symbols)?;
        if symbols.decisions() != decisions {
            return Err(Unproved::Decisions);
        }
        for ((buffer, found), expected) in inputs.buffers.iter().zip(&found).zip(&expected) {
            let layout = &buffer.layout;
            let mut different = found.differences(expected);
            // What pads structures is nobody's.
            if let Some((at, member)) = different.find_map(|at| Some((at, layout.member_at(at)?))) {
                let (element, buffer) = (at / layout.bytes, member.name_in(&buffer.name));
                return Err(Unproved::Term { element, buffer });
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
) -> Result<Vec<SymbolicBytes>, Unproved> {
    let mut memory = Memory::new();
    let addresses = allocate_all(&mut memory, inputs);
    symbols.begin();
    for (buffer, &address) in inputs.buffers.iter().zip(&addresses) {
        match buffer.role {
            // Each program finds something else there; those who judge the results may read it as it was.
            Role::Scratch if inputs.judge.is_empty() => symbols.unknown(address, buffer.bytes.len()),
            Role::Out | Role::Scratch => make_data(symbols, address, buffer, Data::All),
            Role::In | Role::InOut => make_data(symbols, address, buffer, data),
        }
    }
    run(program, (inputs, &addresses), &mut memory, options, symbols)?;
    let mut left = Vec::new();
    for (buffer, &address) in inputs.buffers.iter().zip(&addresses) {
        // Those who judge the results may read what is scratch.
        let is_read = buffer.role != Role::Scratch || !inputs.judge.is_empty();
        left.push(if is_read { symbols.left(address, &memory) } else { SymbolicBytes::default() });
    }
    Ok(left)
}

/// Makes data of a buffer symbols, number by number.
fn make_data(symbols: &mut Symbols, address: u64, buffer: &InputBuffer, data: Data) {
    let InputBuffer { layout, bytes, .. } = buffer;
    let is_data =
        |scalar: &Scalar| scalar.pointer.is_none() && (data == Data::All || scalar.element.is_float());
    let begins = (0..bytes.len()).step_by(layout.bytes);
    let numbers = begins.flat_map(|begin| {
        let scalars = layout.scalars().filter(is_data);
        scalars.map(move |scalar| (begin + scalar.offset_bytes, scalar.element.bytes()))
    });
    symbols.numbers(address, bytes.len(), numbers);
}

/// Does the steps of a case whose buffers have these addresses.
fn run(
    program: &Emulator,
    (inputs, addresses): (&Inputs, &[u64]),
    memory: &mut Memory,
    options: &Options,
    symbols: &mut Symbols,
) -> Result<(), Unproved> {
    let mut at = 0;
    while let Some(&step) = inputs.host.get(at) {
        at += 1;
        match step {
            HostStep::Launch(number) => {
                let launch = &inputs.launches[number];
                let parameters = launch.parameters(addresses);
                program.launch_symbolic(&case::emulated(launch, &parameters), memory, options, symbols)?;
            }
            HostStep::Clear(buffer) => {
                memory.clear(addresses[buffer]);
                symbols.known(addresses[buffer], inputs.buffers[buffer].bytes.len());
            }
            HostStep::Copy(step) => {
                case::copy(memory, addresses, step);
                let HostCopy { from: (from, begin), to: (to, to_begin), bytes } = step;
                let place = |buffer: usize, at| (addresses[buffer], inputs.buffers[buffer].bytes.len(), at);
                symbols.copy(place(from, begin), place(to, to_begin), bytes);
            }
            HostStep::Leave { flag, to } => {
                if !symbols.left(addresses[flag], memory).are_known() {
                    return Err(Unproved::Loop(inputs.buffers[flag].name.clone()));
                }
                let is_left = memory.bytes(addresses[flag]).iter().all(|&byte| byte == 0);
                at = if is_left { to } else { at };
            }
        }
    }
    Ok(())
}
