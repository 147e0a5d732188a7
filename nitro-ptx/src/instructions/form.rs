//! Opcode forms: the modifiers, types and operands that an instruction may have.

use super::operand::{Operand, variants};
use crate::text::types::Type;

/// One form of one or several opcodes, as a line of the PTX manual's syntax lists gives it.
///
/// Of the opcode `.a/.b` is one of several modifiers, `{.a}` may be left out, and capital letters name a set. Of the
/// operands `d` is a register that is written, `a` `b` `c` `e` are values that are read, `{, b}` may be left out.
/// `p` and `q` are predicates that are written, `!P` one that is read and may be negated, `n` is a constant, `[a]` an
/// address, `L` a label, `T` a list of labels. `D` and `A` are vectors of as many values as the opcode says, `<d>` and
/// `<a>` values that make up one; `.sel` chooses a part of a value.
#[derive(Clone, Debug)]
pub struct Form {
    names: Vec<&'static str>,
    slots: Vec<Slot>,
    operands: Vec<Vec<Operand>>,
}

/// A place of an opcode for one of several modifiers, each of which is one part or more.
#[derive(Clone, Debug)]
struct Slot {
    choices: Vec<Vec<&'static str>>,
    is_optional: bool,
    /// Types stand in their order, other modifiers in any.
    has_types: bool,
}

/// Sets of modifiers by name.
const SETS: &[(&str, &str)] = &[
    (".INT", ".u16 .u32 .u64 .s16 .s32 .s64"),
    (".RND", ".rn .rz .rm .rp"),
    (".CARRY", ".u32 .s32 .u64 .s64"),
    (".ORDER", ".eq .ne .lt .le .gt .ge"),
    (".FLOAT", ".eq .ne .lt .le .gt .ge .equ .neu .ltu .leu .gtu .geu .num .nan"),
    (".BOOL", ".and .or .xor"),
    (".SET", ".u32 .s32 .f32 .f16 .bf16"),
    (".WIDE", ".b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64"),
    (".ANY", ".u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64"),
    (".TOINT", ".rni .rzi .rmi .rpi"),
    (".WINDOW", ".global .local .param .param::entry .shared .shared::cta .shared::cluster"),
    (".TYPE", ".b8 .b16 .b32 .b64 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64"),
    (
        ".SPACE",
        ".const .global .local .param .param::entry .param::func .shared .shared::cta .shared::cluster",
    ),
    (".TO", ".global .local .param .param::func .shared .shared::cta .shared::cluster"),
    (".SHARED", ".shared .shared::cta .shared::cluster"),
    (".CACHE", ".ca .cg .cs .lu .cv"),
    (".BACK", ".wb .cg .cs .wt"),
    (".SCOPE", ".cta .cluster .gpu .sys"),
    (".KEEP", ".L1::evict_normal .L1::evict_unchanged .L1::evict_first .L1::evict_last .L1::no_allocate"),
    (".AHEAD", ".L2::64B .L2::128B .L2::256B"),
    (".SEM", ".relaxed .acquire .release .acq_rel"),
    (".ATOM", ".global .shared .shared::cta .shared::cluster"),
    (".V", ".u32 .s32"),
];

impl Form {
    /// Takes a line of an entry apart.
    pub(super) fn of(line: &'static str) -> Self {
        let (opcode, operands) = line.split_once("  ").unwrap_or((line, ""));
        let (names, mut rest) = opcode.split_at(opcode.find(['.', '{']).unwrap_or(opcode.len()));
        let mut slots = Vec::new();
        while !rest.is_empty() {
            let (slot, after) = Slot::of(rest);
            slots.push(slot);
            rest = after;
        }
        Self { names: names.split('/').collect(), slots, operands: variants(operands.trim()) }
    }

    /// Returns the names of its opcodes, their first parts.
    pub(super) fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// Returns the number of opcodes that have this form.
    #[must_use]
    pub fn opcodes(&self) -> usize {
        self.slots.iter().map(Slot::choices).product::<usize>() * self.names.len()
    }

