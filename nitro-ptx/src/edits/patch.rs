//! Patches as text.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use nitro_core::Artifact;

use super::edit::{CacheMode, Edit, Fix, Operation, PatchError, Reach, Value};
use crate::instructions::sites::{GUARD, Slot};
use crate::text::module::InstructionId;

/// The most lines that are read.
const MAX_LINES: usize = 100_000;
/// The most instructions that one edit names.
const MAX_PLACES: usize = 1000;
/// The most rounds of a loop that become one.
const MAX_ROUNDS: u32 = 16;

/// Edits of one text, which can be written down, read by people, and applied again.
///
/// What comes after `#` is for people.
///
/// ```
/// use nitro_ptx::Patch;
///
/// let patch: Patch = "patch of 226541c3925d7e18\n\
///                     delete b17            # the store that nobody reads\n  \
///                     fix b20 slot 1 = %f2\n\
///                     cache b3 = cg\n".parse()?;
/// assert_eq!(patch.edits.len(), 2);
/// assert_eq!(patch.to_string().parse(), Ok(patch));
/// # Ok::<(), nitro_ptx::PatchError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Digest of the text that is changed.
    pub base: Artifact,
    /// The edits, whose order makes no difference.
    pub edits: Vec<Edit>,
}

impl Display for Patch {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "patch of {}", self.base)?;
        self.edits.iter().try_for_each(|edit| edit.fmt(formatter))
    }
}

impl Display for Edit {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.operation)?;
        self.fixes.iter().try_for_each(|Fix { at, slot, to }| {
            writeln!(formatter, "  fix {at} slot {} = {to}", Place(*slot))
        })
    }
}

impl Display for Operation {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operand { at, slot, to } => write!(formatter, "operand {at} slot {} = {to}", Place(*slot)),
            Self::Cache { at, mode } => write!(formatter, "cache {at} = {mode}"),
            Self::Copy { source, before } => write!(formatter, "copy {source} before {before}"),
            Self::Move { source, before } => write!(formatter, "move {source} before {before}"),
            Self::Replace { at, source } => write!(formatter, "replace {at} by {source}"),
            Self::Swap(one, other) => write!(formatter, "swap {one} with {other}"),
            Self::Delete(at) => write!(formatter, "delete {at}"),
            Self::Lift { loads, before } => write!(formatter, "lift {loads} before {before}"),
            Self::Predicate(reach) => write!(formatter, "predicate {reach}"),
            Self::Sink(reach) => write!(formatter, "sink {reach}"),
            Self::Ahead(reach) => write!(formatter, "ahead {reach}"),
            Self::Unroll { loops, rounds } => write!(formatter, "unroll {loops} by {rounds}"),
            Self::Raise(reach) => write!(formatter, "raise {reach}"),
            Self::Widen(reach) => write!(formatter, "widen {reach}"),
            Self::ReadOnly(pointer) => write!(formatter, "read-only {pointer}"),
            Self::Unsigned(reach) => write!(formatter, "unsigned {reach}"),
            Self::Narrow(reach) => write!(formatter, "narrow {reach}"),
            Self::Approximate(reach) => write!(formatter, "approximate {reach}"),
            Self::Quick(reach) => write!(formatter, "quick {reach}"),
            Self::WarpBarrier(reach) => write!(formatter, "warp-barrier {reach}"),
            Self::Registers { kernel, most } => write!(formatter, "registers {kernel} = {most}"),
            Self::Block { kernel, threads: [x, y, z] } => write!(formatter, "block {kernel} = {x} {y} {z}"),
        }
    }
}

impl Display for Reach {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(places) => {
                let places: Vec<String> = places.iter().map(ToString::to_string).collect();
                formatter.write_str(&places.join(" "))
            }
            Self::All(function) => write!(formatter, "all of {function}"),
        }
    }
}

impl Display for Value {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let (Self::Register(text) | Self::Number(text)) = self;
        formatter.write_str(text)
    }
}

struct Place(Slot);

impl Display for Place {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            GUARD => formatter.write_str("guard"),
            slot => slot.fmt(formatter),
        }
    }
}

/// The names of the modes, as PTX has them.
pub(super) const MODES: [(CacheMode, &str); 6] = [
    (CacheMode::Default, "default"),
    (CacheMode::Ca, "ca"),
    (CacheMode::Cg, "cg"),
    (CacheMode::Cs, "cs"),
    (CacheMode::Nc, "nc"),
    (CacheMode::Wt, "wt"),
];

