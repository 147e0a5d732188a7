//! The parts of a module that some kernels need.

use std::collections::HashSet;

use super::module::{Content, Function, Module, Piece, Token};
use super::scan::lexemes;

/// The names that kernels lead to: functions that they call, variables, what these begin with, and so on.
#[derive(Debug)]
pub(crate) struct ReachableNames<'a>(HashSet<&'a str>);

/// Words that need each other: a function, or a statement between functions.
struct Unit<'a> {
    /// Whoever is reached by one of these,
    names: Vec<&'a str>,
    /// reaches all of these.
    leads_to: Vec<&'a str>,
}

impl<'a> ReachableNames<'a> {
    /// From kernels of these names.
    pub(crate) fn of(module: &'a Module, kernels: &[&'a str]) -> Self {
        Self::from(&units(module), kernels.to_vec())
    }

    /// From kernels of these names, and from everything that stands between functions: what a text cannot do without.
    pub(crate) fn of_text(module: &'a Module, kernels: &[&'a str]) -> Self {
        let between = module.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) if !is_declaration(text) => Some(parts(text).0),
            _ => None,
        });
        Self::from(&units(module), kernels.iter().copied().chain(between.flatten()).collect())
    }

    fn from(units: &[Unit<'a>], mut open: Vec<&'a str>) -> Self {
        let mut reached = HashSet::new();
        let mut by_name = std::collections::HashMap::<&str, Vec<&Unit<'a>>>::new();
        for unit in units {
            unit.names.iter().for_each(|name| by_name.entry(name).or_default().push(unit));
        }
        while let Some(name) = open.pop() {
            if reached.insert(name) {
                let units = by_name.get(name).into_iter().flatten();
                open.extend(units.flat_map(|unit| unit.leads_to.iter().copied()));
            }
        }
        Self(reached)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

fn units(module: &Module) -> Vec<Unit<'_>> {
    let mut units = Vec::new();
    for piece in &module.pieces {
        match piece {
            Piece::Function(function) => {
                units.push(Unit { names: vec![&function.name], leads_to: of_body(function) });
            }
            Piece::Text(text) if is_declaration(text) => {}
            Piece::Text(text) => {
                for statement in parts(text).0.split(|word| *word == ";") {
                    let names: Vec<&str> = statement.iter().copied().filter(|word| is_name(word)).collect();
                    units.push(Unit { leads_to: names.clone(), names });
                }
            }
        }
    }
    units
}

/// Names between functions by which kernels may tell each other something: all but those of constants and of a
/// block's memory.
pub(crate) fn written_by_any(module: &Module) -> HashSet<&str> {
    let mut found = HashSet::new();
    for text in module.texts().filter(|text| !is_declaration(text)) {
        for statement in parts(text).0.split(|word| *word == ";") {
            let is_apart = statement.iter().any(|word| matches!(*word, ".const" | ".shared"));
            found.extend(statement.iter().copied().filter(|word| !is_apart && is_name(word)));
        }
    }
    found
}

/// Of a function without a body: its names mean nothing outside of it.
pub(crate) fn is_declaration(text: &str) -> bool {
    text.starts_with(".func") || text.starts_with(".entry")
}

fn is_name(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_alphabetic() || matches!(letter, '_' | '$' | '%'))
}

fn of_body(function: &Function) -> Vec<&str> {
    let mut found = Vec::new();
    for item in &function.items {
        match &item.content {
            Content::Text(text) | Content::Targets { text, .. } => found.extend(lexemes(text)),
            Content::Instruction(_, instruction) => {
                found.extend(instruction.operands.iter().flatten().filter_map(|token| match token {
                    Token::Word(word) => Some(word.as_str()),
                    _ => None,
                }));
            }
            Content::Open | Content::Close | Content::Label(_) | Content::Tombstone(_) => {}
        }
    }
    found.retain(|word| is_name(word));
    found
}

/// The words of a text between functions, but for those of its sections, which hold debug information; and those of
/// them.
fn parts(text: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut statements, mut sections) = (Vec::new(), Vec::new());
    let (mut depth, mut is_in_section) = (0_usize, false);
    for word in lexemes(text) {
        is_in_section |= word == ".section";
        if is_in_section { &mut sections } else { &mut statements }.push(word);
        match word {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                is_in_section &= depth > 0;
            }
            _ => {}
        }
    }
    (statements, sections)
}

/// Returns true if debug information names places or parameters of one of these functions, and so needs them.
pub(crate) fn is_described(module: &Module, left_out: &HashSet<&str>) -> bool {
    let texts = module.pieces.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(parts(text).1),
        Piece::Function(_) => None,
    });
    let described: HashSet<&str> = texts.flatten().filter(|word| is_name(word)).collect();
    let mut functions = module.bodies().filter(|function| left_out.contains(function.name.as_str()));
    functions.any(|function| {
        let labels = function.items.iter().filter_map(|item| match &item.content {
            Content::Label(name) => Some(name.as_str()),
            _ => None,
        });
        labels.chain(lexemes(&function.head)).any(|name| described.contains(name))
    })
}