    /// Returns one of its opcodes, written as the manual orders its modifiers.
    #[must_use]
    pub fn opcode(&self, mut at: usize) -> String {
        // The number is one of mixed radix: a digit for the name, and one for each slot.
        let mut opcode = self.names[at % self.names.len()].to_owned();
        at /= self.names.len();
        for slot in &self.slots {
            let choice = at % slot.choices();
            at /= slot.choices();
            // The last choice of a slot that may be left out is to do so.
            for part in slot.choices.get(choice).into_iter().flatten() {
                opcode.push('.');
                opcode.push_str(part);
            }
        }
        opcode
    }

    /// Returns the operands that it may have: one list for each number or kind of them.
    #[must_use]
    pub fn operands(&self) -> &[Vec<Operand>] {
        &self.operands
    }

    /// Returns the modifiers of an opcode in the order of this form, if it has this form.
    pub(super) fn ordered(&self, parts: &[&str]) -> Option<Vec<&'static str>> {
        // The assembler takes types in their order alone, and other modifiers in any.
        let mut chosen: Vec<Option<&[&'static str]>> = vec![None; self.slots.len()];
        let mut types = self.slots.iter().enumerate().filter(|(_, slot)| slot.has_types);
        let mut rest = parts;
        while let Some(part) = rest.first() {
            // A type goes to the next place for types, any other modifier to a free place that has it.
            let (at, choice) = if Type::parse(part).is_some() {
                let (at, slot) = types.next()?;
                (at, slot.choice(rest)?)
            } else {
                let free = self.slots.iter().enumerate().filter(|(at, _)| chosen[*at].is_none());
                free.filter(|(_, slot)| !slot.has_types)
                    .find_map(|(at, slot)| Some((at, slot.choice(rest)?)))?
            };
            chosen[at] = Some(choice);
            rest = &rest[choice.len()..];
        }
        // Slots in braces may be empty.
        let is_complete =
            chosen.iter().zip(&self.slots).all(|(choice, slot)| choice.is_some() || slot.is_optional);
        is_complete.then(|| chosen.into_iter().flatten().flatten().copied().collect())
    }

    pub(super) fn has_modifier(&self, part: &str) -> bool {
        self.slots.iter().any(|slot| slot.choices.iter().flatten().any(|known| *known == part))
    }
}

impl Slot {
    /// Reads the slot at the beginning of a form's modifiers, and returns the others.
    fn of(text: &'static str) -> (Self, &'static str) {
        let is_optional = text.starts_with('{');
        let (body, rest) = if is_optional {
            let end = text.find('}').unwrap_or(text.len());
            (&text[1..end], &text[text.len().min(end + 1)..])
        } else {
            // Up to the dot or brace that follows, if no `/` stands before it.
            let end = text
                .char_indices()
                .skip(1)
                .find(|&(at, letter)| letter == '{' || letter == '.' && !text[..at].ends_with('/'));
            text.split_at(end.map_or(text.len(), |(at, _)| at))
        };
        let mut choices: Vec<Vec<&'static str>> = Vec::new();
        for choice in body.split('/') {
            match SETS.iter().find(|(name, _)| *name == choice) {
                Some((_, members)) => choices.extend(members.split(' ').map(|member| vec![&member[1..]])),
                None => choices.push(choice[1..].split('.').collect()),
            }
        }
        let has_types = choices.iter().all(|choice| Type::parse(choice[0]).is_some());
        (Self { choices, is_optional, has_types }, rest)
    }

    /// Returns the number of choices, of which one may be to leave the slot out.
    fn choices(&self) -> usize {
        self.choices.len() + usize::from(self.is_optional)
    }

    /// Returns the choice that these parts begin with.
    fn choice(&self, parts: &[&str]) -> Option<&[&'static str]> {
        self.choices.iter().map(Vec::as_slice).find(|choice| parts.starts_with(choice))
    }
}