impl Display for CacheMode {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let name = MODES.iter().find(|(mode, _)| mode == self).map_or("", |(_, name)| name);
        formatter.write_str(name)
    }
}

impl FromStr for Patch {
    type Err = PatchError;

    fn from_str(text: &str) -> Result<Self, PatchError> {
        if text.lines().nth(MAX_LINES).is_some() {
            let what = format!("a patch has at most {MAX_LINES} lines, and this one has more");
            return Err(PatchError::Syntax { line: MAX_LINES + 1, what });
        }
        let mut lines = text.lines().enumerate().map(|(at, line)| Line::new(at + 1, line));
        let mut lines = lines.by_ref().filter(|line| !line.words.is_empty());
        let first = lines.next().unwrap_or(Line { number: 1, words: Vec::new() });
        let base = match first.words[..] {
            ["patch", "of", digest] => digest.parse().map_err(|error| first.error(format!("{error}")))?,
            _ => {
                return Err(
                    first.error("a patch begins with `patch of` and the digest of its base".to_owned())
                );
            }
        };
        let mut edits: Vec<Edit> = Vec::new();
        for line in lines {
            match line.words[..] {
                ["fix", at, "slot", slot, "=", to] => {
                    let fix = Fix { at: line.id(at)?, slot: line.slot(slot)?, to: line.value(to)? };
                    let edit = edits
                        .last_mut()
                        .ok_or_else(|| line.error("a fix comes after its edit".to_owned()))?;
                    edit.fixes.push(fix);
                }
                _ => edits.push(Edit { operation: line.operation()?, fixes: Vec::new() }),
            }
        }
        Ok(Self { base, edits })
    }
}

struct Line<'a> {
    number: usize,
    words: Vec<&'a str>,
}

impl<'a> Line<'a> {
    fn new(number: usize, text: &'a str) -> Self {
        let text = text.split('#').next().unwrap_or_default();
        Self { number, words: text.split_whitespace().collect() }
    }

    fn error(&self, what: String) -> PatchError {
        PatchError::Syntax { line: self.number, what }
    }

    fn operation(&self) -> Result<Operation, PatchError> {
        Ok(match self.words[..] {
            ["delete", at] => Operation::Delete(self.id(at)?),
            ["copy", source, "before", before] => {
                Operation::Copy { source: self.id(source)?, before: self.id(before)? }
            }
            ["move", source, "before", before] => {
                Operation::Move { source: self.id(source)?, before: self.id(before)? }
            }
            ["replace", at, "by", source] => {
                Operation::Replace { at: self.id(at)?, source: self.id(source)? }
            }
            ["swap", one, "with", other] => Operation::Swap(self.id(one)?, self.id(other)?),
            ["operand", at, "slot", slot, "=", to] => {
                Operation::Operand { at: self.id(at)?, slot: self.slot(slot)?, to: self.value(to)? }
            }
            ["cache", at, "=", mode] => Operation::Cache { at: self.id(at)?, mode: self.mode(mode)? },
            ["lift", ref loads @ .., "before", before] => {
                Operation::Lift { loads: self.reach(loads)?, before: self.id(before)? }
            }
            ["predicate", ref reach @ ..] => Operation::Predicate(self.reach(reach)?),
            ["sink", ref reach @ ..] => Operation::Sink(self.reach(reach)?),
            ["ahead", ref reach @ ..] => Operation::Ahead(self.reach(reach)?),
            ["unroll", ref loops @ .., "by", rounds] => {
                Operation::Unroll { loops: self.reach(loops)?, rounds: self.rounds(rounds)? }
            }
            ["raise", ref reach @ ..] => Operation::Raise(self.reach(reach)?),
            ["widen", ref reach @ ..] => Operation::Widen(self.reach(reach)?),
            ["unsigned", ref reach @ ..] => Operation::Unsigned(self.reach(reach)?),
            ["narrow", ref reach @ ..] => Operation::Narrow(self.reach(reach)?),
            ["approximate", ref reach @ ..] => Operation::Approximate(self.reach(reach)?),
            ["quick", ref reach @ ..] => Operation::Quick(self.reach(reach)?),
            ["warp-barrier", ref reach @ ..] => Operation::WarpBarrier(self.reach(reach)?),
            ["read-only", parameter] => Operation::ReadOnly(self.name(parameter)?),
            ["registers", kernel, "=", most] => {
                Operation::Registers { kernel: self.name(kernel)?, most: self.count(most)? }
            }
            ["block", kernel, "=", x, y, z] => {
                let threads = [self.count(x)?, self.count(y)?, self.count(z)?];
                Operation::Block { kernel: self.name(kernel)?, threads }
            }
            _ => {
                let what = "this is no edit; there are `delete ID`, `copy ID before ID`, `move ID before ID`, \
                            `replace ID by ID`, `swap ID with ID`, `operand ID slot N = VALUE`, \
                            `cache ID = MODE`, `predicate`, `sink`, `ahead`, `raise`, `widen`, `unsigned`, `narrow`, \
                            `approximate`, `quick` and `warp-barrier` with one `ID` or more, or \
                            `all of FUNCTION`, `lift` with such and `before ID`, `unroll` with such and \
                            `by N`, `read-only PARAMETER`, `registers KERNEL = N`, `block KERNEL = X Y Z`, and \
                            `fix ID slot N = VALUE` after one";
                return Err(self.error(what.to_owned()));
            }
        })
    }

