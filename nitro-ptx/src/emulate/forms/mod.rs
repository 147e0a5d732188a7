//! Opcode forms: which modifiers, types and operands an instruction may have. What matches no form exactly is refused.

mod operand;
mod table;

use std::collections::HashMap;
use std::sync::LazyLock;

pub(super) use self::operand::Arguments;
pub use self::operand::Operand;
use self::operand::variants;
use super::types::Type;

/// One form of one or several opcodes, as a line of the PTX manual's syntax lists gives it.
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

/// The forms that the emulator knows; it refuses every instruction that has none of these.
///
/// ```
/// use nitro_ptx::emulate::forms;
///
/// let sums = forms().filter(|form| (0..form.opcodes()).any(|at| form.opcode(at) == "add.sat.s32"));
/// let operands: Vec<_> = sums.flat_map(|form| form.operands()).map(|operands| operands.len()).collect();
/// assert_eq!(operands, [3]);
/// ```
pub fn forms() -> impl Iterator<Item = &'static Form> {
    FORMS.iter()
}

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let mut sets = HashMap::new();
    let mut forms = Vec::new();
    for line in table::TABLE.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match line.split_once(" = ") {
            Some((name, members)) => {
                sets.insert(name, members.split(' ').collect());
            }
            None => forms.push(Form::of(line, &sets)),
        }
    }
    forms
});

/// The forms of each opcode by its first part.
static BY_NAME: LazyLock<HashMap<&'static str, Vec<&'static Form>>> = LazyLock::new(|| {
    let mut by_name = HashMap::<_, Vec<_>>::new();
    for form in FORMS.iter() {
        form.names.iter().for_each(|name| by_name.entry(*name).or_default().push(form));
    }
    by_name
});

/// Sets of modifiers by name.
type Sets = HashMap<&'static str, Vec<&'static str>>;

impl Form {
    /// Takes a line of the table apart.
    fn of(line: &'static str, sets: &Sets) -> Self {
        let (opcode, operands) = line.split_once("  ").unwrap_or((line, ""));
        let (names, mut rest) = opcode.split_at(opcode.find(['.', '{']).unwrap_or(opcode.len()));
        let mut slots = Vec::new();
        while !rest.is_empty() {
            let (slot, after) = Slot::of(rest, sets);
            slots.push(slot);
            rest = after;
        }
        Self { names: names.split('/').collect(), slots, operands: variants(operands.trim()) }
    }

    /// How many opcodes have this form.
    #[must_use]
    pub fn opcodes(&self) -> usize {
        self.slots.iter().map(Slot::choices).product::<usize>() * self.names.len()
    }

    /// One of its opcodes, written as the manual orders its modifiers.
    #[must_use]
    pub fn opcode(&self, mut at: usize) -> String {
        let mut take = |count: usize| {
            let digit = at % count;
            at /= count;
            digit
        };
        let mut opcode = self.names[take(self.names.len())].to_owned();
        for slot in &self.slots {
            let choice = take(slot.choices());
            // The last choice of a slot that may be left out is to do so.
            for part in slot.choices.get(choice).into_iter().flatten() {
                opcode.push('.');
                opcode.push_str(part);
            }
        }
        opcode
    }

    /// The operands that it may have: one list for each number or kind of them.
    #[must_use]
    pub fn operands(&self) -> &[Vec<Operand>] {
        &self.operands
    }

    /// The modifiers of an opcode in the order of this form, if it has this form.
    fn ordered(&self, parts: &[&str]) -> Option<Vec<&'static str>> {
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
        let is_complete =
            chosen.iter().zip(&self.slots).all(|(choice, slot)| choice.is_some() || slot.is_optional);
        is_complete.then(|| chosen.into_iter().flatten().flatten().copied().collect())
    }

    fn has_modifier(&self, part: &str) -> bool {
        self.slots.iter().any(|slot| slot.choices.iter().flatten().any(|known| *known == part))
    }
}

impl Slot {
    /// The slot at the beginning of a form's modifiers, and the others.
    fn of(text: &'static str, sets: &Sets) -> (Self, &'static str) {
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
            match sets.get(choice) {
                Some(members) => choices.extend(members.iter().map(|member| vec![&member[1..]])),
                None => choices.push(choice[1..].split('.').collect()),
            }
        }
        let has_types = choices.iter().all(|choice| Type::parse(choice[0]).is_some());
        (Self { choices, is_optional, has_types }, rest)
    }

    fn choices(&self) -> usize {
        self.choices.len() + usize::from(self.is_optional)
    }

    /// The choice that these parts begin with.
    fn choice(&self, parts: &[&str]) -> Option<&[&'static str]> {
        self.choices.iter().map(Vec::as_slice).find(|choice| parts.starts_with(choice))
    }
}

/// The modifiers of an opcode in the order of the form that it has with these operands, or why it has none.
pub(super) fn known(name: &str, parts: &[&str], arguments: &Arguments) -> Result<Vec<&'static str>, String> {
    let forms = BY_NAME.get(name).ok_or("it is not known")?;
    if let Some(part) = parts.iter().find(|part| !forms.iter().any(|form| form.has_modifier(part))) {
        return Err(format!("`.{part}` is not known here"));
    }
    let mut fitting = forms.iter().filter_map(|form| Some((form, form.ordered(parts)?))).peekable();
    if fitting.peek().is_none() {
        return Err("it is not known with these modifiers together".to_owned());
    }
    let mut why = String::new();
    for (form, ordered) in fitting {
        match arguments.fit(&form.operands) {
            Ok(()) => return Ok(ordered),
            Err(reason) => why = reason,
        }
    }
    Err(why)
}