    fn id(&self, text: &str) -> Result<InstructionId, PatchError> {
        text.parse().map_err(|_| self.error(format!("`{}` names no instruction; {ID}", shown(text))))
    }

    fn reach(&self, words: &[&str]) -> Result<Reach, PatchError> {
        match words {
            ["all", "of", function] => Ok(Reach::All(self.name(function)?)),
            places if (1..=MAX_PLACES).contains(&places.len()) => {
                Ok(Reach::At(places.iter().map(|at| self.id(at)).collect::<Result<_, _>>()?))
            }
            _ => {
                let what =
                    format!("this edit needs one `ID` or up to {MAX_PLACES} of them, or `all of FUNCTION`");
                Err(self.error(what))
            }
        }
    }

    fn name(&self, text: &str) -> Result<String, PatchError> {
        let is_name = text.bytes().all(crate::text::scan::is_word);
        is_name.then(|| text.to_owned()).ok_or_else(|| self.error(format!("`{}` is no name", shown(text))))
    }

    fn slot(&self, text: &str) -> Result<Slot, PatchError> {
        let slot = if text == "guard" { Some(GUARD) } else { text.parse().ok().filter(|slot| *slot < GUARD) };
        slot.ok_or_else(|| {
            self.error(format!("`{}` is no slot; it is a number below 255 or `guard`", shown(text)))
        })
    }

    fn count(&self, text: &str) -> Result<u32, PatchError> {
        let count = text.parse().ok().filter(|count| *count > 0);
        count.ok_or_else(|| self.error(format!("`{}` is no number from 1 on", shown(text))))
    }

    fn rounds(&self, text: &str) -> Result<u32, PatchError> {
        let rounds = text.parse().ok().filter(|rounds| (2..=MAX_ROUNDS).contains(rounds));
        rounds.ok_or_else(|| {
            self.error(format!("`{}` is no number of rounds from 2 to {MAX_ROUNDS}", shown(text)))
        })
    }

    fn mode(&self, text: &str) -> Result<CacheMode, PatchError> {
        let mode = MODES.iter().find(|(_, name)| *name == text);
        mode.map(|(mode, _)| *mode).ok_or_else(|| {
            self.error(format!("`{}` is no cache mode; there are default, ca, cg, cs, nc, wt", shown(text)))
        })
    }

    fn value(&self, text: &str) -> Result<Value, PatchError> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_plain = digits.bytes().all(crate::text::scan::is_word);
        match digits.bytes().next() {
            Some(b'0'..=b'9') if is_plain => Ok(Value::Number(text.to_owned())),
            Some(_) if is_plain && digits == text => Ok(Value::Register(text.to_owned())),
            _ => Err(self.error(format!("`{}` is neither a register nor a number", shown(text)))),
        }
    }
}

const ID: &str = "`b` and its number in the base, or `c` and 16 hexadecimal digits";

fn shown(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(40).collect()
}

impl FromStr for InstructionId {
    type Err = PatchError;

    fn from_str(text: &str) -> Result<Self, PatchError> {
        let base = text.strip_prefix('b').filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
        let created = text.strip_prefix('c').filter(|digits| digits.len() == 16);
        let created =
            created.filter(|digits| digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')));
        let id = match (base, created) {
            (Some(digits), _) => digits.parse().ok().map(Self::Base),
            (_, Some(digits)) => u64::from_str_radix(digits, 16).ok().map(Self::Created),
            _ => None,
        };
        id.ok_or_else(|| PatchError::Syntax {
            line: 1,
            what: format!("`{}` names no instruction; {ID}", shown(text)),
        })
    }
}
